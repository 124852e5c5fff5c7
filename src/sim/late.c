/* late.c - readers of shared memory that the list of their line has yet to take
 * in.
 *
 * Between two barriers many warps read a tile that nobody writes, and all that
 * they leave in its shadow goes with the next write: that is ordered after them
 * by the barrier. So a line keeps its latest readers as they come, with what
 * they know of each other. The write that is ordered after all of them, on all
 * of their bytes, drops them together; whatever else needs the list has it take
 * them in first, one after the other, as if they came now. */
#include "sim/line.h"
#include <stdlib.h>

enum { FIRST = 4, MOST = 64 };

static tc_hz_late *late_of(const tc_hz_visit *v, const tc_hz_line *line) {
    return &v->z->late[line - v->z->shared];
}

static void clear(tc_hz_late *l) {
    l->n = 0;
    tc_hz_know_point(&l->all, NULL);
}

void tc_hz_late_take_in(tc_hz_visit *v, tc_hz_line *line) {
    tc_hz_late *l = late_of(v, line);
    tc_hz_visit by = {.h = v->h, .z = v->z, .all = l->all, .space = v->space};
    for (uint32_t i = 0; i < l->n; i++) {
        tc_hz_mark m = l->m[i];
        m.next = 0;
        by.record = m.record;
        tc_hz_add_reader(&by, line, m, true);
    }
    clear(l);
}

static void append(tc_hz_late *l, const tc_hz_mark *m) {
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : FIRST;
        l->m = tc_xrealloc(l->m, l->cap * sizeof *l->m);
    }
    l->m[l->n++] = *m;
}

bool tc_hz_late_read(tc_hz_visit *v, tc_hz_line *line, tc_hz_mark m) {
    const tc_hz_record *me = tc_hz_record_of(v->h, v->record);
    tc_hz_late *l = late_of(v, line);
    if (l->n && (l->all != v->all || v->agent || me->async || l->n == MOST)) {
        tc_hz_late_take_in(v, line);
    }
    if (!v->all || v->agent || me->async || line->r.record) {
        return false;
    }
    /* Of one warp and of one kind; of one stretch, if the clocks agree. */
    m.next = me->warp | (uint32_t)me->flags << 16;
    for (uint32_t i = l->n; i; i--) {
        tc_hz_mark *e = &l->m[i - 1];
        if (e->next == m.next &&
            tc_hz_record_of(v->h, e->record)->clock == me->clock &&
            tc_hz_absorb(e, &m)) {
            l->b0 = l->b0 < e->b0 ? l->b0 : e->b0;
            l->b1 = l->b1 > e->b1 ? l->b1 : e->b1;
            return true;
        }
    }
    if (!l->n) {
        tc_hz_know_point(&l->all, v->all);
        l->newest = 0;
        l->b0 = TC_HZ_LINE;
        l->b1 = 0;
    }
    l->newest = l->newest > me->clock ? l->newest : me->clock;
    l->b0 = l->b0 < m.b0 ? l->b0 : m.b0;
    l->b1 = l->b1 > m.b1 ? l->b1 : m.b1;
    m.record = v->record;
    append(l, &m);
    return true;
}

/* All of them precede all of m. */
static bool all_before(const tc_hz_visit *v, const tc_hz_late *l,
                       const tc_hz_mark *m) {
    if (v->all && tc_hz_knows_cta(v->all, v->z->cta->index, l->newest)) {
        return true;
    }
    for (uint32_t i = 0; i < l->n; i++) {
        const tc_hz_mark *e = &l->m[i];
        if (!tc_hz_all_ordered(v, tc_hz_record_of(v->h, e->record), e, m)) {
            return false;
        }
    }
    return true;
}

void tc_hz_late_write(tc_hz_visit *v, tc_hz_line *line, const tc_hz_mark *m) {
    tc_hz_late *l = late_of(v, line);
    if (!l->n) {
        return;
    }
    if (!v->agent && m->b0 <= l->b0 && l->b1 <= m->b1 && all_before(v, l, m)) {
        clear(l);
        return;
    }
    tc_hz_late_take_in(v, line);
}

void tc_hz_late_clear(tc_hz_cta *z) {
    for (uint64_t i = 0; i < z->nshared; i++) {
        clear(&z->late[i]);
    }
}

void tc_hz_late_free(tc_hz_cta *z) {
    for (uint64_t i = 0; i < z->nshared; i++) {
        free(z->late[i].m);
    }
    free(z->late);
}

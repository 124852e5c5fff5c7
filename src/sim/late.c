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

static void clear(tc_hazard *h, tc_hz_late *l) {
    for (uint32_t i = 0; i < l->n && l->coarse; i++) {
        if (tc_hz_shape_of(&l->m[i]) == TC_HZ_COARSE) {
            tc_hz_mark_free(h, l->m[i].map);
        }
    }
    l->n = 0;
    l->coarse = false;
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
    l->coarse = false; /* the maps are the list's now */
    clear(v->h, l);
}

static void append(tc_hz_late *l, const tc_hz_mark *m) {
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : FIRST;
        l->m = tc_xrealloc(l->m, l->cap * sizeof *l->m);
    }
    l->m[l->n++] = *m;
}

/* m one element further than e, or within it: what most loops do. */
static inline bool widen(tc_hz_mark *e, const tc_hz_mark *m) {
    if (e->shape != TC_HZ_RUN || m->shape != TC_HZ_RUN || e->l0 != m->l0 ||
        e->l1 != m->l1 || e->unit != m->unit || m->lo < e->lo - 1 ||
        m->lo > e->hi + 1) {
        return false;
    }
    e->lo = m->lo < e->lo ? m->lo : e->lo;
    e->hi = m->lo > e->hi ? m->lo : e->hi;
    tc_hz_natural(e);
    return true;
}

/* Too many marks of one stretch: one of all their bytes. */
static void coarsen(tc_hazard *h, tc_hz_late *l, const tc_hz_mark *last,
                    uint64_t clock) {
    tc_bits bits = {{0}};
    tc_hz_mark all = *last, blank = {0};
    uint32_t n = 0;
    tc_hz_set_bits(&bits, last->b0, last->b1, true);
    for (uint32_t i = 0; i < l->n; i++) {
        const tc_hz_mark e = l->m[i];
        if (e.next != last->next ||
            tc_hz_record_of(h, e.record)->clock != clock) {
            l->m[n++] = e;
            continue;
        }
        all.record = n == i ? e.record : all.record;
        all.b0 = all.b0 < e.b0 ? all.b0 : e.b0;
        all.b1 = all.b1 > e.b1 ? all.b1 : e.b1;
        tc_hz_set_bits(&bits, e.b0, e.b1, true);
    }
    l->n = n;
    l->coarse = true;
    all.shape = TC_HZ_COARSE;
    all.unit = 0;
    all.map = tc_hz_mark_new(h, &blank);
    *tc_hz_map(h, &all) = bits;
    append(l, &all);
}

/* The list is empty, and all of the line's late readers know what v does. */
static void keep(tc_hz_visit *v, tc_hz_late *l, const tc_hz_record *me,
                 tc_hz_mark m) {
    /* Of one warp and of one kind; of one stretch, if the clocks agree. */
    m.next = me->warp | (uint32_t)me->flags << 16;
    uint32_t own = 0;
    for (uint32_t i = l->n; i; i--) {
        tc_hz_mark *e = &l->m[i - 1];
        if (e->next != m.next ||
            tc_hz_record_of(v->h, e->record)->clock != me->clock) {
            continue;
        }
        if (tc_hz_shape_of(e) == TC_HZ_COARSE) {
            tc_hz_absorb_coarse(v->h, e, &m);
        } else if (!widen(e, &m) && !tc_hz_absorb(e, &m)) {
            own++;
            continue;
        }
        l->b0 = l->b0 < e->b0 ? l->b0 : e->b0;
        l->b1 = l->b1 > e->b1 ? l->b1 : e->b1;
        return;
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
    if (own >= TC_HZ_EXACT) {
        coarsen(v->h, l, &m, me->clock);
    } else {
        append(l, &m);
    }
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
    keep(v, l, me, m);
    return true;
}

bool tc_hz_late_settled(tc_hz_visit *v, tc_hz_line *line, const tc_hz_mark *m) {
    const tc_hz_mark *e = &line->w;
    tc_hz_late *l = late_of(v, line);
    const tc_hz_record *x = tc_hz_record_of(v->h, e->record);
    const tc_hz_record *me = tc_hz_record_of(v->h, v->record);
    uint64_t clock = x->clock;
    if (!e->record || e->b0 > m->b0 || e->b1 < m->b1 || line->r.record ||
        (l->n && (l->all != v->all || l->n == MOST)) || me->async) {
        return false;
    }
    if (x->async) {
        clock = x->flags & TC_HZ_COPY ? ((tc_hz_copy *)x->async)->done_all : 0;
    }
    if (!clock || clock > v->base || x->cta != me->cta) {
        return false;
    }
    if (x->warp == me->warp) {
        tc_hz_count_shared(v, e, m);
    } else {
        uint64_t n = tc_hz_shape_of(m) == TC_HZ_SAME ? m->l1 - m->l0 + 1u : 1;
        v->h->run->counters.shared_reads_other += n * (uint64_t)(m->b1 - m->b0);
    }
    keep(v, l, me, *m);
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
        clear(v->h, l);
        return;
    }
    tc_hz_late_take_in(v, line);
}

void tc_hz_late_clear(tc_hazard *h, tc_hz_cta *z) {
    for (uint64_t i = 0; i < z->nshared; i++) {
        clear(h, &z->late[i]);
    }
}

void tc_hz_late_free(tc_hz_cta *z) {
    for (uint64_t i = 0; i < z->nshared; i++) {
        free(z->late[i].m);
    }
    free(z->late);
}

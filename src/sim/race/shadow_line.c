/* shadow_line.c - an access against the marks of a line. */
#include "sim/race/shadow_line.h"
#include "sim/core/run.h"
#include <string.h>

void tc_hz_set_bits(tc_bits *b, uint32_t b0, uint32_t b1, bool on) {
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t lo = b0 > 64 * i ? b0 - 64 * i : 0;
        uint32_t hi = b1 > 64 * i ? b1 - 64 * i : 0;
        hi = hi > 64 ? 64 : hi;
        if (lo >= hi) {
            continue;
        }
        uint64_t mask =
            (hi - lo == 64 ? UINT64_MAX : (UINT64_C(1) << (hi - lo)) - 1) << lo;
        b->w[i] = on ? b->w[i] | mask : b->w[i] & ~mask;
    }
}

static bool overlap(const tc_hz_mark *a, const tc_hz_mark *b) {
    return a->b0 < b->b1 && b->b0 < a->b1;
}

static bool covers(const tc_hz_mark *e, const tc_hz_mark *m) {
    return e->b0 <= m->b0 && e->b1 >= m->b1;
}

/* ---- lists of marks ---- */

void tc_hz_push(tc_hazard *h, tc_hz_mark *head, tc_hz_mark m) {
    m.next = head->record ? tc_hz_mark_new(h, head) : 0;
    *head = m;
}

/* Walks a list; the place stays right when the pool moves. */
typedef struct tc_walk {
    tc_hz_mark *head;
    uint32_t at, before; /* 0: the head; before: pool index, or 0 */
    bool first, end;
} tc_walk;

static tc_walk walk(tc_hz_mark *head) {
    return (tc_walk){.head = head, .first = true, .end = !head->record};
}

static tc_hz_mark *here(tc_hazard *h, const tc_walk *k) {
    return k->first ? k->head : &h->pool[k->at];
}

static void step(tc_hazard *h, tc_walk *k) {
    uint32_t next = here(h, k)->next;
    k->before = k->first ? 0 : k->at;
    k->first = false;
    k->at = next;
    k->end = !next;
}

/* Takes the mark out; the walk is at the next one then. */
static void take(tc_hazard *h, tc_walk *k) {
    tc_hz_mark *m = here(h, k);
    uint32_t next = m->next;
    if (tc_hz_shape_of(m) == TC_HZ_COARSE) {
        tc_hz_mark_free(h, m->map);
    }
    if (k->first) {
        if (next) {
            *k->head = h->pool[next];
            tc_hz_mark_free(h, next);
        } else {
            memset(k->head, 0, sizeof *k->head);
        }
        k->end = !next;
        return;
    }
    tc_hz_mark_free(h, k->at);
    if (k->before) {
        h->pool[k->before].next = next;
    } else {
        k->head->next = next;
    }
    k->at = next;
    k->end = !next;
}

/* ---- reads ---- */

void tc_hz_count_shared(tc_hz_visit *v, const tc_hz_mark *e,
                        const tc_hz_mark *m) {
    tc_sim_counters *n = &v->h->run->counters;
    const tc_hz_record *x = tc_hz_record_of(v->h, e->record);
    const tc_hz_record *me = tc_hz_record_of(v->h, v->record);
    uint32_t b = e->b0 > m->b0 ? e->b0 : m->b0;
    uint32_t end = e->b1 < m->b1 ? e->b1 : m->b1;
    int per = tc_hz_shape_of(m) == TC_HZ_SAME ? m->l1 - m->l0 + 1 : 1;
    if (x->cta != me->cta || x->warp != me->warp) {
        n->shared_reads_other += (end - b) * (uint64_t)per;
        return;
    }
    if (e->unit == m->unit && tc_hz_one_shift(e) && tc_hz_one_shift(m)) {
        bool own = e->lo == m->lo;
        n->shared_reads_own += own ? end - b : 0;
        n->shared_reads_other += own ? 0 : end - b;
        return;
    }
    /* Between two bounds of elements the lanes are the same. */
    uint32_t unit = e->unit < m->unit ? e->unit : m->unit;
    uint32_t size = UINT32_C(1) << unit, next;
    for (; b < end; b = next) {
        int e0, e1, m0, m1;
        next = (b | (size - 1)) + 1 < end ? (b | (size - 1)) + 1 : end;
        tc_hz_lanes_at(e, b, &e0, &e1);
        tc_hz_lanes_at(m, b, &m0, &m1);
        uint64_t own = e1 >= m0 && e1 <= m1; /* the last lane's value stays */
        n->shared_reads_own += own * (next - b);
        n->shared_reads_other += ((uint64_t)(m1 - m0 + 1) - own) * (next - b);
    }
}

static bool same_stretch(const tc_hz_record *a, const tc_hz_record *b) {
    return a->cta == b->cta && a->warp == b->warp && a->clock == b->clock &&
           a->async == b->async && a->flags == b->flags;
}

enum { RETIRED = 3 }; /* marks of CTAs that ended */

/* Too many marks of one stretch: one coarse mark for all of them. */
static void coarsen(tc_hz_visit *v, tc_hz_mark *head) {
    tc_hazard *h = v->h;
    tc_bits bits = {{0}};
    tc_hz_mark all = {.record = v->record,
                      .shape = TC_HZ_COARSE,
                      .b0 = TC_HZ_LINE,
                      .unit = 0};
    const tc_hz_record me = *tc_hz_record_of(h, v->record);
    tc_walk k = walk(head);
    while (!k.end) {
        const tc_hz_mark *e = here(h, &k);
        if ((e->shape & (TC_HZ_UNWRITTEN | TC_HZ_WROTE)) ||
            !same_stretch(tc_hz_record_of(h, e->record), &me)) {
            step(h, &k);
            continue;
        }
        all.record = e->record;
        all.b0 = all.b0 < e->b0 ? all.b0 : e->b0;
        all.b1 = all.b1 > e->b1 ? all.b1 : e->b1;
        if (tc_hz_shape_of(e) == TC_HZ_COARSE) {
            bits.w[0] |= tc_hz_map(h, e)->w[0];
            bits.w[1] |= tc_hz_map(h, e)->w[1];
        } else {
            tc_hz_set_bits(&bits, e->b0, e->b1, true);
        }
        take(h, &k);
    }
    tc_hz_mark blank = {0};
    all.map = tc_hz_mark_new(h, &blank);
    *tc_hz_map(h, &all) = bits;
    tc_hz_push(h, head, all);
}

void tc_hz_absorb_coarse(tc_hazard *h, tc_hz_mark *e, const tc_hz_mark *m) {
    e->b0 = e->b0 < m->b0 ? e->b0 : m->b0;
    e->b1 = e->b1 > m->b1 ? e->b1 : m->b1;
    tc_hz_set_bits(tc_hz_map(h, e), m->b0, m->b1, true);
}

/* Whoever is ordered after m is ordered after e: e need not be kept. */
static bool stands_for(const tc_hz_visit *v, const tc_hz_mark *m,
                       const tc_hz_mark *e, const tc_hz_record *x) {
    return e->b0 >= m->b0 && e->b1 <= m->b1 && !v->agent &&
           tc_hz_all_ordered(v, x, e, m);
}

void tc_hz_add_reader(tc_hz_visit *v, tc_hz_line *line, tc_hz_mark m,
                      bool apart) {
    tc_hazard *h = v->h;
    tc_hz_mark *head = &line->r;
    uint32_t own = 0, retired = 0;
    const tc_hz_record *me = tc_hz_record_of(h, v->record);
    m.record = v->record;
    tc_walk k = walk(head);
    while (!k.end) {
        tc_hz_mark *e = here(h, &k);
        const tc_hz_record *x = tc_hz_record_of(h, e->record);
        if (((e->shape ^ m.shape) & TC_HZ_UNWRITTEN) ||
            (e->shape & TC_HZ_WROTE)) {
            step(h, &k);
        } else if (x == me || same_stretch(x, me)) {
            if (tc_hz_shape_of(e) == TC_HZ_COARSE) {
                tc_hz_absorb_coarse(h, e, &m);
                return;
            }
            if (!apart && tc_hz_absorb(e, &m)) {
                return;
            }
            own++;
            step(h, &k);
        } else if (!(m.shape & TC_HZ_UNWRITTEN) &&
                   tc_hz_shape_of(&m) != TC_HZ_COARSE &&
                   stands_for(v, &m, e, x)) {
            take(h, &k);
        } else if (x->cta != me->cta && !tc_hz_live(h, x->cta) &&
                   ++retired >= RETIRED) {
            take(h, &k);
        } else {
            step(h, &k);
        }
    }
    tc_hz_push(h, head, m);
    if (!apart && own >= TC_HZ_EXACT && !(m.shape & TC_HZ_UNWRITTEN)) {
        coarsen(v, head);
    }
}

/* The bytes of m that nobody has written: marks of their own. */
static void add_unwritten(tc_hz_visit *v, tc_hz_line *line,
                          const tc_hz_mark *m) {
    tc_hazard *h = v->h;
    tc_bits bits = {{0}};
    tc_hz_late_settle(v, line);
    tc_hz_set_bits(&bits, m->b0, m->b1, true);
    for (tc_walk k = walk(&line->w); !k.end; step(h, &k)) {
        tc_hz_set_bits(&bits, here(h, &k)->b0, here(h, &k)->b1, false);
    }
    for (uint32_t b = m->b0; b < m->b1; b++) {
        if (!tc_bit(&bits, b)) {
            continue;
        }
        tc_hz_mark part = *m;
        part.b0 = (uint8_t)b;
        while (b < m->b1 && tc_bit(&bits, b)) {
            b++;
        }
        part.b1 = (uint8_t)b;
        part.shape |= TC_HZ_UNWRITTEN;
        if (part.b0 != m->b0 || part.b1 != m->b1) {
            part.shape |= TC_HZ_CLIPPED;
        }
        tc_hz_add_reader(v, line, part, false);
    }
}

void tc_hz_read_line(tc_hz_visit *v, tc_hz_line *line, tc_hz_mark m) {
    tc_hazard *h = v->h;
    uint32_t covered = 0;
    if (m.b0 >= m.b1) {
        return;
    }
    if (line->w.shape & TC_HZ_WORDS) {
        tc_hz_words_undo(h, line);
    }
    for (tc_walk k = walk(&line->w); !k.end; step(h, &k)) {
        const tc_hz_mark *e = here(h, &k);
        if (!overlap(e, &m)) {
            continue;
        }
        uint32_t b0 = e->b0 > m.b0 ? e->b0 : m.b0;
        uint32_t b1 = e->b1 < m.b1 ? e->b1 : m.b1;
        covered += b1 - b0;
        if (v->space == TC_PS_SHARED) {
            tc_hz_count_shared(v, e, &m);
        }
        tc_hz_check(v, e, &m, WRITE_READ);
        if (covers(e, &m)) {
            break; /* writers' marks share no bytes */
        }
    }
    for (tc_walk k = walk(&line->r); h->older && !k.end; step(h, &k)) {
        const tc_hz_mark *e = here(h, &k);
        if ((e->shape & TC_HZ_WROTE) && overlap(e, &m)) {
            tc_hz_check(v, e, &m, WRITE_READ);
        }
    }
    if (v->space != TC_PS_GLOBAL && covered < (uint32_t)(m.b1 - m.b0)) {
        add_unwritten(v, line, &m);
    }
    if (!tc_hz_has_late(v) || !tc_hz_late_read(v, line, m)) {
        tc_hz_add_reader(v, line, m, false);
    }
}

/* ---- writes ---- */

/* Takes the bytes of m out of all marks of the list, those of the shapes in
 * keep excepted. */
static void cut_all(tc_hazard *h, tc_hz_mark *head, const tc_hz_mark *m,
                    uint32_t keep) {
    tc_walk k = walk(head);
    while (!k.end) {
        tc_hz_mark *e = here(h, &k), rest;
        if (!overlap(e, m) || (e->shape & keep)) {
            step(h, &k);
            continue;
        }
        if (tc_hz_shape_of(e) == TC_HZ_COARSE) {
            tc_bits *b = tc_hz_map(h, e);
            tc_hz_set_bits(b, m->b0, m->b1, false);
            if (!(b->w[0] | b->w[1])) {
                take(h, &k);
            } else {
                step(h, &k);
            }
            continue;
        }
        if (!tc_hz_cut(e, m->b0, m->b1, &rest)) {
            take(h, &k);
            continue;
        }
        if (rest.b0 < rest.b1) {
            rest.next = e->next;
            uint32_t i = tc_hz_mark_new(h, &rest);
            here(h, &k)->next = i;
            step(h, &k);
        }
        step(h, &k);
    }
}

/* Read while nobody had written it, and ordered before this write. */
static void check_unwritten(tc_hz_visit *v, const tc_hz_mark *e,
                            const tc_hz_mark *m) {
    const tc_hz_record *x = tc_hz_record_of(v->h, e->record);
    uint32_t b = e->b0 > m->b0 ? e->b0 : m->b0;
    int e0, e1, m0, m1;
    tc_hz_lanes_at(e, b, &e0, &e1);
    tc_hz_lanes_at(m, b, &m0, &m1);
    if (tc_hz_ordered(v, x, e0, m0)) {
        tc_finding place = tc_hz_place_of(v, e, b, e->b1 - b);
        const tc_hz_record *me = tc_hz_record_of(v->h, v->record);
        if (v->agent && v->agent->nsignals &&
            (x->cta != me->cta || x->warp != me->warp)) {
            tc_hz_unfilled(v, &place, e->record, e0);
            return;
        }
        tc_hz_unwritten(v->h, &place, e->record, e0, 1);
    }
}

/* A strong write comes onto e: who does not know of e may still conflict with
 * it, though not with the strong one. */
static void keep_older(tc_hz_visit *v, tc_hz_mark *head, const tc_hz_mark *e,
                       const tc_hz_mark *m) {
    tc_hazard *h = v->h;
    tc_hz_mark part = *e;
    part.b0 = e->b0 > m->b0 ? e->b0 : m->b0;
    part.b1 = e->b1 < m->b1 ? e->b1 : m->b1;
    part.shape |= TC_HZ_CLIPPED | TC_HZ_WROTE;
    h->older = true;
    for (tc_walk k = walk(head); !k.end; step(h, &k)) {
        tc_hz_mark *o = here(h, &k);
        if ((o->shape & TC_HZ_WROTE) && o->record == e->record &&
            tc_hz_absorb(o, &part)) {
            return;
        }
    }
    tc_hz_push(h, head, part);
}

/* Marks of writers under m that were no strong ones. */
static void keep_plain(tc_hz_visit *v, tc_hz_line *line, const tc_hz_mark *m) {
    for (tc_walk k = walk(&line->w); !k.end; step(v->h, &k)) {
        tc_hz_mark e = *here(v->h, &k);
        if (!overlap(&e, m)) {
            continue;
        }
        if (!(tc_hz_record_of(v->h, e.record)->flags & TC_HZ_STRONG)) {
            keep_older(v, &line->r, &e, m);
        }
        if (covers(&e, m)) {
            return;
        }
    }
}

static void add_writer(tc_hz_visit *v, tc_hz_mark *head, tc_hz_mark m) {
    tc_hazard *h = v->h;
    m.record = v->record;
    for (tc_walk k = walk(head); !k.end; step(h, &k)) {
        tc_hz_mark *e = here(h, &k);
        if (e->record == v->record && tc_hz_shape_of(e) == TC_HZ_SAME &&
            e->l0 == e->l1 && tc_hz_absorb(e, &m)) {
            return;
        }
    }
    tc_hz_push(h, head, m);
}

void tc_hz_touch_line(tc_hz_visit *v, tc_hz_line *line, tc_hz_mark m) {
    uint32_t covered = 0;
    if (line->w.shape & TC_HZ_WORDS) {
        tc_hz_words_undo(v->h, line);
    }
    for (tc_walk k = walk(&line->w); !k.end; step(v->h, &k)) {
        const tc_hz_mark *e = here(v->h, &k);
        if (covers(e, &m)) {
            return;
        }
        if (overlap(e, &m)) {
            covered += (e->b1 < m.b1 ? e->b1 : m.b1) -
                       (uint32_t)(e->b0 > m.b0 ? e->b0 : m.b0);
        }
    }
    if (covered < (uint32_t)(m.b1 - m.b0)) {
        add_unwritten(v, line, &m);
    }
}

/* The writers under m. True: m is on the very bytes of one of them, *at. */
static bool check_writers(tc_hz_visit *v, tc_hz_line *line, const tc_hz_mark *m,
                          tc_walk *at) {
    tc_hazard *h = v->h;
    v->unwritten = v->space != TC_PS_GLOBAL;
    for (tc_walk k = walk(&line->w); !k.end; step(h, &k)) {
        const tc_hz_mark *e = here(h, &k);
        if (!overlap(e, m)) {
            continue;
        }
        v->unwritten = false;
        if (v->agent) {
            v->agent->over = true;
        }
        tc_hz_check(v, e, m, WRITE_WRITE);
        if (covers(e, m)) {
            *at = k;
            return covers(m, e);
        }
    }
    return false;
}

/* The readers of bytes of m. True: there were such. */
static bool check_readers(tc_hz_visit *v, tc_hz_line *line, const tc_hz_mark *m,
                          bool strong) {
    tc_hazard *h = v->h;
    bool any = false;
    for (tc_walk k = walk(&line->r); !k.end; step(h, &k)) {
        const tc_hz_mark *e = here(h, &k);
        if (!overlap(e, m)) {
            continue;
        }
        any = true;
        if (e->shape & TC_HZ_UNWRITTEN) {
            if (!strong) {
                check_unwritten(v, e, m);
            }
        } else if (e->shape & TC_HZ_WROTE) {
            tc_hz_check(v, e, m, WRITE_WRITE);
        } else {
            tc_hz_check(v, e, m, READ_WRITE);
        }
    }
    return any;
}

void tc_hz_write_line(tc_hz_visit *v, tc_hz_line *line, tc_hz_mark m) {
    tc_hazard *h = v->h;
    tc_walk at;
    if (m.b0 >= m.b1) {
        return;
    }
    if (line->w.shape & TC_HZ_WORDS) {
        tc_hz_words_undo(h, line);
    }
    if (tc_hz_has_late(v)) {
        tc_hz_late_write(v, line, &m);
    }
    bool strong = (tc_hz_record_of(h, v->record)->flags & TC_HZ_STRONG) != 0;
    bool exact = check_writers(v, line, &m, &at);
    if (line->r.record && check_readers(v, line, &m, strong)) {
        cut_all(h, &line->r, &m, strong ? TC_HZ_UNWRITTEN | TC_HZ_WROTE : 0);
    }
    if (strong && line->w.record) {
        keep_plain(v, line, &m);
    }
    if (exact) {
        tc_hz_mark *e = here(h, &at);
        m.record = v->record;
        m.next = e->next;
        *e = m;
        return;
    }
    if (line->w.record) {
        cut_all(h, &line->w, &m, 0);
    }
    add_writer(v, &line->w, m);
}

/* shadow_line.c - an access against the cells of a line. */
#include "sim/race/shadow_line.h"
#include "sim/core/run.h"
#include "sim/race/same_epoch.h"
#include "sim/race/writer_index.h"
#include <string.h>

void tc_shadow_set_bits(tc_shadow_bits *b, uint32_t b0, uint32_t b1, bool on) {
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

static bool overlap(const tc_shadow_cell *a, const tc_shadow_cell *b) {
    return a->b0 < b->b1 && b->b0 < a->b1;
}

static bool covers(const tc_shadow_cell *e, const tc_shadow_cell *m) {
    return e->b0 <= m->b0 && e->b1 >= m->b1;
}

/* ---- lists of cells ---- */

void tc_race_push(tc_race *h, tc_shadow_cell *head, tc_shadow_cell m) {
    m.next = head->record ? tc_shadow_cell_new(h, head) : 0;
    *head = m;
}

/* Walks a list; the place stays right when the pool moves. */
typedef struct tc_walk {
    tc_shadow_cell *head;
    uint32_t at, before; /* 0: the head; before: pool index, or 0 */
    bool first, end;
} tc_walk;

static tc_walk walk(tc_shadow_cell *head) {
    return (tc_walk){.head = head, .first = true, .end = !head->record};
}

static tc_shadow_cell *here(tc_race *h, const tc_walk *k) {
    return k->first ? k->head : &h->pool[k->at];
}

static void step(tc_race *h, tc_walk *k) {
    uint32_t next = here(h, k)->next;
    k->before = k->first ? 0 : k->at;
    k->first = false;
    k->at = next;
    k->end = !next;
}

/* Takes the cell out; the walk is at the next one then. */
static void take(tc_race *h, tc_walk *k) {
    tc_shadow_cell *m = here(h, k);
    uint32_t next = m->next;
    if (tc_shadow_shape_of(m) == TC_RACE_COARSE) {
        tc_shadow_cell_free(h, m->map);
    }
    if (k->first) {
        if (next) {
            *k->head = h->pool[next];
            tc_shadow_cell_free(h, next);
        } else {
            memset(k->head, 0, sizeof *k->head);
        }
        k->end = !next;
        return;
    }
    tc_shadow_cell_free(h, k->at);
    if (k->before) {
        h->pool[k->before].next = next;
    } else {
        k->head->next = next;
    }
    k->at = next;
    k->end = !next;
}

/* ---- reads ---- */

void tc_race_count_shared(tc_race_visit *v, const tc_shadow_cell *e,
                          const tc_shadow_cell *m) {
    tc_sim_counters *n = &v->h->run->counters;
    const tc_shadow_record *x = tc_shadow_record_of(v->h, e->record);
    const tc_shadow_record *me = tc_shadow_record_of(v->h, v->record);
    uint32_t b = e->b0 > m->b0 ? e->b0 : m->b0;
    uint32_t end = e->b1 < m->b1 ? e->b1 : m->b1;
    int per = tc_shadow_shape_of(m) == TC_RACE_SAME ? m->l1 - m->l0 + 1 : 1;
    if (x->cta != me->cta || x->warp != me->warp) {
        n->shared_reads_other += (end - b) * (uint64_t)per;
        return;
    }
    if (e->unit == m->unit && tc_shadow_one_shift(e) &&
        tc_shadow_one_shift(m)) {
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
        tc_shadow_lanes_at(e, b, &e0, &e1);
        tc_shadow_lanes_at(m, b, &m0, &m1);
        uint64_t own = e1 >= m0 && e1 <= m1; /* the last lane's value stays */
        n->shared_reads_own += own * (next - b);
        n->shared_reads_other += ((uint64_t)(m1 - m0 + 1) - own) * (next - b);
    }
}

static bool same_stretch(const tc_shadow_record *a, const tc_shadow_record *b) {
    return a->cta == b->cta && a->warp == b->warp && a->clock == b->clock &&
           a->async == b->async && a->flags == b->flags;
}

enum { RETIRED = 3 }; /* cells of CTAs that ended */

/* Too many cells of one stretch: one coarse cell for all of them. */
static void coarsen(tc_race_visit *v, tc_shadow_cell *head) {
    tc_race *h = v->h;
    tc_shadow_bits bits = {{0}};
    tc_shadow_cell all = {.record = v->record,
                          .shape = TC_RACE_COARSE,
                          .b0 = TC_RACE_LINE,
                          .unit = 0};
    const tc_shadow_record me = *tc_shadow_record_of(h, v->record);
    tc_walk k = walk(head);
    while (!k.end) {
        const tc_shadow_cell *e = here(h, &k);
        if ((e->shape & (TC_RACE_UNWRITTEN | TC_RACE_WROTE)) ||
            !same_stretch(tc_shadow_record_of(h, e->record), &me)) {
            step(h, &k);
            continue;
        }
        all.record = e->record;
        all.b0 = all.b0 < e->b0 ? all.b0 : e->b0;
        all.b1 = all.b1 > e->b1 ? all.b1 : e->b1;
        if (tc_shadow_shape_of(e) == TC_RACE_COARSE) {
            bits.w[0] |= tc_shadow_map(h, e)->w[0];
            bits.w[1] |= tc_shadow_map(h, e)->w[1];
        } else {
            tc_shadow_set_bits(&bits, e->b0, e->b1, true);
        }
        take(h, &k);
    }
    tc_shadow_cell blank = {0};
    all.map = tc_shadow_cell_new(h, &blank);
    *tc_shadow_map(h, &all) = bits;
    tc_race_push(h, head, all);
}

void tc_race_absorb_coarse(tc_race *h, tc_shadow_cell *e,
                           const tc_shadow_cell *m) {
    e->b0 = e->b0 < m->b0 ? e->b0 : m->b0;
    e->b1 = e->b1 > m->b1 ? e->b1 : m->b1;
    tc_shadow_set_bits(tc_shadow_map(h, e), m->b0, m->b1, true);
}

/* Whoever is ordered after m is ordered after e: e need not be kept. */
static bool stands_for(const tc_race_visit *v, const tc_shadow_cell *m,
                       const tc_shadow_cell *e, const tc_shadow_record *x) {
    return e->b0 >= m->b0 && e->b1 <= m->b1 && !v->agent &&
           tc_race_all_ordered(v, x, e, m);
}

/* What a walk of the readers saw. */
typedef struct tc_seen_readers {
    uint32_t own, lead; /* cells of my stretch; those before any other */
    uint32_t warps;     /* of my clock */
    bool quiet;         /* as same_epoch.h has it */
} tc_seen_readers;

static void see_reader(const tc_race_visit *v, const tc_shadow_cell *e,
                       const tc_shadow_record *x, tc_seen_readers *s) {
    const tc_shadow_record *me = tc_shadow_record_of(v->h, v->record);
    if (x->cta == me->cta && x->clock == v->epoch && !x->flags &&
        !(e->shape & (TC_RACE_UNWRITTEN | TC_RACE_WROTE))) {
        s->warps |= UINT32_C(1) << x->warp;
    } else if (x->cta == me->cta || tc_race_live(v->h, x->cta) ||
               (e->shape & (TC_RACE_UNWRITTEN | TC_RACE_WROTE))) {
        s->quiet = false;
    }
}

/* The reader has been put before the list; coarse: in the place of all that its
 * stretch had. */
static void know_readers(const tc_race_visit *v, tc_shadow_line *line,
                         const tc_seen_readers *s, bool coarse) {
    uint32_t bit = UINT32_C(1) << v->warp;
    line->epoch = s->quiet ? v->epoch : 0;
    line->warps = s->warps | bit;
    line->last = (uint8_t)v->warp;
    line->tail = 0;
    line->run = 0;
    if (coarse) {
        line->run = 1;
    } else if (s->lead == s->own) {
        line->run = (uint8_t)(s->own + 1);
    }
}

/* A transfer's first read of a line behind another one's of its CTA, since when
 * no CTA has ended: none of the readers is its own, and none would be taken. */
static bool follows_transfers(const tc_race_visit *v,
                              const tc_shadow_line *line) {
    const tc_race *h = v->h;
    const tc_shadow_record *x = tc_shadow_record_of(h, line->r.record);
    return v->agent && !h->walks && line->r.record && !line->epoch &&
           line->tail == h->ends + 1 && v->record > line->latest &&
           (x->flags & TC_RACE_AGENT) && !(line->r.shape & TC_RACE_UNWRITTEN) &&
           x->cta == tc_shadow_record_of(h, v->record)->cta;
}

void tc_race_add_reader(tc_race_visit *v, tc_shadow_line *line,
                        tc_shadow_cell m, bool apart) {
    tc_race *h = v->h;
    tc_shadow_cell *head = &line->r;
    uint32_t retired = 0, walked = 0;
    const tc_shadow_record *me = tc_shadow_record_of(h, v->record);
    tc_seen_readers s = {.quiet = v->epoch != 0};
    m.record = v->record;
    if (line->epoch != v->epoch) {
        line->epoch = 0;
    }
    if (!(m.shape & TC_RACE_UNWRITTEN) && follows_transfers(v, line)) {
        line->latest = v->record;
        tc_race_push(h, head, m);
        return;
    }
    uint32_t latest = v->record;
    tc_walk k = walk(head);
    while (!k.end) {
        tc_shadow_cell *e = here(h, &k);
        const tc_shadow_record *x = tc_shadow_record_of(h, e->record);
        bool mine = false;
        latest = e->record > latest ? e->record : latest;
        if (((e->shape ^ m.shape) & TC_RACE_UNWRITTEN) ||
            (e->shape & TC_RACE_WROTE)) {
            /* stays */
        } else if (x == me || same_stretch(x, me)) {
            if (tc_shadow_shape_of(e) == TC_RACE_COARSE) {
                tc_race_absorb_coarse(h, e, &m);
                return;
            }
            if (!apart && tc_race_absorb(e, &m)) {
                return;
            }
            mine = true;
        } else if (!(m.shape & TC_RACE_UNWRITTEN) &&
                   tc_shadow_shape_of(&m) != TC_RACE_COARSE &&
                   stands_for(v, &m, e, x)) {
            take(h, &k);
            continue;
        } else if (x->cta != me->cta && !tc_race_live(h, x->cta) &&
                   ++retired >= RETIRED) {
            take(h, &k);
            continue;
        }
        s.lead += mine && s.own == walked;
        s.own += mine;
        walked++;
        if (s.quiet) {
            see_reader(v, e, x, &s);
        }
        step(h, &k);
    }
    tc_race_push(h, head, m);
    line->latest = latest;
    bool coarse =
        !apart && s.own >= TC_RACE_EXACT && !(m.shape & TC_RACE_UNWRITTEN);
    if (coarse) {
        coarsen(v, head);
    }
    know_readers(v, line, &s, coarse);
    line->tail = v->agent ? h->ends + 1 : 0;
}

/* The bytes of m that nobody has written: cells of their own. */
static void add_unwritten(tc_race_visit *v, tc_shadow_line *line,
                          const tc_shadow_cell *m) {
    tc_race *h = v->h;
    tc_shadow_bits bits = {{0}};
    tc_deferred_settle(v, line);
    tc_shadow_set_bits(&bits, m->b0, m->b1, true);
    for (tc_walk k = walk(&line->w); !k.end; step(h, &k)) {
        tc_shadow_set_bits(&bits, here(h, &k)->b0, here(h, &k)->b1, false);
    }
    for (uint32_t b = m->b0; b < m->b1; b++) {
        if (!tc_shadow_bit(&bits, b)) {
            continue;
        }
        tc_shadow_cell part = *m;
        part.b0 = (uint8_t)b;
        while (b < m->b1 && tc_shadow_bit(&bits, b)) {
            b++;
        }
        part.b1 = (uint8_t)b;
        part.shape |= TC_RACE_UNWRITTEN;
        if (part.b0 != m->b0 || part.b1 != m->b1) {
            part.shape |= TC_RACE_CLIPPED;
        }
        tc_race_add_reader(v, line, part, false);
    }
}

void tc_shadow_read(tc_race_visit *v, tc_shadow_line *line, tc_shadow_cell m) {
    tc_race *h = v->h;
    uint32_t covered = 0;
    if (m.b0 >= m.b1) {
        return;
    }
    if (line->w.shape & TC_RACE_WORD_TABLE) {
        tc_word_table_undo(h, line);
    }
    for (tc_walk k = walk(&line->w); !k.end; step(h, &k)) {
        const tc_shadow_cell *e = here(h, &k);
        if (!overlap(e, &m)) {
            continue;
        }
        uint32_t b0 = e->b0 > m.b0 ? e->b0 : m.b0;
        uint32_t b1 = e->b1 < m.b1 ? e->b1 : m.b1;
        covered += b1 - b0;
        if (v->space == TC_PS_SHARED) {
            tc_race_count_shared(v, e, &m);
        }
        tc_race_check(v, e, &m, WRITE_READ);
        if (covers(e, &m)) {
            break; /* writers' cells share no bytes */
        }
    }
    for (tc_walk k = walk(&line->r); h->older && !k.end; step(h, &k)) {
        const tc_shadow_cell *e = here(h, &k);
        if ((e->shape & TC_RACE_WROTE) && overlap(e, &m)) {
            tc_race_check(v, e, &m, WRITE_READ);
        }
    }
    if (v->space != TC_PS_GLOBAL && covered < (uint32_t)(m.b1 - m.b0)) {
        add_unwritten(v, line, &m);
    }
    if (!tc_deferred_has(v) || !tc_deferred_read(v, line, m)) {
        tc_race_add_reader(v, line, m, false);
    }
}

/* ---- writes ---- */

/* Takes the bytes of m out of all cells of the list, those of the shapes in
 * keep excepted. */
static void cut_all(tc_race *h, tc_shadow_cell *head, const tc_shadow_cell *m,
                    uint32_t keep) {
    tc_walk k = walk(head);
    while (!k.end) {
        tc_shadow_cell *e = here(h, &k), rest;
        if (!overlap(e, m) || (e->shape & keep)) {
            step(h, &k);
            continue;
        }
        if (tc_shadow_shape_of(e) == TC_RACE_COARSE) {
            tc_shadow_bits *b = tc_shadow_map(h, e);
            tc_shadow_set_bits(b, m->b0, m->b1, false);
            if (!(b->w[0] | b->w[1])) {
                take(h, &k);
            } else {
                step(h, &k);
            }
            continue;
        }
        if (!tc_race_cut(e, m->b0, m->b1, &rest)) {
            take(h, &k);
            continue;
        }
        if (rest.b0 < rest.b1) {
            rest.next = e->next;
            uint32_t i = tc_shadow_cell_new(h, &rest);
            here(h, &k)->next = i;
            step(h, &k);
        }
        step(h, &k);
    }
}

void tc_shadow_cut_readers(tc_race *h, tc_shadow_line *line,
                           const tc_shadow_cell *m) {
    cut_all(h, &line->r, m, 0);
}

/* Read while nobody had written it, and ordered before this write. */
static void check_unwritten(tc_race_visit *v, const tc_shadow_cell *e,
                            const tc_shadow_cell *m) {
    const tc_shadow_record *x = tc_shadow_record_of(v->h, e->record);
    uint32_t b = e->b0 > m->b0 ? e->b0 : m->b0;
    int e0, e1, m0, m1;
    tc_shadow_lanes_at(e, b, &e0, &e1);
    tc_shadow_lanes_at(m, b, &m0, &m1);
    if (tc_race_ordered(v, x, e0, m0)) {
        tc_finding place = tc_race_where(v, e, b, e->b1 - b);
        const tc_shadow_record *me = tc_shadow_record_of(v->h, v->record);
        if (v->agent && v->agent->nsignals &&
            (x->cta != me->cta || x->warp != me->warp)) {
            tc_race_unfilled(v, &place, e->record, e0);
            return;
        }
        tc_race_unwritten(v->h, &place, e->record, e0, 1);
    }
}

/* A strong write comes onto e: who does not know of e may still conflict with
 * it, though not with the strong one. */
static void keep_older(tc_race_visit *v, tc_shadow_cell *head,
                       const tc_shadow_cell *e, const tc_shadow_cell *m) {
    tc_race *h = v->h;
    tc_shadow_cell part = *e;
    part.b0 = e->b0 > m->b0 ? e->b0 : m->b0;
    part.b1 = e->b1 < m->b1 ? e->b1 : m->b1;
    part.shape |= TC_RACE_CLIPPED | TC_RACE_WROTE;
    h->older = true;
    for (tc_walk k = walk(head); !k.end; step(h, &k)) {
        tc_shadow_cell *o = here(h, &k);
        if ((o->shape & TC_RACE_WROTE) && o->record == e->record &&
            tc_race_absorb(o, &part)) {
            return;
        }
    }
    tc_race_push(h, head, part);
}

/* x conflicts with some that the later write me does not: it is no strong one, or
 * reaches its own CTA alone. */
static bool is_weaker(const tc_shadow_record *x, const tc_shadow_record *me) {
    return !(x->flags & TC_RACE_STRONG) ||
           (x->scope <= TC_PTX_SCOPE_CTA && me->scope > TC_PTX_SCOPE_CTA);
}

/* Cells of writers under m that are weaker. */
static void keep_plain(tc_race_visit *v, tc_shadow_line *line,
                       const tc_shadow_cell *m) {
    for (tc_walk k = walk(&line->w); !k.end; step(v->h, &k)) {
        tc_shadow_cell e = *here(v->h, &k);
        if (!overlap(&e, m)) {
            continue;
        }
        if (is_weaker(tc_shadow_record_of(v->h, e.record),
                      tc_shadow_record_of(v->h, v->record))) {
            keep_older(v, &line->r, &e, m);
        }
        if (covers(&e, m)) {
            return;
        }
    }
}

static void add_writer(tc_race_visit *v, tc_shadow_line *line,
                       tc_shadow_cell m) {
    tc_race *h = v->h;
    tc_shadow_cell *head = &line->w;
    uint32_t newest = v->record;
    m.record = v->record;
    for (tc_walk k = walk(head); !k.end; step(h, &k)) {
        tc_shadow_cell *e = here(h, &k);
        newest = e->record > newest ? e->record : newest;
        if (e->record == v->record && tc_shadow_shape_of(e) == TC_RACE_SAME &&
            e->l0 == e->l1 && tc_race_absorb(e, &m)) {
            return;
        }
    }
    line->mixed = head->record && (line->mixed || newest > v->record);
    line->newest = newest;
    tc_race_push(h, head, m);
}

void tc_shadow_touch(tc_race_visit *v, tc_shadow_line *line, tc_shadow_cell m) {
    uint32_t covered = 0;
    if (line->w.shape & TC_RACE_WORD_TABLE) {
        tc_word_table_undo(v->h, line);
    }
    for (tc_walk k = walk(&line->w); !k.end; step(v->h, &k)) {
        const tc_shadow_cell *e = here(v->h, &k);
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
static bool check_writers(tc_race_visit *v, tc_shadow_line *line,
                          const tc_shadow_cell *m, tc_walk *at) {
    tc_race *h = v->h;
    v->unwritten = v->space != TC_PS_GLOBAL;
    for (tc_walk k = walk(&line->w); !k.end; step(h, &k)) {
        const tc_shadow_cell *e = here(h, &k);
        if (!overlap(e, m)) {
            continue;
        }
        v->unwritten = false;
        if (v->agent) {
            v->agent->over = true;
        }
        tc_race_check(v, e, m, WRITE_WRITE);
        if (covers(e, m)) {
            *at = k;
            return covers(m, e);
        }
    }
    return false;
}

/* The readers of bytes of m. True: there were such. */
static bool check_readers(tc_race_visit *v, tc_shadow_line *line,
                          const tc_shadow_cell *m, bool strong) {
    tc_race *h = v->h;
    bool any = false;
    for (tc_walk k = walk(&line->r); !k.end; step(h, &k)) {
        const tc_shadow_cell *e = here(h, &k);
        if (!overlap(e, m)) {
            continue;
        }
        any = true;
        if (e->shape & TC_RACE_UNWRITTEN) {
            if (!strong) {
                check_unwritten(v, e, m);
            }
        } else if (e->shape & TC_RACE_WROTE) {
            tc_race_check(v, e, m, WRITE_WRITE);
        } else {
            tc_race_check(v, e, m, READ_WRITE);
        }
    }
    return any;
}

void tc_shadow_write(tc_race_visit *v, tc_shadow_line *line, tc_shadow_cell m) {
    tc_race *h = v->h;
    tc_walk at = {0};
    if (m.b0 >= m.b1) {
        return;
    }
    if (line->w.shape & TC_RACE_WORD_TABLE) {
        tc_word_table_undo(h, line);
    }
    tc_writer_index_drop(v, line);
    if (tc_deferred_has(v)) {
        tc_deferred_before_write(v, line, &m);
    }
    bool strong =
        (tc_shadow_record_of(h, v->record)->flags & TC_RACE_STRONG) != 0;
    bool exact = check_writers(v, line, &m, &at);
    line->written |= tc_shadow_words(&m);
    if (line->r.record && check_readers(v, line, &m, strong)) {
        line->epoch = 0;
        cut_all(h, &line->r, &m,
                strong ? TC_RACE_UNWRITTEN | TC_RACE_WROTE : 0);
    }
    if (strong && line->w.record) {
        line->epoch = 0;
        keep_plain(v, line, &m);
    }
    if (exact) {
        line->newest = v->record > line->newest ? v->record : line->newest;
        line->mixed = true;
        tc_shadow_cell *e = here(h, &at);
        m.record = v->record;
        m.next = e->next;
        *e = m;
        return;
    }
    if (line->w.record) {
        cut_all(h, &line->w, &m, 0);
    }
    add_writer(v, line, m);
}

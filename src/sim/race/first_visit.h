/* first_visit.h - one access of a warp in the first pass: order, units. */
#ifndef TC_SIM_RACE_FIRST_VISIT_H
#define TC_SIM_RACE_FIRST_VISIT_H

#include "sim/race/first_pass.h"
#include "sim/race/visit.h"

#define TC_FIRST_WHO_MASK ((UINT32_C(1) << TC_FIRST_WHO) - 1)

typedef struct tc_first_visit {
    tc_race *h;
    tc_warp *w;
    tc_race_warp *hw;
    const tc_ptx_op *op;
    tc_first_shared *shared; /* NULL: global memory */
    uint32_t mine;           /* my clock, without who */
    uint32_t start, known; /* epochs in [start, known) are of my CTA, and known
                                to all of my lanes */
    uint32_t none;         /* below this: nobody */
    uint32_t who;          /* strong: TC_FIRST_STRONG, else 0 */
    bool alone;            /* nobody but my CTA is known to me, */
    bool simple;           /* and of it only what is below known */
    bool solo;             /* epochs from start on are of my CTA */
    bool bad;
} tc_first_visit;

/* first_pass.c: what of is_known and of_my_cta takes a look at whose the clock
 * is, and at vector clocks. */
/* Lane's access comes after all of epoch x, which is somebody's. */
bool tc_first_ordered_slow(const tc_first_visit *v, uint32_t x, uint32_t lane);
/* x and y, of which neither comes before the other, in one. */
uint32_t tc_first_together(const tc_first_visit *v, uint32_t x, uint32_t y);

/* first_pieces.c */
void tc_first_visit_run(tc_first_visit *v, int l0, int l1, uint64_t address,
                        uint32_t bytes, bool store);
void tc_first_visit_lanes(tc_first_visit *v, uint32_t mask,
                          const uint64_t *addr, uint32_t bytes, bool store,
                          tc_lane_steps s);

/* ---- order ---- */

static inline bool tc_first_is_known(const tc_first_visit *v, uint32_t x) {
    return x >= v->start && x < v->known;
}

static inline bool tc_first_ordered(const tc_first_visit *v, uint32_t x,
                                    uint32_t lane) {
    return tc_first_is_known(v, x) || (x ^ v->mine) == lane ||
           tc_first_ordered_slow(v, x, lane);
}

static inline bool tc_first_is_strong(uint32_t x) {
    return (x & (TC_FIRST_WARP | TC_FIRST_STRONG)) ==
           (TC_FIRST_WARP | TC_FIRST_STRONG);
}

/* Nothing need order lane's access behind x: nobody's, or both are strong. */
static inline bool tc_first_in_order(const tc_first_visit *v, uint32_t x,
                                     uint32_t lane) {
    return x < v->none || (v->who && tc_first_is_strong(x)) ||
           tc_first_ordered(v, x, lane);
}

/* ---- epochs that stand for several ---- */

static inline bool tc_first_of_my_cta(const tc_first_visit *v, uint32_t x) {
    const tc_first_pass *f = v->h->first;
    uint64_t clock = x >> TC_FIRST_WHO;
    if (x < v->start || v->solo) {
        return x >= v->start;
    }
    return v->h->stamp - clock < f->nowners &&
           f->owners[clock & (f->nowners - 1)].cta == v->w->cta->index;
}

/* Adds mine to the reads x. */
static inline uint32_t tc_first_add_read(const tc_first_visit *v, uint32_t x,
                                         uint32_t mine, uint32_t lane) {
    if (x < v->none || tc_first_is_known(v, x) || x == mine) {
        return mine;
    }
    if (x == TC_FIRST_MANY) {
        return x;
    }
    if (x >> TC_FIRST_WHO != mine >> TC_FIRST_WHO &&
        !(v->alone && !tc_first_of_my_cta(v, x)) &&
        !(v->who && !tc_first_is_strong(x)) && tc_first_ordered(v, x, lane)) {
        return mine;
    }
    return tc_first_together(v, x, mine);
}

/* ---- one unit ---- */

static inline void tc_first_read_unit(tc_first_visit *v, uint64_t *u,
                                      uint32_t lane) {
    uint32_t w = (uint32_t)*u, r = (uint32_t)(*u >> 32);
    uint32_t mine = v->mine | (v->who ? TC_FIRST_WARP | TC_FIRST_STRONG : lane);
    v->bad |= w < v->none ? v->shared != NULL : !tc_first_in_order(v, w, lane);
    *u = w | (uint64_t)tc_first_add_read(v, r, mine, lane) << 32;
}

static inline void tc_first_write_unit(tc_first_visit *v, uint64_t *u,
                                       uint32_t lane) {
    uint32_t w = (uint32_t)*u, r = (uint32_t)(*u >> 32);
    v->bad |= !tc_first_in_order(v, w, lane) || !tc_first_in_order(v, r, lane);
    *u = v->mine | lane;
}

/* Atomics, and stores that are strong. */
static inline void tc_first_strong_unit(tc_first_visit *v, uint64_t *u,
                                        uint32_t lane, bool reads) {
    uint32_t w = (uint32_t)*u, r = (uint32_t)(*u >> 32);
    uint32_t mine = v->mine | TC_FIRST_WARP | TC_FIRST_STRONG;
    v->bad |= w < v->none ? reads && v->shared : !tc_first_in_order(v, w, lane);
    v->bad |= !tc_first_in_order(v, r, lane);
    if (w < v->none) {
        w = mine;
    } else if (tc_first_is_strong(w)) {
        bool all = w == mine || w == (TC_FIRST_MANY | TC_FIRST_STRONG);
        w = all ? w : tc_first_together(v, w, mine);
    } else { /* who comes after plain reads of it comes after it */
        r = r < v->none             ? w
            : tc_first_is_strong(r) ? tc_first_together(v, r, w)
                                    : r;
        w = mine;
    }
    *u = w | (uint64_t)r << 32;
}

/* ---- where ---- */

/* The units of an access at that address. *n: so many before they end (of
 * 1 << *shift bytes); grain: its address and length are multiples of that. */
static inline uint64_t *tc_first_units_at(tc_first_visit *v, uint64_t address,
                                          uint32_t grain, bool write,
                                          uint32_t *shift, uint64_t *n) {
    tc_first_pass *f = v->h->first;
    tc_first_page *p;
    uint64_t at = address, end;
    if (v->shared) {
        p = v->shared->page;
        end = v->w->cta->shared_bytes;
        if (p->shift > grain) {
            tc_first_refine_shared(v->w->cta, grain);
            p = v->shared->page;
        }
    } else {
        at = address - f->near_address;
        p = at < f->near_size ? f->near_pages[at / TC_RACE_PAGE] : NULL;
        if (!p || (write && !p->saved)) {
            p = tc_first_page_slow(v->h->run, address, write);
        }
        if (p && p->shift > grain) {
            p = tc_first_refine(f, address, grain);
        }
        if (!p) {
            v->bad = true;
            return NULL;
        }
        at = (address - f->near_address) % TC_RACE_PAGE;
        end = at / TC_RACE_LINE * TC_RACE_LINE + TC_RACE_LINE;
        if (!(p->apart >> at / TC_RACE_LINE & 1)) {
            if (!write && p->line[at / TC_RACE_LINE] == TC_FIRST_ALL_MANY) {
                *shift = 2;
                *n = (end - at) / 4;
                return f->many + at % TC_RACE_LINE / 4;
            }
            tc_first_divide(f, p, address);
        }
    }
    *shift = p->shift;
    *n = ((end - at) >> p->shift) + (v->shared != NULL);
    return p->unit + (at >> p->shift);
}

static inline uint32_t tc_first_grain_of(uint64_t address, uint32_t bytes) {
    uint64_t x = address | bytes | 4;
    return (uint32_t)__builtin_ctzll(x);
}

/* ---- shared memory ---- */

/* The reading threads have written `own` of n units themselves. */
static inline void tc_first_count(const tc_first_visit *v, uint32_t own,
                                  uint32_t n, uint32_t shift) {
    tc_sim_counters *c = &v->h->run->counters;
    c->shared_reads_own += (uint64_t)own << shift;
    c->shared_reads_other += (uint64_t)(n - own) << shift;
}

static inline uint16_t *tc_first_writer_of(const tc_first_visit *v,
                                           const uint64_t *u) {
    return &v->shared->writer[u - v->shared->page->unit];
}

static inline void tc_first_read_at(tc_first_visit *v, uint64_t *u,
                                    uint32_t lane, uint32_t shift) {
    if (v->shared) {
        tc_first_count(
            v, *tc_first_writer_of(v, u) == v->w->index * TC_LANES + lane, 1,
            shift);
    }
    tc_first_read_unit(v, u, lane);
}

static inline void tc_first_write_at(tc_first_visit *v, uint64_t *u,
                                     uint32_t lane) {
    if (v->shared) {
        *tc_first_writer_of(v, u) = (uint16_t)(v->w->index * TC_LANES + lane);
    }
    if (v->who) {
        tc_first_strong_unit(v, u, lane, false);
    } else {
        tc_first_write_unit(v, u, lane);
    }
}

/* ---- units that lie side by side, several at a time: what is done with them
 * where no vector clock need be asked (first_runs.c) ---- */

/* Lanes on units one after the other, each on 1 << log of them; the first one is
 * `lane`. The rest as tc_first_visit has it. */
typedef struct tc_first_lanes {
    uint32_t mine, start, known, none, lane, log;
    bool shared, alone, simple, solo;
} tc_first_lanes;

/* Each returns how many of n units it has done, from the first one on: the next
 * one is no simple case. */
uint32_t tc_first_runs_read(uint64_t *u, uint32_t n, const tc_first_lanes *l);
uint32_t tc_first_runs_write(uint64_t *u, uint32_t n, const tc_first_lanes *l);
/* How many of n units the thread that reads them has written itself; thread: of
 * the first one. */
uint32_t tc_first_runs_own(const uint16_t *writer, uint32_t n, uint32_t thread,
                           uint32_t log);
void tc_first_runs_written(uint16_t *writer, uint32_t n, uint32_t thread,
                           uint32_t log);

#endif

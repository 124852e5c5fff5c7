/* hazard.c - accesses against the shadow. */
#include "sim/hazard.h"
#include "sim/shadow.h"
#include <stdlib.h>
#include <string.h>

/* One access of one lane while its cells are visited. */
typedef struct tc_visit {
    tc_hazard *h;
    tc_cta *cta;
    uint32_t record;
    int lane;
    tc_finding place;
    uint32_t seen_record; /* last conflict: one access, one report */
    int seen_lane;
} tc_visit;

static uint32_t thread_of(const tc_hz_record *r, int lane) {
    return (uint32_t)r->warp * TC_LANES + (uint32_t)lane;
}

/* Record a of that lane precedes the visit. */
static bool precedes(const tc_visit *v, uint32_t a, int lane) {
    const tc_hz_record *x = &v->h->records[a];
    const tc_hz_record *me = &v->h->records[v->record];
    if (x->cta != me->cta) {
        return false;
    }
    uint32_t mine = thread_of(me, v->lane), its = thread_of(x, lane);
    if (x->copy) {
        uint32_t done = x->copy->done[lane];
        return done && tc_hazard_knows(v->cta->hz, mine, its, done);
    }
    return tc_hazard_knows(v->cta->hz, mine, its,
                           x->clocks ? x->clocks[lane] : x->clock);
}

static bool seen(tc_visit *v, uint32_t record, int lane) {
    bool s = v->seen_record == record && v->seen_lane == lane;
    v->seen_record = record;
    v->seen_lane = lane;
    return s;
}

static void uninitialized(tc_hazard *h, const tc_finding *place, uint32_t rec,
                          int lane, uint32_t lanes) {
    const tc_hz_record *r = &h->records[rec];
    tc_finding f = *place;
    f.kind = TC_FINDING_UNINITIALIZED_READ;
    f.at = (tc_access){.valid = true,
                       .op = r->op,
                       .cta = r->cta,
                       .warp = r->warp,
                       .lane = (uint32_t)lane,
                       .cycle = r->cycle,
                       .group = -2};
    f.lanes = lanes;
    tc_find(h->run, &f);
}

static void read_cell(tc_visit *v, tc_hz_cell *c, bool shared, uint32_t bytes) {
    tc_sim_counters *n = &v->h->run->counters;
    int wlane = (int)c->lane;
    if (c->writer) {
        const tc_hz_record *x = &v->h->records[c->writer];
        const tc_hz_record *me = &v->h->records[v->record];
        if (shared && thread_of(x, wlane) == thread_of(me, v->lane)) {
            n->shared_reads_own += bytes;
        } else if (shared) {
            n->shared_reads_other += bytes;
        }
        if (!precedes(v, c->writer, wlane) && !seen(v, c->writer, wlane)) {
            tc_hazard_read_write(v->h, v->cta, &v->place, v->record, v->lane,
                                 c->writer, wlane, false);
        }
    }
    tc_hz_add_reader(v->h, c, v->record, v->lane);
}

/* Readers of a cell that is about to be written. */
static void check_readers(tc_visit *v, const tc_hz_cell *c, uint32_t record,
                          uint32_t mask, bool shared) {
    for (; mask; mask &= mask - 1) {
        int lane = tc_first(mask);
        if (precedes(v, record, lane)) {
            if (shared && !c->writer) {
                uninitialized(v->h, &v->place, record, lane, 1);
            }
        } else if (record != v->record && !seen(v, record, lane)) {
            tc_hazard_read_write(v->h, v->cta, &v->place, record, lane,
                                 v->record, v->lane, true);
        }
    }
}

static void write_cell(tc_visit *v, tc_hz_cell *c, bool shared) {
    tc_hazard *h = v->h;
    bool copy = h->records[v->record].copy != NULL;
    if (c->writer && (c->writer != v->record || (copy && shared)) &&
        !(c->writer == v->record && (int)c->lane == v->lane) &&
        !precedes(v, c->writer, (int)c->lane) &&
        !seen(v, c->writer, (int)c->lane)) {
        tc_hazard_write_write(h, &v->place, c->writer, (int)c->lane, v->record,
                              v->lane);
    }
    check_readers(v, c, c->reader, c->rmask, shared);
    for (uint32_t i = c->more; i; i = h->readers[i].next) {
        check_readers(v, c, h->readers[i].record, h->readers[i].mask, shared);
    }
    tc_hz_clear_readers(h, c);
    c->writer = v->record;
    c->lane = (uint32_t)v->lane;
}

static void visit(tc_hazard *h, tc_warp *w, uint32_t record, int lane,
                  tc_ptx_space space, uint64_t address, uint32_t bytes,
                  bool store) {
    tc_visit v = {
        .h = h,
        .cta = w->cta,
        .record = record,
        .lane = lane,
        .place = {.space = space, .address = address, .bytes = bytes}};
    bool shared = space == TC_PS_SHARED;
    uint64_t offset = address;
    uint32_t n;
    tc_hz_shadow *s =
        shared ? &w->cta->hz->shared : tc_hz_global(h, address, &offset);
    tc_hz_cell *c = tc_hz_cells(h, s, offset, bytes, &n);
    uint32_t cell = UINT32_C(1) << s->shift;
    for (uint32_t i = 0; i < n; i++) {
        v.place.from = i * cell;
        v.place.to = (i + 1) * cell < bytes ? (i + 1) * cell : bytes;
        if (store) {
            write_cell(&v, &c[i], shared);
        } else {
            read_cell(&v, &c[i], shared, v.place.to - v.place.from);
        }
    }
}

/* Local memory is a thread's own: only reads of what it never wrote. */
static void visit_local(tc_warp *w, const tc_ptx_op *op, int lane,
                        uint64_t address, uint32_t bytes, bool store) {
    tc_cta *c = w->cta;
    uint64_t t = (uint64_t)w->index * TC_LANES + (uint64_t)lane;
    uint8_t *b = c->hz->local + t * c->local_bytes + address;
    if (store) {
        memset(b, 1, bytes);
        return;
    }
    const uint8_t *bad = memchr(b, 0, bytes);
    if (bad) {
        tc_finding f = {.kind = TC_FINDING_UNINITIALIZED_READ,
                        .space = TC_PS_LOCAL,
                        .address = address,
                        .bytes = bytes,
                        .from = (uint32_t)(bad - b),
                        .to = bytes,
                        .at = tc_access_of(w, op, lane)};
        tc_find(c->run, &f);
    }
}

void tc_hazard_access(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                      uint32_t mask, const uint64_t *addr, uint32_t bytes,
                      bool store) {
    tc_hazard *h = w->cta->run->hazard;
    if (space == TC_PS_LOCAL) {
        for (uint32_t m = mask; m; m &= m - 1) {
            visit_local(w, op, tc_first(m), addr[tc_first(m)], bytes, store);
        }
        return;
    }
    uint32_t record = tc_hz_add_record(h, w, op, mask, NULL);
    bool strong = h->records[record].strong;
    if (strong && !store) {
        tc_hazard_strong(w, op, space, mask, addr, false);
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first(m);
        visit(h, w, record, i, space, addr[i], bytes, store);
    }
    if (strong && store) {
        tc_hazard_strong(w, op, space, mask, addr, true);
    }
}

/* ---- cp.async ---- */

void tc_hazard_copy(tc_warp *w, tc_batch *b) {
    tc_hazard *h = w->cta->run->hazard;
    tc_hz_copy *k = tc_xcalloc(1, sizeof *k);
    for (int i = 0; i < TC_LANES; i++) {
        k->group[i] = -1;
    }
    k->warp = w;
    k->issue = tc_access_of(w, b->op, tc_first(b->mask));
    k->next = h->copies;
    h->copies = k;
    b->hz = k;
    uint32_t record = tc_hz_add_record(h, w, b->op, b->mask, k);
    for (uint32_t m = b->mask; m; m &= m - 1) {
        int i = tc_first(m);
        if (b->src_size[i]) {
            visit(h, w, record, i, TC_PS_GLOBAL, b->src[i], b->src_size[i],
                  false);
        }
        visit(h, w, record, i, TC_PS_SHARED, b->dst[i], b->op->size, true);
    }
}

void tc_hazard_commit(tc_batch *b, uint32_t lanes) {
    for (uint32_t m = lanes; m; m &= m - 1) {
        b->hz->group[tc_first(m)] = b->group[tc_first(m)];
    }
}

void tc_hazard_wait(tc_warp *w, const tc_ptx_op *op, tc_batch *b,
                    uint32_t lanes, uint32_t mask, int64_t n) {
    tc_hz_copy *k = b->hz;
    (void)n;
    for (uint32_t m = mask & b->mask & ~(b->done & ~lanes); m; m &= m - 1) {
        int i = tc_first(m);
        uint32_t bit = UINT32_C(1) << i;
        if (lanes & bit) {
            uint32_t t = w->index * TC_LANES + (uint32_t)i;
            k->done[i] = w->cta->hz->clock[t];
            tc_hazard_settle(w->cta->run->hazard, k, i, true);
        } else {
            k->waited |= bit;
            if (k->group[i] >= 0) {
                k->wait = tc_access_of(w, op, i);
                k->wait_lanes |= bit;
                k->wait_ncommit[i] = w->core->ncommit[i];
            }
        }
    }
}

/* ---- the end of a CTA ---- */

static void settle_copies(tc_hazard *h, tc_cta *c) {
    tc_hz_copy **at = &h->copies;
    while (*at) {
        tc_hz_copy *k = *at;
        if (k->warp->cta != c) {
            at = &k->next;
            continue;
        }
        while (k->pending) {
            tc_hazard_settle(h, k, k->pending->lane, false);
        }
        *at = k->next;
        free(k);
    }
}

static void check_unwritten(tc_hazard *h, tc_cta *c) {
    const tc_hz_shadow *s = &c->hz->shared;
    for (uint64_t i = 0; s->cells && i < s->bytes >> s->shift; i++) {
        tc_hz_cell *e = &s->cells[i];
        if (!e->writer && e->rmask) {
            tc_finding place = {.space = TC_PS_SHARED,
                                .address = i << s->shift,
                                .bytes = UINT32_C(1) << s->shift,
                                .to = UINT32_C(1) << s->shift};
            uninitialized(h, &place, e->reader, tc_first(e->rmask),
                          tc_popc(e->rmask));
        }
        tc_hz_clear_readers(h, e);
    }
}

void tc_hazard_finish(tc_cta *c) {
    tc_hazard *h = c->run->hazard;
    check_unwritten(h, c);
    settle_copies(h, c);
    for (uint32_t i = 1; i < h->nrecords; i++) {
        if (h->records[i].cta == c->index) {
            h->records[i].copy = NULL;
        }
    }
}

/* classify.c - names for a pair of accesses that nothing orders.
 *
 * Which of a pair came first in this schedule must not matter. So the pair is
 * looked at as (reader, writer), and which was meant to come first is asked of
 * the program: the access that stands earlier in its stretch between two
 * barriers. A read of a copy that has not completed waits for the next step: if
 * the copy's issuer waits before it meets another barrier, only the barrier was
 * missing (read-before-barrier); else the wait was. */
#include "sim/core/finding.h"
#include "sim/race/visit.h"
#include <stdlib.h>

static tc_access access_of(const tc_race *h, uint32_t record, int lane) {
    const tc_shadow_record *r = tc_shadow_record_of(h, record);
    int32_t group = -2;
    if (r->flags & TC_RACE_COPY) {
        group = ((const tc_race_copy *)r->async)->group[lane];
    }
    return (tc_access){.valid = true,
                       .op = r->op,
                       .cta = r->cta,
                       .warp = r->warp,
                       .lane = (uint32_t)lane,
                       .cycle = record == h->now ? h->run->cycle : r->cycle,
                       .group = group};
}

static tc_race_copy *copy_of(const tc_shadow_record *r) {
    return r->flags & TC_RACE_COPY ? r->async : NULL;
}

static tc_race_agent *agent_of(const tc_shadow_record *r) {
    return r->flags & TC_RACE_AGENT ? r->async : NULL;
}

static uint32_t committed_now(const tc_race_copy *k, int lane) {
    return k->dead ? 0 : k->warp->core->ncommit[lane];
}

static void swap(tc_finding *f) {
    tc_access t = f->at;
    f->reader_first = false;
    f->at = f->cause;
    f->cause = t;
}

/* The missing line for a copy that is not complete for its issuer; committed:
 * the groups it had committed when the access was made. */
static void name_missing(tc_finding *f, const tc_race_copy *k, int lane,
                         uint32_t committed) {
    int32_t g = k->group[lane];
    bool waited = (k->waited >> lane & 1) != 0;
    f->cause.group = g;
    if (k->signals >> lane & 1) {
        f->kind = TC_FINDING_READ_BEFORE_COMPLETE;
        f->missing = TC_MISSING_PHASE_WAIT;
        return;
    }
    if (g < 0) {
        f->kind = waited ? TC_FINDING_UNCOMMITTED_GROUP
                         : TC_FINDING_READ_BEFORE_COMPLETE;
        f->missing = waited ? TC_MISSING_COMMIT : TC_MISSING_COMMIT_AND_WAIT;
        return;
    }
    f->kind = TC_FINDING_READ_BEFORE_COMPLETE;
    if (k->wait_lanes >> lane & 1) {
        f->missing = TC_MISSING_WAIT_LESS;
        f->other = k->wait;
        f->missing_n = (int64_t)k->wait_ncommit[lane] - 1 - g;
    } else {
        f->missing = TC_MISSING_WAIT;
        f->missing_n = (int64_t)committed - 1 - g;
    }
}

/* ---- accesses that wait for their name ---- */

/* Barriers that the thread has passed. */
static uint32_t phases_of(const tc_race *h, const tc_shadow_record *r,
                          int lane) {
    for (const tc_race_cta *z = h->ctas; z; z = z->next) {
        if (z->cta->index == r->cta) {
            return z->warps[r->warp].phase[lane];
        }
    }
    return 0;
}

static void defer(tc_race_pending **list, int lane, const tc_finding *f,
                  uint32_t phase, uint32_t committed, bool source) {
    for (tc_race_pending *p = *list; p; p = p->next) {
        if (p->f.at.op == f->at.op && p->lane == lane) {
            return;
        }
    }
    tc_race_pending *p = tc_xcalloc(1, sizeof *p);
    p->f = *f;
    p->phase = phase;
    p->committed = committed;
    p->lane = lane;
    p->source = source;
    p->next = *list;
    *list = p;
}

void tc_race_settle_copy(tc_race_copy *k, int lane, bool waited) {
    tc_race_pending **at = &k->pending;
    const tc_race_warp *hw = tc_race_warp_of(k->warp);
    while (*at) {
        tc_race_pending *p = *at;
        if (p->lane != lane) {
            at = &p->next;
            continue;
        }
        tc_finding f = p->f;
        f.cause = k->issue;
        f.cause.lane = (uint32_t)lane;
        f.cause.group = k->group[lane];
        if (waited && hw->phase[lane] <= p->phase) {
            f.kind = TC_FINDING_READ_BEFORE_BARRIER;
            f.missing = TC_MISSING_BARRIER;
        } else {
            name_missing(&f, k, lane, p->committed);
        }
        tc_race_find(k->warp->cta->run, &f);
        *at = p->next;
        free(p);
    }
}

/* The missing line for a transfer that is not complete: all of it, or (read)
 * its reading. True: it was never committed. */
static bool name_agent(tc_finding *f, const tc_race_agent *g, bool read) {
    tc_ptx_effect effect = tc_ptx_effect_of(g->issue.op);
    f->missing = read ? TC_MISSING_BULK_WAIT_READ : TC_MISSING_BULK_WAIT;
    if (effect == TC_PTX_EFFECT_TMEM_LOAD ||
        effect == TC_PTX_EFFECT_TMEM_STORE) {
        f->missing = TC_MISSING_TENSOR_WAIT;
    } else if (effect == TC_PTX_EFFECT_ASYNC_MMA) {
        f->missing = TC_MISSING_WGMMA_WAIT;
        f->missing_n = !g->committed;
    } else if (effect == TC_PTX_EFFECT_TMEM_COPY && !g->nsignals) {
        f->missing = TC_MISSING_TENSOR_COMMIT;
    } else if (g->nsignals) {
        f->missing = TC_MISSING_PHASE_WAIT;
    } else if (!g->committed) {
        f->missing = g->missed ? TC_MISSING_BULK_COMMIT
                               : TC_MISSING_BULK_COMMIT_AND_WAIT;
        return g->missed;
    } else if (g->missed) {
        f->missing = TC_MISSING_BULK_LESS;
        f->missing_n = g->leave;
        f->other = g->miss;
    }
    return false;
}

/* What a use of the transfer's bytes is called: too early, or never waited. */
static void name_use(tc_finding *f, const tc_race_agent *g, bool read,
                     tc_finding_kind kind) {
    f->kind = name_agent(f, g, read) ? TC_FINDING_UNCOMMITTED_GROUP : kind;
}

static bool same_place(const tc_access *a, const tc_access *b) {
    return a->cta == b->cta && a->warp == b->warp && a->lane == b->lane;
}

/* waiter NULL: nobody waited. sources: only the reading is known to be over. */
void tc_race_settle_agent(tc_race_agent *g, const tc_warp *waiter, int lane,
                          bool sources) {
    tc_race_pending **at = &g->pending;
    while (*at) {
        tc_race_pending *p = *at;
        if (sources && !p->source) {
            at = &p->next;
            continue;
        }
        tc_finding f = p->f;
        tc_finding_kind kind = f.kind;
        tc_access by = {.lane = (uint32_t)lane};
        if (waiter) {
            by = tc_access_of(waiter, g->issue.op, lane);
        }
        name_use(&f, g, p->source, kind);
        if (waiter && !same_place(&by, &f.at) &&
            tc_race_warp_of(waiter)->phase[lane] <= p->phase) {
            f.kind = kind == TC_FINDING_READ_BEFORE_COMPLETE
                         ? TC_FINDING_READ_BEFORE_BARRIER
                         : kind;
            f.missing = TC_MISSING_BARRIER;
        }
        tc_race_find(g->h->run, &f);
        *at = p->next;
        free(p);
    }
}

/* A use of g's bytes that was not in order; by: who made it, the finding's
 * `at`. done: g is over for somebody. */
static void use_of_agent(tc_race *h, tc_finding *f, tc_race_agent *g,
                         const tc_shadow_record *by, bool source) {
    bool done = g->done || g->waited || (source && g->read_done);
    if (done) {
        f->kind = f->kind == TC_FINDING_READ_BEFORE_COMPLETE
                      ? TC_FINDING_READ_BEFORE_BARRIER
                      : f->kind;
        f->missing = TC_MISSING_BARRIER;
        tc_race_find(h->run, f);
    } else if (same_place(&f->at, &g->issue) || g->freed || !g->warp ||
               (by->flags & TC_RACE_AGENT)) {
        name_use(f, g, source, f->kind);
        tc_race_find(h->run, f);
    } else {
        defer(&g->pending, (int)g->issue.lane, f,
              phases_of(h, by, (int)f->at.lane), 0, source);
    }
}

/* ---- reader and writer ---- */

static bool same_thread(const tc_shadow_record *a, int la,
                        const tc_shadow_record *b, int lb) {
    return a->cta == b->cta && a->warp == b->warp && la == lb;
}

static void overwrite_before_read(tc_race *h, tc_finding *f) {
    f->kind = TC_FINDING_OVERWRITE_BEFORE_READ;
    tc_race_find(h->run, f);
}

/* A copy's write and a load that it is not complete for. f: at the reader,
 * cause the writer. */
static void read_of_copy(tc_race_visit *v, tc_finding *f, uint32_t reader,
                         int rlane, uint32_t writer, int wlane,
                         bool read_first) {
    tc_race *h = v->h;
    const tc_shadow_record *rd = tc_shadow_record_of(h, reader);
    const tc_shadow_record *wr = tc_shadow_record_of(h, writer);
    tc_race_copy *k = wr->async;
    uint32_t t = wr->warp * TC_LANES + (uint32_t)wlane;
    bool same = same_thread(rd, rlane, wr, wlane);
    bool issued = !read_first &&
                  (same || tc_vclock_covers_threads(v->vclock[rlane], wr->cta,
                                                    t, 1, wr->clock));
    if (!issued && rd->position < wr->position &&
        !(read_first && v->unwritten)) {
        swap(f);
        f->missing = TC_MISSING_BARRIER;
        overwrite_before_read(h, f);
    } else if (k->done[wlane]) {
        f->kind = TC_FINDING_READ_BEFORE_BARRIER;
        f->missing = TC_MISSING_BARRIER;
        tc_race_find(h->run, f);
    } else if (same || k->dead) {
        name_missing(f, k, wlane, committed_now(k, wlane));
        tc_race_find(h->run, f);
    } else {
        defer(&k->pending, wlane, f, phases_of(h, rd, rlane),
              committed_now(k, wlane), false);
    }
}

/* The same for a transfer. A reader that has waited for an earlier phase of
 * its barrier, and does not know that this one was issued, wanted what was
 * there before: then the transfer came too early, not the reader. */
static void read_of_agent(tc_race_visit *v, tc_finding *f, uint32_t reader,
                          int rlane, uint32_t writer, bool read_first) {
    tc_race *h = v->h;
    const tc_shadow_record *rd = tc_shadow_record_of(h, reader);
    const tc_shadow_record *wr = tc_shadow_record_of(h, writer);
    tc_race_agent *g = wr->async;
    bool same = same_thread(rd, rlane, wr, (int)g->issue.lane);
    bool early = read_first && !v->unwritten;
    if (!read_first) {
        const tc_vclock *k = v->vclock[rlane];
        uint32_t t = wr->warp * TC_LANES + g->issue.lane;
        for (uint32_t i = 0; i < g->nsignals; i++) {
            early |= tc_vclock_phases(k, g->signal[i].barrier) > 0;
        }
        early = early && g->over && !same &&
                !tc_vclock_covers_threads(k, wr->cta, t, 1, g->issued);
    }
    if (early) {
        swap(f);
        f->missing = rd->cta == wr->cta ? TC_MISSING_EMPTY_WAIT
                                        : TC_MISSING_CLUSTER_BARRIER;
        overwrite_before_read(h, f);
    } else {
        f->kind = TC_FINDING_READ_BEFORE_COMPLETE;
        use_of_agent(h, f, g, rd, false);
    }
}

static tc_missing missing_order(const tc_race_visit *v,
                                const tc_shadow_record *a,
                                const tc_shadow_record *b) {
    if (a->cta == b->cta) {
        return TC_MISSING_BARRIER;
    }
    if (a->flags & b->flags & TC_RACE_STRONG) {
        return TC_MISSING_SCOPE;
    }
    return v->space == TC_PS_SHARED ? TC_MISSING_CLUSTER_BARRIER
                                    : TC_MISSING_NOTHING;
}

/* What would order a and b; earlier: the one of them that is no visitor. */
static void name_order(const tc_race_visit *v, tc_finding *f,
                       const tc_shadow_record *a, const tc_shadow_record *b,
                       const tc_shadow_record *earlier, int lane) {
    f->missing = missing_order(v, a, b);
    if (v->took.valid) {
        f->missing = TC_MISSING_FENCE_AFTER;
        f->other = v->took;
    } else if (f->missing == TC_MISSING_NOTHING) {
        tc_race_flag_missing(v, f, earlier, lane);
    }
}

/* A write to what an asynchronous read (of r) has as its source. */
static void over_source(tc_race *h, tc_finding *f, const tc_shadow_record *rd,
                        int rlane, const tc_shadow_record *wr, int wlane) {
    f->kind = TC_FINDING_OVERWRITE_IN_FLIGHT;
    if (agent_of(rd)) {
        use_of_agent(h, f, agent_of(rd), wr, true);
        return;
    }
    if (same_thread(rd, rlane, wr, wlane)) {
        name_missing(f, copy_of(rd), rlane, committed_now(copy_of(rd), rlane));
        f->kind = TC_FINDING_OVERWRITE_IN_FLIGHT;
    }
    tc_race_find(h->run, f);
}

/* A wgmma that nobody knows to be over; of another warp, a transfer's write
 * comes too early rather. */
static bool product_goes_on(const tc_shadow_record *rd,
                            const tc_shadow_record *wr) {
    const tc_race_agent *g = agent_of(rd);
    bool own = rd->cta == wr->cta && rd->warp == wr->warp;
    return g && tc_ptx_effect_of(g->issue.op) == TC_PTX_EFFECT_ASYNC_MMA &&
           !g->waited && !g->done && (own || !agent_of(wr));
}

void tc_race_read_write(tc_race_visit *v, const tc_finding *place,
                        uint32_t reader, int rlane, uint32_t writer, int wlane,
                        bool read_first) {
    tc_race *h = v->h;
    const tc_shadow_record *rd = tc_shadow_record_of(h, reader);
    const tc_shadow_record *wr = tc_shadow_record_of(h, writer);
    tc_finding f = *place;
    bool async_read = (rd->flags & (TC_RACE_COPY | TC_RACE_AGENT)) != 0;
    if (tc_race_both_strong(rd, wr)) {
        return;
    }
    f.at = access_of(h, reader, rlane);
    f.at.some_lane = read_first && v->some_lane;
    f.cause = access_of(h, writer, wlane);
    if (read_first && product_goes_on(rd, wr)) {
        swap(&f);
        over_source(h, &f, rd, rlane, wr, wlane);
        return;
    }
    if (agent_of(wr)) {
        read_of_agent(v, &f, reader, rlane, writer, read_first);
        return;
    }
    if (copy_of(wr) && !copy_of(rd) && wr->cta == rd->cta) {
        read_of_copy(v, &f, reader, rlane, writer, wlane, read_first);
        return;
    }
    bool one = rd->cta == wr->cta;
    bool meant_first = one && rd->position < wr->position;
    bool meant_last = one && rd->position > wr->position &&
                      !same_thread(rd, rlane, wr, wlane);
    name_order(v, &f, rd, wr, read_first ? rd : wr, read_first ? rlane : wlane);
    f.reader_first = meant_first;
    if (async_read && (meant_first || (read_first && !meant_last))) {
        swap(&f);
        over_source(h, &f, rd, rlane, wr, wlane);
        return;
    }
    f.kind = TC_FINDING_DATA_RACE;
    if (f.space == TC_PS_SHARED && meant_first && !v->unwritten) {
        swap(&f);
        f.kind = TC_FINDING_OVERWRITE_BEFORE_READ;
    } else if (one && f.space == TC_PS_SHARED && !async_read) {
        tc_race_idle_wait_found(h, &f, rd, rlane);
    }
    tc_race_find(h->run, &f);
}

/* ---- two writers ---- */

/* A transfer onto one that signals an earlier phase of the same barrier: if
 * somebody read the first one's bytes, the second overwrote them before that,
 * and the read tells; else it overwrote them in flight. */
typedef struct tc_race_doubt {
    struct tc_race_doubt *next;
    tc_finding f;
} tc_race_doubt;

static void doubt(tc_race *h, const tc_finding *f) {
    for (tc_race_doubt *d = h->doubts; d; d = d->next) {
        if (d->f.at.op == f->at.op && d->f.cause.op == f->cause.op) {
            return;
        }
    }
    tc_race_doubt *d = tc_xcalloc(1, sizeof *d);
    d->f = *f;
    d->next = h->doubts;
    h->doubts = d;
}

void tc_race_settle_doubts(tc_race *h) {
    const tc_run *r = h->run;
    while (h->doubts) {
        tc_race_doubt *d = h->doubts;
        bool told = false;
        for (int i = 0; i < r->nfindings; i++) {
            told |= r->findings[i].kind == TC_FINDING_OVERWRITE_BEFORE_READ &&
                    r->findings[i].at.op == d->f.at.op;
        }
        if (!told && r->stopped) { /* nobody came to read it */
            d->f.kind = TC_FINDING_OVERWRITE_BEFORE_READ;
            d->f.missing = TC_MISSING_EMPTY_WAIT;
        }
        if (!told) {
            tc_race_find(h->run, &d->f);
        }
        h->doubts = d->next;
        free(d);
    }
}

void tc_race_write_write(tc_race_visit *v, const tc_finding *place,
                         uint32_t first, int flane, uint32_t second,
                         int slane) {
    tc_race *h = v->h;
    const tc_shadow_record *a = tc_shadow_record_of(h, first);
    const tc_shadow_record *b = tc_shadow_record_of(h, second);
    const tc_race_agent *ga = agent_of(a), *gb = agent_of(b);
    tc_finding f = *place;
    if (tc_race_both_strong(a, b)) {
        return;
    }
    f.cause = access_of(h, first, flane);
    f.at = access_of(h, second, slane);
    name_order(v, &f, a, b, a, flane);
    f.kind = TC_FINDING_DATA_RACE;
    if (ga) {
        f.kind = TC_FINDING_OVERWRITE_IN_FLIGHT;
        if (!gb) {
            use_of_agent(h, &f, agent_of(a), b, false);
            return;
        }
        name_use(&f, ga, false, f.kind);
        if (ga->nsignals &&
            tc_race_agent_completes_on(gb, ga->signal[0].barrier)) {
            doubt(h, &f);
            return;
        }
    } else if (copy_of(a) && a->cta == b->cta) {
        if (!copy_of(a)->done[flane]) {
            name_missing(&f, copy_of(a), flane,
                         committed_now(copy_of(a), flane));
        }
        f.kind = TC_FINDING_OVERWRITE_IN_FLIGHT;
    } else if ((copy_of(b) || gb) && a->cta == b->cta &&
               b->position < a->position) {
        swap(&f);
        f.kind = TC_FINDING_OVERWRITE_IN_FLIGHT;
        if (gb) {
            name_agent(&f, gb, false);
        }
    } else if (a->op == b->op && tc_race_stores_again(v, place, slane)) {
        f.kind = TC_FINDING_SAME_VALUE;
    }
    tc_race_find(h->run, &f);
}

/* ---- the rest ---- */

void tc_race_unfenced(tc_race_visit *v, const tc_finding *place, uint32_t first,
                      int flane, uint32_t second, int slane) {
    tc_finding f = *place;
    f.kind = TC_FINDING_PROXY_FENCE;
    f.missing = TC_MISSING_PROXY_FENCE;
    f.cause = access_of(v->h, first, flane);
    f.at = access_of(v->h, second, slane);
    tc_race_find(v->h->run, &f);
}

/* A read of bytes that a transfer of another thread fills: too early. */
void tc_race_unfilled(tc_race_visit *v, const tc_finding *place,
                      uint32_t record, int lane) {
    tc_finding f = *place;
    f.kind = TC_FINDING_READ_BEFORE_COMPLETE;
    f.at = access_of(v->h, record, lane);
    f.cause = v->agent->issue;
    f.missing = TC_MISSING_PHASE_WAIT;
    tc_race_find(v->h->run, &f);
}

void tc_race_unwritten(tc_race *h, const tc_finding *place, uint32_t record,
                       int lane, uint32_t lanes) {
    tc_finding f = *place;
    f.kind = TC_FINDING_UNINITIALIZED_READ;
    f.at = access_of(h, record, lane);
    f.at.group = -2;
    f.lanes = lanes;
    tc_race_find(h->run, &f);
}

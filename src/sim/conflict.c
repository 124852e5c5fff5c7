/* conflict.c - names for a pair of accesses that nothing orders.
 *
 * Which of a pair came first in this schedule must not matter. So the pair is
 * looked at as (reader, writer), and which was meant to come first is asked of
 * the program: the access that stands earlier in its stretch between two
 * barriers. A read of a copy that has not completed for its issuer waits for
 * the issuer's next step: if it waits before it meets another barrier, only
 * the barrier was missing (read-before-barrier); else the wait was. */
#include "sim/hazard.h"
#include <stdlib.h>

static tc_access access_of(const tc_hazard *h, uint32_t record, int lane) {
    const tc_hz_record *r = &h->records[record];
    return (tc_access){.valid = true,
                       .op = r->op,
                       .cta = r->cta,
                       .warp = r->warp,
                       .lane = (uint32_t)lane,
                       .cycle = r->cycle,
                       .group = r->copy ? r->copy->group[lane] : -2};
}

static uint32_t committed_now(const tc_hz_copy *k, int lane) {
    return k->warp->core->ncommit[lane];
}

/* The missing line for a copy that is not complete for its issuer; committed:
 * the groups it had committed when the access was made. */
static void name_missing(tc_finding *f, const tc_hz_copy *k, int lane,
                         uint32_t committed) {
    int32_t g = k->group[lane];
    bool waited = (k->waited >> lane & 1) != 0;
    f->cause.group = g;
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

/* A read by another thread while the copy is in flight. */
static void defer(tc_hz_copy *k, int lane, const tc_finding *place,
                  tc_access reader, uint32_t phase) {
    for (tc_hz_pending *p = k->pending; p; p = p->next) {
        if (p->reader.op == reader.op && p->lane == lane) {
            return;
        }
    }
    tc_hz_pending *p = tc_xcalloc(1, sizeof *p);
    p->reader = reader;
    p->phase = phase;
    p->committed = committed_now(k, lane);
    p->lane = lane;
    p->address = place->address;
    p->bytes = place->bytes;
    p->next = k->pending;
    k->pending = p;
}

void tc_hazard_settle(tc_hazard *h, tc_hz_copy *k, int lane, bool waited) {
    tc_hz_pending **at = &k->pending;
    tc_hz_cta *z = k->warp->cta->hz;
    while (*at) {
        tc_hz_pending *p = *at;
        if (p->lane != lane) {
            at = &p->next;
            continue;
        }
        uint32_t t = k->warp->index * TC_LANES + (uint32_t)lane;
        tc_finding f = {.space = TC_PS_SHARED,
                        .address = p->address,
                        .bytes = p->bytes,
                        .to = p->bytes,
                        .at = p->reader,
                        .cause = k->issue};
        f.cause.lane = (uint32_t)lane;
        f.cause.group = k->group[lane];
        if (waited && z->phase[t] <= p->phase) {
            f.kind = TC_FINDING_READ_BEFORE_BARRIER;
            f.missing = TC_MISSING_BARRIER;
        } else {
            name_missing(&f, k, lane, p->committed);
        }
        tc_find(h->run, &f);
        *at = p->next;
        free(p);
    }
}

static bool same_thread(const tc_hz_record *a, int la, const tc_hz_record *b,
                        int lb) {
    return a->cta == b->cta && a->warp == b->warp && la == lb;
}

static uint32_t clock_of(const tc_hz_record *r, int lane) {
    return r->clocks ? r->clocks[lane] : r->clock;
}

/* A copy's write and a load that it is not complete for. */
static void read_of_copy(tc_hazard *h, tc_cta *c, tc_finding *f,
                         uint32_t reader, int rlane, uint32_t writer, int wlane,
                         bool read_first) {
    const tc_hz_record *rd = &h->records[reader], *wr = &h->records[writer];
    tc_hz_copy *k = wr->copy;
    tc_hz_cta *z = c->hz;
    uint32_t rt = (uint32_t)rd->warp * TC_LANES + (uint32_t)rlane;
    uint32_t wt = (uint32_t)wr->warp * TC_LANES + (uint32_t)wlane;
    bool issued =
        !read_first && tc_hazard_knows(z, rt, wt, clock_of(wr, wlane));
    f->at = access_of(h, reader, rlane);
    f->cause = access_of(h, writer, wlane);
    if (!issued && rd->position < wr->position) {
        tc_access t = f->at;
        f->at = f->cause;
        f->cause = t;
        f->kind = TC_FINDING_OVERWRITE_BEFORE_READ;
        f->missing = TC_MISSING_BARRIER;
        tc_find(h->run, f);
    } else if (k->done[wlane]) {
        f->kind = TC_FINDING_READ_BEFORE_BARRIER;
        f->missing = TC_MISSING_BARRIER;
        tc_find(h->run, f);
    } else if (rt == wt) {
        name_missing(f, k, wlane, committed_now(k, wlane));
        tc_find(h->run, f);
    } else {
        defer(k, wlane, f, f->at, z->phase[rt]);
    }
}

void tc_hazard_read_write(tc_hazard *h, tc_cta *c, const tc_finding *place,
                          uint32_t reader, int rlane, uint32_t writer,
                          int wlane, bool read_first) {
    const tc_hz_record *rd = &h->records[reader], *wr = &h->records[writer];
    tc_finding f = *place;
    if (rd->strong && wr->strong) {
        return;
    }
    if (wr->copy && !rd->copy && wr->cta == rd->cta) {
        read_of_copy(h, c, &f, reader, rlane, writer, wlane, read_first);
        return;
    }
    tc_access r = access_of(h, reader, rlane), w = access_of(h, writer, wlane);
    bool meant_first = rd->cta == wr->cta && rd->position < wr->position;
    f.missing = TC_MISSING_BARRIER;
    f.at = w;
    f.cause = r;
    if (rd->copy && (read_first || meant_first)) {
        /* The source of a copy in flight is overwritten. */
        f.kind = TC_FINDING_OVERWRITE_IN_FLIGHT;
        if (same_thread(rd, rlane, wr, wlane)) {
            name_missing(&f, rd->copy, rlane, committed_now(rd->copy, rlane));
            f.kind = TC_FINDING_OVERWRITE_IN_FLIGHT;
        }
    } else if (f.space == TC_PS_SHARED && meant_first) {
        f.kind = TC_FINDING_OVERWRITE_BEFORE_READ;
    } else {
        f.kind = TC_FINDING_DATA_RACE;
        f.at = r;
        f.cause = w;
        f.missing =
            rd->cta == wr->cta ? TC_MISSING_BARRIER : TC_MISSING_NOTHING;
    }
    tc_find(h->run, &f);
}

void tc_hazard_write_write(tc_hazard *h, const tc_finding *place,
                           uint32_t first, int flane, uint32_t second,
                           int slane) {
    const tc_hz_record *a = &h->records[first], *b = &h->records[second];
    tc_finding f = *place;
    if (a->strong && b->strong) {
        return;
    }
    f.cause = access_of(h, first, flane);
    f.at = access_of(h, second, slane);
    f.missing = a->cta == b->cta ? TC_MISSING_BARRIER : TC_MISSING_NOTHING;
    f.kind = TC_FINDING_DATA_RACE;
    if (a->copy && a->cta == b->cta) {
        if (!a->copy->done[flane]) {
            name_missing(&f, a->copy, flane, committed_now(a->copy, flane));
        }
        f.kind = TC_FINDING_OVERWRITE_IN_FLIGHT;
    } else if (b->copy && a->cta == b->cta && b->position < a->position) {
        tc_access t = f.at;
        f.at = f.cause;
        f.cause = t;
        f.kind = TC_FINDING_OVERWRITE_IN_FLIGHT;
    }
    tc_find(h->run, &f);
}

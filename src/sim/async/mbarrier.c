/* mbarrier.c - the mbarrier object: its bits, its phases (PTX ISA 9.7.13.15.1
 * to 9.7.13.15.8), and what is wrong with its use. */
#include "sim/async/mbarrier.h"
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/race/race.h"
#include "sim/timing/timing.h"
#include <stdlib.h>
#include <string.h>

/* Bits 0-19 pending arrivals, 20-39 expected arrivals of the next phase, 40-60
 * tx-count in two's complement, 63 the phase's parity. The ISA leaves the
 * format open (9.7.13.15.1). */
enum { EXPECTED_AT = 20, TX_AT = 40, TX_BITS = 21, PARITY_AT = 63 };

tc_mbarrier_state tc_mbarrier_unpack(uint64_t bits) {
    uint32_t tx = (uint32_t)(bits >> TX_AT) & ((1u << TX_BITS) - 1);
    int32_t sign = 1 << (TX_BITS - 1);
    return (tc_mbarrier_state){.pending = (uint32_t)bits & TC_MBARRIER_MAX,
                               .expected = (uint32_t)(bits >> EXPECTED_AT) &
                                           TC_MBARRIER_MAX,
                               .tx = ((int32_t)tx ^ sign) - sign,
                               .parity = bits >> PARITY_AT & 1};
}

static uint64_t pack(const tc_mbarrier_state *s) {
    uint64_t tx = (uint32_t)s->tx & ((1u << TX_BITS) - 1);
    return s->pending | (uint64_t)s->expected << EXPECTED_AT | tx << TX_AT |
           (uint64_t)s->parity << PARITY_AT;
}

/* A token: bits 0-19 the pending count before the arrival, the phase's ordinal
 * from bit 20 on. */
uint64_t tc_mbarrier_token(const tc_mbarrier *m, uint64_t bits) {
    return tc_mbarrier_unpack(bits).pending | (uint64_t)m->phase << 20;
}

uint32_t tc_mbarrier_token_phase(uint64_t token) {
    return (uint32_t)(token >> 20);
}

uint32_t tc_mbarrier_token_pending(uint64_t token) {
    return (uint32_t)token & TC_MBARRIER_MAX;
}

/* ---- the table of a CTA: open addressing by offset ---- */

struct tc_mbarrier_table {
    tc_mbarrier *slots;
    uint32_t n, cap; /* cap a power of two */
};

static tc_mbarrier *slot_of(const struct tc_mbarrier_table *t,
                            uint32_t offset) {
    uint32_t i = offset / 8 * UINT32_C(2654435769) & (t->cap - 1);
    while (t->slots[i].used && t->slots[i].offset != offset) {
        i = (i + 1) & (t->cap - 1);
    }
    return &t->slots[i];
}

static void grow(struct tc_mbarrier_table *t) {
    struct tc_mbarrier_table old = *t;
    t->cap = old.cap ? old.cap * 2 : 16;
    t->slots = tc_xcalloc(t->cap, sizeof *t->slots);
    for (uint32_t i = 0; i < old.cap; i++) {
        if (old.slots[i].used) {
            *slot_of(t, old.slots[i].offset) = old.slots[i];
        }
    }
    free(old.slots);
}

static tc_mbarrier *make_entry(tc_mbarrier_ref b) {
    tc_cta *c = b.cta;
    if (!c->mbarriers) {
        c->mbarriers = tc_xcalloc(1, sizeof *c->mbarriers);
    }
    struct tc_mbarrier_table *t = c->mbarriers;
    if (t->n * 2 >= t->cap) {
        grow(t);
    }
    tc_mbarrier *m = slot_of(t, b.offset);
    if (!m->used) {
        m->used = true;
        m->offset = b.offset;
        t->n++;
    }
    return m;
}

tc_mbarrier *tc_mbarrier_entry(tc_mbarrier_ref b) {
    struct tc_mbarrier_table *t = b.cta->mbarriers;
    tc_mbarrier *m = t && t->cap ? slot_of(t, b.offset) : NULL;
    return m && m->used ? m : NULL;
}

void tc_mbarrier_forget(tc_cta *c) {
    if (c->mbarriers) {
        for (uint32_t i = 0; i < c->mbarriers->cap; i++) {
            free(c->mbarriers->slots[i].now.id);
            free(c->mbarriers->slots[i].before.id);
        }
        free(c->mbarriers->slots);
        free(c->mbarriers);
        c->mbarriers = NULL;
    }
}

uint32_t tc_mbarrier_phase(tc_mbarrier_ref b) {
    const tc_mbarrier *m = tc_mbarrier_entry(b);
    return m && m->live ? m->phase : 0;
}

bool tc_mbarrier_find(tc_warp *w, const tc_ptx_op *op, int lane,
                      tc_ptx_space space, uint64_t address,
                      tc_mbarrier_ref *out) {
    tc_resolved p;
    if (!tc_resolve_lane(w, op, space, lane, address, 8, 8, &p)) {
        return false;
    }
    if (p.space != TC_PS_SHARED) {
        tc_finding_fault(w, op, lane, TC_FINDING_OUT_OF_BOUNDS, p.space,
                         address, 8, TC_DETAIL_MBARRIER_SHARED);
        return false;
    }
    *out = (tc_mbarrier_ref){.cta = p.owner, .offset = (uint32_t)p.address};
    const tc_mbarrier *m = tc_mbarrier_entry(*out);
    out->issued = m && m->live ? m->phase + 1 : 0;
    if (p.owner != w->cta) {
        tc_race_remote_access(w, op, lane, p.owner, p.address, 8);
    }
    return true;
}

/* ---- findings ---- */

static tc_finding finding_at(tc_mbarrier_ref b, tc_finding_kind kind,
                             const tc_access *at, tc_missing missing) {
    return (tc_finding){.kind = kind,
                        .space = TC_PS_SHARED,
                        .address = b.offset,
                        .bytes = 8,
                        .to = 8,
                        .at = *at,
                        .lanes = 1,
                        .missing = missing};
}

static void find(tc_run *r, tc_mbarrier_ref b, tc_finding_kind kind,
                 const tc_access *at, const tc_access *cause,
                 tc_missing missing, tc_detail_id detail) {
    tc_finding f = finding_at(b, kind, at, missing);
    f.detail.row = detail;
    f.missing_n = missing == TC_MISSING_IN_RANGE ? TC_MBARRIER_MAX
                  : missing == TC_MISSING_BYTES  ? -1
                                                 : 0;
    if (cause) {
        f.cause = *cause;
    }
    tc_finding_add(r, &f);
}

/* An arrival that the phase does not expect. */
static void find_arrival(tc_run *r, tc_mbarrier_ref b, const tc_mbarrier *m,
                         const tc_access *at, tc_detail_id detail) {
    tc_finding f =
        finding_at(b, TC_FINDING_MBARRIER_COUNT, at, TC_MISSING_FEWER_ARRIVALS);
    f.cause = m->arrive;
    f.other = m->init;
    f.missing_n = m->count;
    f.detail.row = detail;
    tc_finding_add(r, &f);
}

/* Where the hardware's behaviour is undefined, we go no further. */
static void stop(tc_run *r) {
    r->stopped = true;
    r->deadline = 0;
}

tc_mbarrier *tc_mbarrier_use(tc_run *r, tc_mbarrier_ref b,
                             const tc_access *by) {
    tc_mbarrier *m = tc_mbarrier_entry(b);
    if (!m || !m->live) {
        find(r, b, TC_FINDING_MBARRIER_REINIT, by, m ? &m->init : NULL,
             TC_MISSING_INIT,
             m ? TC_DETAIL_MBARRIER_INVALIDATED : TC_DETAIL_MBARRIER_NEVER);
        stop(r);
        return NULL;
    }
    if (memcmp(b.cta->shared + b.offset, &m->bits, 8) != 0) {
        find(r, b, TC_FINDING_MBARRIER_REINIT, by, &m->init,
             TC_MISSING_OWN_BYTES, TC_DETAIL_MBARRIER_OVERWRITTEN);
        stop(r);
        return NULL;
    }
    return m;
}

/* ---- phases ---- */

static void write_bits(tc_mbarrier_ref b, tc_mbarrier *m,
                       const tc_mbarrier_state *s) {
    m->bits = pack(s);
    memcpy(b.cta->shared + b.offset, &m->bits, 8);
}

/* Splits that wait for a phase up to `phase` issue their op again. */
static void wake(tc_mbarrier_ref b, tc_mbarrier *m, uint32_t phase) {
    tc_cta *c = b.cta;
    bool waited = m->waited;
    m->waited = false;
    for (uint32_t i = 0; i < c->nwarps && waited; i++) {
        tc_warp *w = &c->warps[i];
        tc_warp_core *k = w->core;
        for (int j = 0; j < k->nsplit && w->alive; j++) {
            tc_split *s = &k->split[j];
            if (s->state != TC_SPLIT_UNTIL || s->mbarrier != b.offset + 1) {
                continue;
            }
            if (s->mphase > phase) {
                m->waited = true;
                continue;
            }
            k->mb_passed |= s->mask;
            s->mbarrier = 0;
            tc_warp_release(
                w, s,
                c->run->timing ? c->run->cycle + tc_timing_mbarrier(c) : 0);
        }
    }
}

/* 9.7.13.15.4: pending and tx-count are both zero. */
static void settle(tc_run *r, tc_mbarrier_ref b, tc_mbarrier *m,
                   tc_mbarrier_state *s, const tc_access *by) {
    r->progress++;
    if (s->pending || s->tx) {
        write_bits(b, m, s);
        tc_mbarrier_trace_fields(r, b, m);
        return;
    }
    s->pending = s->expected;
    s->parity = !s->parity;
    write_bits(b, m, s);
    m->phase++;
    tc_arrivers old = m->before;
    m->before = m->now;
    m->now = old;
    m->now.n = 0;
    m->announced = m->copied = 0;
    tc_mbarrier_trace_phase(r, b, m->phase - 1, by);
    tc_mbarrier_trace_fields(r, b, m);
    wake(b, m, m->phase - 1);
}

void tc_mbarrier_init(tc_run *r, tc_mbarrier_ref b, uint32_t count,
                      const tc_access *by) {
    tc_mbarrier *m = make_entry(b);
    if (count == 0 || count > TC_MBARRIER_MAX) {
        find(r, b, TC_FINDING_MBARRIER_COUNT, by, NULL, TC_MISSING_IN_RANGE,
             TC_DETAIL_MBARRIER_EXPECTS);
        stop(r);
        return;
    }
    if (m->live) {
        bool all = m->init.op == by->op && m->init.cta == by->cta &&
                   (m->init.warp != by->warp || m->init.lane != by->lane);
        find(r, b, TC_FINDING_MBARRIER_REINIT, by, &m->init,
             all ? TC_MISSING_ONE_INIT : TC_MISSING_INVAL,
             TC_DETAIL_MBARRIER_LIVE);
    }
    tc_arrivers now = m->now, before = m->before;
    now.n = before.n = 0;
    *m = (tc_mbarrier){.used = true,
                       .live = true,
                       .offset = b.offset,
                       .count = count,
                       .init = *by,
                       .now = now,
                       .before = before};
    write_bits(b, m, &(tc_mbarrier_state){.pending = count, .expected = count});
    tc_mbarrier_trace_fields(r, b, m);
    r->progress++;
}

void tc_mbarrier_inval(tc_run *r, tc_mbarrier_ref b, const tc_access *by) {
    tc_mbarrier *m = tc_mbarrier_use(r, b, by);
    if (m) {
        m->live = false;
        m->init = *by;
        tc_mbarrier_trace_fields(r, b, m);
        r->progress++;
    }
}

static void check_tx(tc_run *r, tc_mbarrier_ref b, tc_mbarrier_state *s,
                     int64_t tx, const tc_access *by) {
    if (tx > TC_MBARRIER_MAX || tx < -(int64_t)TC_MBARRIER_MAX) {
        find(r, b, TC_FINDING_MBARRIER_COUNT, by, NULL, TC_MISSING_IN_RANGE,
             TC_DETAIL_MBARRIER_TX);
        tx = tx < 0 ? -(int64_t)TC_MBARRIER_MAX : TC_MBARRIER_MAX;
    }
    s->tx = (int32_t)tx;
}

void tc_mbarrier_expect_tx(tc_run *r, tc_mbarrier_ref b, uint32_t bytes,
                           const tc_access *by) {
    tc_mbarrier *m = tc_mbarrier_use(r, b, by);
    if (!m) {
        return;
    }
    tc_mbarrier_state s = tc_mbarrier_unpack(m->bits);
    check_tx(r, b, &s, s.tx + (int64_t)bytes, by);
    m->announced += bytes;
    m->expect = *by;
    settle(r, b, m, &s, by);
}

void tc_mbarrier_complete_tx(tc_run *r, tc_mbarrier_ref b, uint32_t bytes,
                             const tc_access *by) {
    tc_mbarrier *m = tc_mbarrier_use(r, b, by);
    if (!m) {
        return;
    }
    tc_mbarrier_state s = tc_mbarrier_unpack(m->bits);
    if (b.issued && b.issued <= m->phase) {
        find(r, b, TC_FINDING_TX_COUNT, by, &m->expect, TC_MISSING_BYTES,
             TC_DETAIL_MBARRIER_LATE_BYTES);
    }
    check_tx(r, b, &s, s.tx - (int64_t)bytes, by);
    m->copied += bytes;
    m->complete = *by;
    settle(r, b, m, &s, by);
}

static uint32_t rank_of(const tc_cta *c, uint32_t index) {
    for (uint32_t i = 0; c->peers && i < c->ncluster; i++) {
        if (c->peers[i]->index == index) {
            return i;
        }
    }
    return c->rank;
}

/* For words about a deadlock: who else is to come. */
static void note_arriver(tc_mbarrier_ref b, tc_mbarrier *m,
                         const tc_access *by) {
    tc_arrivers *a = &m->now;
    if (a->n == a->cap && a->cap < 16 * 1024) {
        a->cap = a->cap ? a->cap * 2 : 4;
        a->id = tc_xrealloc(a->id, a->cap * sizeof *a->id);
    }
    if (a->n < a->cap) {
        uint32_t rank =
            by->cta == b.cta->index ? b.cta->rank : rank_of(b.cta, by->cta);
        a->id[a->n++] = rank * 1024 + by->warp * TC_LANES + by->lane;
    }
}

void tc_mbarrier_arrive_on(tc_run *r, tc_mbarrier_ref b, uint32_t count,
                           unsigned how, const tc_access *by,
                           uint64_t *before) {
    tc_mbarrier *m = tc_mbarrier_use(r, b, by);
    *before = 0;
    if (!m) {
        return;
    }
    tc_mbarrier_state s = tc_mbarrier_unpack(m->bits);
    *before = tc_mbarrier_token(m, m->bits);
    if (count == 0 || count > s.pending) {
        find_arrival(r, b, m, by,
                     count == 0 ? TC_DETAIL_MBARRIER_NO_ARRIVAL
                                : TC_DETAIL_MBARRIER_ARRIVALS);
        count = s.pending;
    }
    if ((how & TC_ARRIVE_NO_COMPLETE) && count == s.pending) {
        find(r, b, TC_FINDING_MBARRIER_COUNT, by, &m->arrive,
             TC_MISSING_PLAIN_ARRIVAL, TC_DETAIL_MBARRIER_LAST);
    }
    s.pending -= count;
    if (how & TC_ARRIVE_DROP) {
        s.expected -= count < s.expected ? count : s.expected;
    }
    note_arriver(b, m, by);
    m->arrive = *by;
    settle(r, b, m, &s, by);
}

void tc_mbarrier_raise(tc_run *r, tc_mbarrier_ref b, const tc_access *by) {
    tc_mbarrier *m = tc_mbarrier_use(r, b, by);
    if (!m) {
        return;
    }
    tc_mbarrier_state s = tc_mbarrier_unpack(m->bits);
    if (s.pending == TC_MBARRIER_MAX) {
        find(r, b, TC_FINDING_MBARRIER_COUNT, by, &m->arrive,
             TC_MISSING_IN_RANGE, TC_DETAIL_MBARRIER_PENDING);
        return;
    }
    s.pending++;
    write_bits(b, m, &s);
    tc_mbarrier_trace_fields(r, b, m);
    r->progress++;
}

void tc_mbarrier_arrive(tc_run *r, tc_mbarrier_ref b, uint32_t count,
                        const tc_access *by) {
    uint64_t before;
    tc_mbarrier_arrive_on(r, b, count, 0, by, &before);
}

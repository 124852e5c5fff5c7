/* pairs.c - pairs of accesses to one byte: which precede each other, and which
 * nothing orders. */
#include "sim/core/types.h"
#include "sim/race/race.h"
#include "sim/race/shadow_line.h"

/* ---- order ---- */

/* Is the thread of record x's lane the one that makes this access? */
static bool same_thread(const tc_hz_visit *v, const tc_hz_record *x, int le,
                        int lm) {
    const tc_hz_record *me = tc_hz_record_of(v->h, v->record);
    return !v->agent && x->cta == me->cta && x->warp == me->warp && le == lm;
}

bool tc_hz_agent_signals(const tc_hz_agent *g, uint32_t barrier) {
    for (uint32_t i = 0; i < g->nsignals; i++) {
        if (g->signal[i].barrier == barrier) {
            return true;
        }
    }
    return false;
}

bool tc_hz_agent_known(const tc_hz_agent *g, const tc_hz_know *k,
                       bool reads_only, bool issuer) {
    const tc_access *a = &g->issue;
    uint64_t done = g->done;
    if (!done && reads_only) {
        done = g->read_done;
    }
    uint32_t t = a->warp * TC_LANES + a->lane;
    if (done && (issuer || tc_hz_knows(k, a->cta, t, 1, done))) {
        return true;
    }
    for (uint32_t i = 0; i < g->nsignals; i++) {
        if (tc_hz_phases_known(k, g->signal[i].barrier) > g->signal[i].phase) {
            return true;
        }
    }
    return false;
}

/* The access of record x by lane le precedes that of my lane lm. */
bool tc_hz_ordered(const tc_hz_visit *v, const tc_hz_record *x, int le,
                   int lm) {
    const tc_hz_know *k = v->known[lm];
    uint32_t t = x->warp * TC_LANES + (uint32_t)le;
    bool same = same_thread(v, x, le, lm);
    if (x->flags & TC_HZ_AGENT) {
        const tc_hz_agent *g = x->async;
        return g == v->agent ||
               tc_hz_agent_known(g, k, !(x->flags & TC_HZ_STORE), same);
    }
    if (x->flags & TC_HZ_COPY) {
        const tc_hz_copy *c = x->async;
        uint64_t done = c->done[le];
        return (same && c == tc_hz_record_of(v->h, v->record)->async) ||
               (done && (same || tc_hz_knows(k, x->cta, t, 1, done))) ||
               ((c->signals >> le & 1) &&
                tc_hz_phases_known(k, c->barrier[le]) > c->phase[le]);
    }
    return same || tc_hz_knows(k, x->cta, t, 1, x->clock);
}

/* m's lanes are the lanes of e on every byte that they share. */
bool tc_hz_same_lanes(const tc_hz_mark *e, const tc_hz_mark *m) {
    if (tc_hz_shape_of(e) != tc_hz_shape_of(m) ||
        tc_hz_shape_of(e) == TC_HZ_COARSE) {
        return false;
    }
    if (tc_hz_shape_of(e) == TC_HZ_SAME) {
        return e->l0 == e->l1 && m->l0 == m->l1 && e->l0 == m->l0;
    }
    return e->unit == m->unit && e->lo == e->hi && m->lo == m->hi &&
           e->lo == m->lo;
}

/* All of e precedes all of m, seen quickly; false: look at the lanes. */
bool tc_hz_all_ordered(const tc_hz_visit *v, const tc_hz_record *x,
                       const tc_hz_mark *e, const tc_hz_mark *m) {
    const tc_hz_record *me = tc_hz_record_of(v->h, v->record);
    uint32_t n = (uint32_t)(e->l1 - e->l0) + 1;
    uint32_t t = x->warp * TC_LANES + e->l0;
    uint64_t clock = x->clock;
    bool same = !v->agent && x->cta == me->cta && x->warp == me->warp &&
                tc_hz_same_lanes(e, m);
    if ((x->flags & TC_HZ_AGENT) || tc_hz_shape_of(e) == TC_HZ_COARSE) {
        return false;
    }
    if (x->flags & TC_HZ_COPY) {
        const tc_hz_copy *c = x->async;
        clock = c->done_all;
        if (!clock) {
            return false;
        }
    }
    return same || (v->all && tc_hz_knows(v->all, x->cta, t, n, clock));
}

/* A write in the generic proxy, then an access in the async one. */
static bool fenced(const tc_hz_visit *v, const tc_hz_record *x, int le) {
    const tc_hz_know *k = v->agent->know->proxy;
    uint64_t clock = x->clock;
    if (x->flags & (TC_HZ_AGENT | TC_HZ_PROXIED)) {
        return true;
    }
    if (x->flags & TC_HZ_COPY) {
        clock = ((const tc_hz_copy *)x->async)->done[le];
    }
    return tc_hz_knows(k, x->cta, x->warp * TC_LANES + (uint32_t)le, 1, clock);
}

/* ---- pairs of lanes that nothing orders ---- */

tc_finding tc_hz_place_of(const tc_hz_visit *v, const tc_hz_mark *m,
                          uint32_t byte, uint32_t step) {
    uint32_t begin = m->b0;
    if (tc_hz_shape_of(m) == TC_HZ_RUN) {
        begin = byte >> m->unit << m->unit;
    }
    return (tc_finding){.space = v->space,
                        .address = v->address + begin,
                        .bytes = v->bytes,
                        .from = byte - begin,
                        .to = byte - begin + step};
}

static void report(tc_hz_visit *v, const tc_finding *place, uint32_t other,
                   int le, int lm, tc_hz_pair pair) {
    if (v->seen == other && v->seen_me == lm && v->seen_it == le) {
        return;
    }
    v->seen = other;
    v->seen_me = lm;
    v->seen_it = le;
    if (pair == WRITE_WRITE) {
        tc_hz_write_write(v, place, other, le, v->record, lm);
    } else if (pair == WRITE_READ) {
        tc_hz_read_write(v, place, v->record, lm, other, le, false);
    } else {
        tc_hz_read_write(v, place, other, le, v->record, lm, true);
    }
}

/* Some lane of a coarse mark: only if none of the warp's is known. */
static bool coarse_ordered(const tc_hz_visit *v, const tc_hz_record *x,
                           int lm) {
    const tc_hz_record *me = tc_hz_record_of(v->h, v->record);
    if (!v->agent && x->cta == me->cta && x->warp == me->warp) {
        return true;
    }
    for (int le = 0; le < TC_LANES; le++) {
        if (tc_hz_ordered(v, x, le, lm)) {
            return true;
        }
    }
    return false;
}

/* The lanes of e and of m on one byte. */
static void check_byte(tc_hz_visit *v, const tc_hz_mark *e, const tc_hz_mark *m,
                       uint32_t byte, uint32_t size, tc_hz_pair pair) {
    const tc_hz_record *x = tc_hz_record_of(v->h, e->record);
    bool proxy = v->agent && v->agent->proxy != TC_HZ_GENERIC &&
                 pair != READ_WRITE && v->space != TC_PS_TENSOR;
    int e0, e1, m0, m1;
    tc_hz_lanes_at(e, byte, &e0, &e1);
    tc_hz_lanes_at(m, byte, &m0, &m1);
    v->some_lane = tc_hz_shape_of(e) == TC_HZ_COARSE;
    if (v->some_lane) {
        if (!tc_bit(tc_hz_map(v->h, e), byte) || coarse_ordered(v, x, m0)) {
            return;
        }
        e1 = e0;
    }
    for (int lm = m0; lm <= m1; lm++) {
        for (int le = e0; le <= e1; le++) {
            bool before = tc_hz_ordered(v, x, le, lm);
            if (before && (!proxy || fenced(v, x, le))) {
                continue;
            }
            tc_finding place = tc_hz_place_of(v, m, byte, size);
            if (before) {
                tc_hz_unfenced(v, &place, e->record, le, v->record, lm);
            } else {
                report(v, &place, e->record, le, lm, pair);
            }
            return;
        }
    }
}

/* Checks e, which was here before, against m. True: all of it is in order. */
bool tc_hz_check(tc_hz_visit *v, const tc_hz_mark *e, const tc_hz_mark *m,
                 tc_hz_pair pair) {
    const tc_hz_record *x = tc_hz_record_of(v->h, e->record);
    if (!v->agent && tc_hz_all_ordered(v, x, e, m)) {
        return true;
    }
    if (v->fresh && e->record == v->record) {
        return true; /* two lanes of this very op: looked at already */
    }
    const tc_hz_mark old = *e; /* the pool may move */
    uint32_t unit = old.unit < m->unit ? old.unit : m->unit;
    uint32_t b = old.b0 > m->b0 ? old.b0 : m->b0;
    uint32_t end = old.b1 < m->b1 ? old.b1 : m->b1;
    uint32_t size = UINT32_C(1) << unit;
    if (tc_hz_shape_of(&old) == TC_HZ_COARSE) {
        size = 1;
    }
    while (b < end) {
        uint32_t next = (b | (size - 1)) + 1;
        next = next < end ? next : end;
        check_byte(v, &old, m, b, next - b, pair);
        b = next;
    }
    return false;
}

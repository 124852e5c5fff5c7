/* pairs.c - pairs of accesses to one byte: which precede each other, and which
 * nothing orders. */
#include "sim/core/types.h"
#include "sim/race/race.h"
#include "sim/race/shadow_line.h"

/* ---- order ---- */

/* Is the thread of record x's lane the one that makes this access? */
static bool same_thread(const tc_race_visit *v, const tc_shadow_record *x,
                        int le, int lm) {
    const tc_shadow_record *me = tc_shadow_record_of(v->h, v->record);
    return !v->agent && x->cta == me->cta && x->warp == me->warp && le == lm;
}

bool tc_race_agent_completes_on(const tc_race_agent *g, uint32_t barrier) {
    for (uint32_t i = 0; i < g->nsignals; i++) {
        if (g->signal[i].barrier == barrier) {
            return true;
        }
    }
    return false;
}

bool tc_race_agent_vclock(const tc_race_agent *g, const tc_vclock *k,
                          bool reads_only, bool issuer) {
    const tc_access *a = &g->issue;
    uint64_t done = g->done;
    if (!done && reads_only) {
        done = g->read_done;
    }
    uint32_t t = a->warp * TC_LANES + a->lane;
    if (done && (issuer || tc_vclock_covers_threads(k, a->cta, t, 1, done))) {
        return true;
    }
    for (uint32_t i = 0; i < g->nsignals; i++) {
        if (tc_vclock_phases(k, g->signal[i].barrier) > g->signal[i].phase) {
            return true;
        }
    }
    return false;
}

/* The access of record x by lane le precedes that of my lane lm. */
bool tc_race_ordered(const tc_race_visit *v, const tc_shadow_record *x, int le,
                     int lm) {
    const tc_vclock *k = v->vclock[lm];
    uint32_t t = x->warp * TC_LANES + (uint32_t)le;
    bool same = same_thread(v, x, le, lm);
    if (x->flags & TC_RACE_AGENT) {
        const tc_race_agent *g = x->async;
        return g == v->agent ||
               tc_race_agent_vclock(g, k, !(x->flags & TC_RACE_STORE), same);
    }
    if (x->flags & TC_RACE_COPY) {
        const tc_race_copy *c = x->async;
        uint64_t done = c->done[le];
        return (same && c == tc_shadow_record_of(v->h, v->record)->async) ||
               (done &&
                (same || tc_vclock_covers_threads(k, x->cta, t, 1, done))) ||
               ((c->signals >> le & 1) &&
                tc_vclock_phases(k, c->barrier[le]) > c->phase[le]);
    }
    return same || tc_vclock_covers_threads(k, x->cta, t, 1, x->clock);
}

/* m's lanes are the lanes of e on every byte that they share. */
bool tc_race_same_lanes(const tc_shadow_cell *e, const tc_shadow_cell *m) {
    if (tc_shadow_shape_of(e) != tc_shadow_shape_of(m) ||
        tc_shadow_shape_of(e) == TC_RACE_COARSE) {
        return false;
    }
    if (tc_shadow_shape_of(e) == TC_RACE_SAME) {
        return e->l0 == e->l1 && m->l0 == m->l1 && e->l0 == m->l0;
    }
    return e->unit == m->unit && e->lo == e->hi && m->lo == m->hi &&
           e->lo == m->lo;
}

/* All of e precedes all of m, seen quickly; false: look at the lanes. */
bool tc_race_all_ordered(const tc_race_visit *v, const tc_shadow_record *x,
                         const tc_shadow_cell *e, const tc_shadow_cell *m) {
    const tc_shadow_record *me = tc_shadow_record_of(v->h, v->record);
    uint32_t n = (uint32_t)(e->l1 - e->l0) + 1;
    uint32_t t = x->warp * TC_LANES + e->l0;
    uint64_t clock = x->clock;
    bool same = !v->agent && x->cta == me->cta && x->warp == me->warp &&
                tc_race_same_lanes(e, m);
    if ((x->flags & TC_RACE_AGENT) || tc_shadow_shape_of(e) == TC_RACE_COARSE) {
        return false;
    }
    if (x->flags & TC_RACE_COPY) {
        const tc_race_copy *c = x->async;
        clock = c->done_all;
        if (!clock) {
            return false;
        }
    }
    return same ||
           (v->all && tc_vclock_covers_threads(v->all, x->cta, t, n, clock));
}

/* A write in the generic proxy, then an access in the async one. */
static bool fenced(const tc_race_visit *v, const tc_shadow_record *x, int le) {
    const tc_vclock *k = v->agent->vclock->proxy;
    uint64_t clock = x->clock;
    if (x->flags & (TC_RACE_AGENT | TC_RACE_PROXIED)) {
        return true;
    }
    if (x->flags & TC_RACE_COPY) {
        clock = ((const tc_race_copy *)x->async)->done[le];
    }
    return tc_vclock_covers_threads(
        k, x->cta, x->warp * TC_LANES + (uint32_t)le, 1, clock);
}

/* ---- pairs of lanes that nothing orders ---- */

tc_finding tc_race_where(const tc_race_visit *v, const tc_shadow_cell *m,
                         uint32_t byte, uint32_t step) {
    uint32_t begin = m->b0;
    if (tc_shadow_shape_of(m) == TC_RACE_RUN) {
        begin = byte >> m->unit << m->unit;
    }
    return (tc_finding){.space = v->space,
                        .address = v->address + begin,
                        .bytes = v->bytes,
                        .from = byte - begin,
                        .to = byte - begin + step};
}

static void report(tc_race_visit *v, const tc_finding *place, uint32_t other,
                   int le, int lm, tc_race_pair pair) {
    if (v->seen == other && v->seen_me == lm && v->seen_it == le) {
        return;
    }
    v->seen = other;
    v->seen_me = lm;
    v->seen_it = le;
    if (pair == WRITE_WRITE) {
        tc_race_write_write(v, place, other, le, v->record, lm);
    } else if (pair == WRITE_READ) {
        tc_race_read_write(v, place, v->record, lm, other, le, false);
    } else {
        tc_race_read_write(v, place, other, le, v->record, lm, true);
    }
}

/* Some lane of a coarse cell: only if none of the warp's is known. */
static bool coarse_ordered(const tc_race_visit *v, const tc_shadow_record *x,
                           int lm) {
    const tc_shadow_record *me = tc_shadow_record_of(v->h, v->record);
    if (!v->agent && x->cta == me->cta && x->warp == me->warp) {
        return true;
    }
    for (int le = 0; le < TC_LANES; le++) {
        if (tc_race_ordered(v, x, le, lm)) {
            return true;
        }
    }
    return false;
}

/* x comes before lm's access, because of a lock that might have been taken in the
 * other order: is it a race then? */
static void check_lock(tc_race_visit *v, const tc_finding *place,
                       uint32_t other, int le, int lm, tc_race_pair pair) {
    const tc_shadow_record *x = tc_shadow_record_of(v->h, other);
    tc_finding *pending = NULL;
    switch (tc_race_lock_only(v, x, le, lm, &pending, &v->took)) {
    case TC_LOCK_ORDERED:
        break;
    case TC_LOCK_NOT_ACQUIRED:
        report(v, place, other, le, lm, pair);
        v->took.valid = false;
        break;
    case TC_LOCK_PENDING:
        v->h->capture = pending;
        report(v, place, other, le, lm, pair);
        v->h->capture = NULL;
        break;
    }
}

/* The lanes of e and of m on one byte. */
static void check_byte(tc_race_visit *v, const tc_shadow_cell *e,
                       const tc_shadow_cell *m, uint32_t byte, uint32_t size,
                       tc_race_pair pair) {
    const tc_shadow_record *x = tc_shadow_record_of(v->h, e->record);
    bool proxy = v->agent && v->agent->proxy != TC_RACE_GENERIC &&
                 pair != READ_WRITE && v->space != TC_PS_TENSOR;
    int e0, e1, m0, m1;
    tc_shadow_lanes_at(e, byte, &e0, &e1);
    tc_shadow_lanes_at(m, byte, &m0, &m1);
    v->some_lane = tc_shadow_shape_of(e) == TC_RACE_COARSE;
    if (v->some_lane) {
        if (!tc_shadow_bit(tc_shadow_map(v->h, e), byte) ||
            coarse_ordered(v, x, m0)) {
            return;
        }
        e1 = e0;
    }
    for (int lm = m0; lm <= m1; lm++) {
        for (int le = e0; le <= e1; le++) {
            bool before = tc_race_ordered(v, x, le, lm);
            bool locked = before && !proxy && (v->locked >> lm & 1);
            if (before && !locked && (!proxy || fenced(v, x, le))) {
                continue;
            }
            tc_finding place = tc_race_where(v, m, byte, size);
            if (locked) {
                check_lock(v, &place, e->record, le, lm, pair);
                continue;
            }
            if (before) {
                tc_race_unfenced(v, &place, e->record, le, v->record, lm);
            } else {
                report(v, &place, e->record, le, lm, pair);
            }
            return;
        }
    }
}

/* Checks e, which was here before, against m. True: all of it is in order. */
bool tc_race_check(tc_race_visit *v, const tc_shadow_cell *e,
                   const tc_shadow_cell *m, tc_race_pair pair) {
    const tc_shadow_record *x = tc_shadow_record_of(v->h, e->record);
    if (!v->agent && !v->locked && tc_race_all_ordered(v, x, e, m)) {
        return true;
    }
    if (v->fresh && e->record == v->record) {
        return true; /* two lanes of this very op: looked at already */
    }
    const tc_shadow_cell old = *e; /* the pool may move */
    uint32_t unit = old.unit < m->unit ? old.unit : m->unit;
    uint32_t b = old.b0 > m->b0 ? old.b0 : m->b0;
    uint32_t end = old.b1 < m->b1 ? old.b1 : m->b1;
    uint32_t size = UINT32_C(1) << unit;
    if (tc_shadow_shape_of(&old) == TC_RACE_COARSE) {
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

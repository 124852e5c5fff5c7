/* sm.c - one SM: four schedulers.
 *
 * A scheduler issues one op a cycle: the warp that issued last while it can,
 * else the next one that can. */
#include "sim/timing.h"
#include <string.h>

/* ---- warps in and out ---- */

void tc_sm_add(tc_sm *sm, tc_warp *w) {
    uint32_t s = 0;
    for (uint32_t i = 1; i < TC_SCHEDULERS; i++) {
        s = sm->nwarps[i] < sm->nwarps[s] ? i : s;
    }
    uint32_t n = sm->nwarps[s]++;
    sm->warp[s][n] = w;
    sm->ask[s] |= UINT32_C(1) << n;
    sm->due[s] = 0;
    w->core->ask = &sm->ask[s];
    w->core->ask_bit = UINT32_C(1) << n;
    w->core->due = &sm->due[s];
    w->core->next = sm->next[s][n] = sm->now;
}

void tc_sm_drop(tc_sm *sm, const tc_cta *c) {
    for (uint32_t s = 0; s < TC_SCHEDULERS; s++) {
        uint32_t keep = 0;
        for (uint32_t i = 0; i < sm->nwarps[s]; i++) {
            tc_warp *w = sm->warp[s][i];
            if (w->cta == c) {
                w->core->ask = NULL;
                continue;
            }
            sm->warp[s][keep] = w;
            sm->next[s][keep] = sm->next[s][i];
            w->core->ask_bit = UINT32_C(1) << keep++;
        }
        sm->nwarps[s] = keep;
        sm->ask[s] = keep < 32 ? (UINT32_C(1) << keep) - 1 : UINT32_MAX;
        sm->ready[s] = sm->memory[s] = sm->lsu[s] = sm->splits[s] = 0;
        sm->soon[s] = UINT64_MAX;
        memset(sm->wants[s], 0, sizeof sm->wants[s]);
        memset(&sm->wheel[s], 0, sizeof sm->wheel[s]);
        sm->wheel[s].base = sm->now;
        sm->wheel[s].first = UINT64_MAX;
        sm->last[s] = 0;
        sm->due[s] = 0;
    }
}

/* ---- its schedulers ---- */

/* Cycles of the warp since its last issue, by cause. */
static inline void account(tc_timing *t, tc_sm *sm, uint32_t s, uint32_t i,
                           uint64_t unit_free) {
    uint64_t *stalls = t->run->counters.stalls, next = sm->next[s][i];
    uint64_t now = sm->now, woke = sm->wake[s][i];
    woke = woke > next ? woke : next;
    uint64_t free = unit_free > woke ? unit_free : woke;
    stalls[sm->why[s][i]] += woke - next;
    stalls[TC_STALL_PIPE] += free - woke;
    stalls[TC_STALL_NOT_SELECTED] += now - free;
}

/* It is not among the ready ones any more. */
static inline void forget(tc_sm *sm, uint32_t s, uint32_t i) {
    uint32_t bit = UINT32_C(1) << i;
    sm->ready[s] &= ~bit;
    sm->memory[s] &= ~bit;
    sm->wants[s][sm->unit[s][i]] &= ~bit;
}

static inline void make_ready(tc_sm *sm, uint32_t s, uint32_t i) {
    uint32_t bit = UINT32_C(1) << i;
    sm->ready[s] |= bit;
    sm->wants[s][sm->unit[s][i]] |= bit;
    sm->memory[s] |= bit & sm->lsu[s];
}

/* Its next op has what it needs at t. */
static inline void note(tc_sm *sm, uint32_t s, uint32_t i,
                        const tc_timing_op *op, uint64_t t, tc_stall why) {
    uint32_t bit = UINT32_C(1) << i;
    bool lsu = op->class >= TC_CLASS_LDG && op->class <= TC_CLASS_LDGSTS;
    sm->wake[s][i] = t;
    sm->why[s][i] = (uint8_t)why;
    sm->unit[s][i] = op->unit;
    sm->lsu[s] = lsu ? sm->lsu[s] | bit : sm->lsu[s] & ~bit;
}

/* Warp i sleeps till then. */
static inline void sleep_till(tc_sm *sm, uint32_t s, uint32_t i, uint64_t at) {
    tc_wheel *h = &sm->wheel[s];
    uint32_t bit = UINT32_C(1) << i;
    if (at - h->base <= TC_WHEEL) {
        h->used |= UINT64_C(1) << at % TC_WHEEL;
        h->slot[at % TC_WHEEL] |= bit;
    } else {
        h->far |= bit;
        h->first = at < h->first ? at : h->first;
    }
    sm->soon[s] = at < sm->soon[s] ? at : sm->soon[s];
}

/* Asks the scoreboard about warps that issued, or were woken. */
static void look(tc_timing *t, tc_sm *sm, uint32_t s) {
    for (uint32_t m = sm->ask[s]; m; m &= m - 1) {
        uint32_t i = (uint32_t)tc_first(m);
        tc_warp *w = sm->warp[s][i];
        tc_stall why = TC_STALL_FIXED;
        forget(sm, s, i);
        uint64_t at = w->alive ? tc_timing_when(w, &why) : UINT64_MAX;
        bool split = w->core->cur >= 0;
        note(sm, s, i, &t->ops[split ? w->core->pc : 0], at, why);
        sm->splits[s] =
            split ? sm->splits[s] | (m & -m) : sm->splits[s] & ~(m & -m);
        if (at <= sm->now) {
            make_ready(sm, s, i);
        } else {
            sleep_till(sm, s, i, at);
        }
    }
    sm->ask[s] = 0;
}

/* The same for the one that has just issued, at the next cycle, where its turn
 * goes on. */
static inline bool look_ahead(const tc_timing *t, tc_sm *sm, uint32_t s,
                              uint32_t i) {
    const tc_warp *w = sm->warp[s][i];
    const tc_warp_core *k = w->core;
    uint64_t next = sm->now + 1;
    tc_stall why;
    if (k->cur < 0 || k->pc >= k->limit || next >= k->turn_end || !w->alive) {
        return false;
    }
    uint64_t at = tc_timing_operands(t, k, &why);
    note(sm, s, i, &t->ops[k->pc], at, why);
    if (at <= next) {
        make_ready(sm, s, i);
    } else {
        sleep_till(sm, s, i, at);
    }
    return true;
}

/* Bits of the wheel's slots from the one after base on. */
static inline uint64_t turned(const tc_wheel *h) {
    uint32_t n = (uint32_t)(h->base + 1) % TC_WHEEL;
    return h->used >> n | h->used << (TC_WHEEL - n) % TC_WHEEL;
}

/* Takes those out that may be due. */
static uint32_t take_due(tc_sm *sm, uint32_t s) {
    tc_wheel *h = &sm->wheel[s];
    uint64_t n = sm->now - h->base, later = turned(h), due = 0;
    due = n >= TC_WHEEL ? later : later & ((UINT64_C(1) << n) - 1);
    uint32_t m = 0;
    for (; due; due &= due - 1) {
        uint64_t at = (h->base + 1 + (uint64_t)__builtin_ctzll(due)) % TC_WHEEL;
        m |= h->slot[at];
        h->slot[at] = 0;
        h->used &= ~(UINT64_C(1) << at);
    }
    h->base = sm->now;
    if (h->first > sm->now) {
        return m;
    }
    uint32_t far = h->far;
    h->far = 0;
    h->first = UINT64_MAX;
    for (; far; far &= far - 1) {
        uint32_t i = (uint32_t)tc_first(far);
        uint64_t t = sm->wake[s][i];
        if (t <= sm->now) {
            m |= far & -far;
        } else if (t != UINT64_MAX) {
            sleep_till(sm, s, i, t);
        }
    }
    return m;
}

/* Sleepers whose time has come. */
static void wake(tc_sm *sm, uint32_t s) {
    uint32_t due = take_due(sm, s) & ~(sm->ready[s] | sm->ask[s]);
    for (; due; due &= due - 1) {
        uint32_t i = (uint32_t)tc_first(due);
        if (sm->wake[s][i] > sm->now) {
            continue; /* somebody else's doing: it sleeps elsewhere */
        }
        if (sm->splits[s] & due & -due) {
            make_ready(sm, s, i);
        } else { /* where it slept itself, it is another split's turn */
            sm->ask[s] |= due & -due;
        }
    }
    const tc_wheel *h = &sm->wheel[s];
    uint64_t near = h->used ? h->base + 1 + (uint64_t)__builtin_ctzll(turned(h))
                            : UINT64_MAX;
    sm->soon[s] = near < h->first ? near : h->first;
}

/* Ready warps whose unit is free too. *next: when the first of the others can
 * go. */
static inline uint32_t available(tc_sm *sm, uint32_t s, uint64_t now,
                                 uint64_t *next) {
    uint32_t ready = sm->ready[s];
    for (uint32_t busy = sm->busy[s]; busy; busy &= busy - 1) {
        uint32_t u = (uint32_t)tc_first(busy);
        if (sm->unit_free[s][u] <= now) {
            sm->busy[s] &= ~(UINT32_C(1) << u);
        } else if (ready & sm->wants[s][u]) {
            ready &= ~sm->wants[s][u];
            *next = sm->unit_free[s][u] < *next ? sm->unit_free[s][u] : *next;
        }
    }
    if ((ready & sm->memory[s]) && sm->lsu_free > now + TC_LSU_QUEUE) {
        uint64_t at = sm->lsu_free - TC_LSU_QUEUE;
        ready &= ~sm->memory[s];
        *next = at < *next ? at : *next;
    }
    return ready;
}

/* One scheduler's cycle. Returns the cycle at which there may be something to
 * do. */
static uint64_t schedule(tc_timing *t, tc_sm *sm, uint32_t s, bool *exited) {
    uint64_t next = UINT64_MAX, now = sm->now;
    if (sm->soon[s] <= now) {
        wake(sm, s);
    }
    if (sm->ask[s]) {
        look(t, sm, s);
    }
    uint32_t can = sm->ready[s] ? available(sm, s, now, &next) : 0;
    if (!can) {
        return next < sm->soon[s] ? next : sm->soon[s];
    }
    /* The last one while it can, else the next one in the round. */
    uint32_t later = can & ~((UINT32_C(1) << sm->last[s]) - 1);
    uint32_t i = (uint32_t)tc_first(later ? later : can);
    tc_warp *w = sm->warp[s][i];
    account(t, sm, s, i, sm->unit_free[s][sm->unit[s][i]]);
    forget(sm, s, i);
    tc_timing_issue(w, s);
    sm->last[s] = i;
    sm->next[s][i] = now + 1;
    *exited |= !w->alive && w->cta->nlive == 0;
    if (!look_ahead(t, sm, s, i)) {
        sm->ask[s] |= UINT32_C(1) << i;
    }
    if (sm->ask[s]) {
        return now + 1;
    }
    next = UINT64_MAX;
    can = sm->ready[s] ? available(sm, s, now + 1, &next) : 0;
    next = next < sm->soon[s] ? next : sm->soon[s];
    return can || next <= now ? now + 1 : next;
}

bool tc_sm_run(tc_timing *t, tc_sm *sm, uint64_t end, uint64_t *soonest) {
    tc_run *r = t->run;
    bool ended = false;
    t->at = sm;
    *soonest = sm->now;
    while (sm->now < end && !r->stopped && !ended) {
        r->cycle = sm->now;
        if (tc_event_next(r) <= r->cycle) {
            tc_event_run(r);
        }
        for (uint32_t s = 0; s < TC_SCHEDULERS && !r->stopped; s++) {
            if (sm->due[s] <= sm->now) {
                sm->due[s] = UINT64_MAX; /* a release sets it to 0 */
                uint64_t at = schedule(t, sm, s, &ended);
                sm->due[s] = at < sm->due[s] ? at : sm->due[s];
            }
        }
        uint64_t first = tc_event_next(r);
        for (uint32_t s = 0; s < TC_SCHEDULERS; s++) {
            first = sm->due[s] < first ? sm->due[s] : first;
        }
        if (ended || first <= sm->now) {
            first = sm->now + 1;
        }
        sm->now = *soonest = first;
    }
    /* A wake-up from outside may come before what is due here. */
    sm->now = sm->now > end ? end : sm->now;
    return ended;
}

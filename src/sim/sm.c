/* sm.c - one SM: four schedulers.
 *
 * A scheduler issues one op a cycle: the warp that issued last while it can,
 * else the next one that can. */
#include "sim/fast.h"
#include "sim/timing.h"
#include <string.h>

/* ---- warps in and out ---- */

void tc_sm_add(tc_sm *sm, tc_warp *w) {
    tc_scheduler *q = &sm->scheduler[0];
    for (uint32_t i = 1; i < TC_SCHEDULERS; i++) {
        q = sm->scheduler[i].nwarps < q->nwarps ? &sm->scheduler[i] : q;
    }
    uint32_t n = q->nwarps++;
    q->place[n] = (tc_place){.warp = w, .core = w->core, .next = sm->now};
    q->ask |= UINT32_C(1) << n;
    q->due = 0;
    w->core->ask = &q->ask;
    w->core->ask_bit = UINT32_C(1) << n;
    w->core->due = &q->due;
    w->core->next = sm->now;
}

static void drop(tc_scheduler *q, const tc_cta *c, uint64_t now) {
    uint32_t keep = 0;
    for (uint32_t i = 0; i < q->nwarps; i++) {
        const tc_place *x = &q->place[i];
        if (x->warp->cta == c) {
            x->core->ask = NULL;
            continue;
        }
        q->place[keep] =
            (tc_place){.warp = x->warp, .core = x->core, .next = x->next};
        q->place[keep].core->ask_bit = UINT32_C(1) << keep;
        keep++;
    }
    q->nwarps = keep;
    q->ask = keep < 32 ? (UINT32_C(1) << keep) - 1 : UINT32_MAX;
    q->ready = q->memory = q->lsu = q->splits = 0;
    q->soon = UINT64_MAX;
    memset(q->wants, 0, sizeof q->wants);
    memset(&q->wheel, 0, sizeof q->wheel);
    q->wheel.base = now;
    q->wheel.first = UINT64_MAX;
    q->last = 0;
    q->due = 0;
}

void tc_sm_drop(tc_sm *sm, const tc_cta *c) {
    for (uint32_t s = 0; s < TC_SCHEDULERS; s++) {
        drop(&sm->scheduler[s], c, sm->now);
    }
}

/* ---- what issues ---- */

/* An op of the general road, of which some lane takes part. */
static void general(tc_warp *w, const tc_code *c) {
    tc_warp_core *k = w->core;
    uint32_t m = k->mask;
    if (c->guard >= 0) {
        m &= w->pred[c->guard] ^ c->flip;
    }
    if (c->branch && m == k->mask && c->op->target != k->pc - 1) {
        k->pc = c->op->target; /* as tc_sim_op_BRA does */
        return;
    }
    k->clean &= c->light;
    c->fn(w, c->op, m);
}

/* The op at pc issues: of the last four it takes one's place. */
static void follow(tc_warp_core *k, uint32_t pc) {
    bool jump = pc != k->last_pc + 1;
    for (uint32_t i = jump ? 0 : pc % 4, n = jump ? 4 : i + 1; i < n; i++) {
        k->settled = k->last[i] > k->settled ? k->last[i] : k->settled;
        k->last[i] = 0;
    }
    k->last_pc = pc;
}

/* What the caches are to be asked for next is fetched from the host's memory
 * while other warps issue: their tags, and the bytes. */
static inline void fetch_for(const tc_timing *t, const tc_warp *w,
                             const tc_code *c) {
    const tc_fast *x = c->one;
    bool access = c->op->opcode == TC_PTX_LD || c->op->opcode == TC_PTX_ST;
    if (!x || !access || !x->ma || x->sub ||
        (x->space != TC_PS_GLOBAL && x->space != TC_PS_GENERIC)) {
        return;
    }
    const char *row = (const char *)w->r64 + x->a;
    uint64_t first;
    memcpy(&first, row, sizeof first);
    first += x->imm;
    tc_memsys_fetch(t->memory, t->at->index, first);
    const tc_sim_allocation *a = x->recent;
    if (a && first - a->address < a->size) {
        __builtin_prefetch(a->bytes + (first - a->address));
        __builtin_prefetch(a->bytes + (first - a->address) + 64);
    }
}

/* The op at pc needs its warp's registers alone, and so do those that follow:
 * they are executed together, while the rows are near, and issue one by one. Of
 * several splits each goes op by op, as they may meet on the way. */
static inline void go_ahead(tc_timing *t, tc_warp *w, const tc_code *c,
                            uint32_t pc) {
    enum { SOON = 2 }; /* ops behind them */
    tc_warp_core *k = w->core;
    if (k->ahead == 0) {
        uint32_t n = k->nsplit == 1 ? c->ahead : 1;
        const tc_fast_code *f = t->run->fast;
        tc_fast *x = &f->entries[c->entry], *end = &f->entries[c[n].entry];
        const int part = k->mask != w->alive;
        while (x < end) {
            x = x->fn[part](w, x, k->mask);
        }
        k->ahead = pc + n;
        for (uint32_t i = n; i < n + SOON && c[i].one; i++) {
            fetch_for(t, w, &c[i]);
        }
    }
    if (k->ahead == pc + 1) {
        k->ahead = 0;
    }
}

static inline void execute(tc_timing *t, tc_scheduler *q, tc_warp *w) {
    tc_warp_core *k = w->core;
    tc_run *r = t->run;
    const tc_code *c = &r->code[k->pc];
    const tc_timing_op *op = &t->ops[k->pc];
    uint32_t at_op = k->pc++;
    r->counters.warp_instructions++;
    r->counters.thread_instructions +=
        k->mask == UINT32_MAX ? TC_LANES : tc_popc(k->mask);
    r->counters.classes[op->class]++;
    t->arrives = 0;
    q->unit_free[op->unit] = r->cycle + op->interval;
    q->busy |= (uint32_t)(op->interval > 1) << op->unit;
    k->next = r->cycle + 1;
    follow(k, at_op);
    if (c->guard >= 0 && (k->mask & (w->pred[c->guard] ^ c->flip)) == 0) {
        return; /* nobody takes it */
    }
    if (c->ahead) {
        go_ahead(t, w, c, at_op);
    } else if (c->one) {
        k->line_pc = at_op;
        k->line_cycle = r->cycle - 1;
        c->one->fn[k->mask != w->alive](w, c->one, k->mask);
    } else if (!c->run) {
        general(w, c);
    }
    uint64_t at = r->cycle + op->latency;
    at = t->arrives > at ? t->arrives : at;
    at = at << TC_READY_SHIFT | op->stall;
    const uint32_t *dst = &t->regs[op->regs + op->nsrc];
    for (uint32_t i = 0; i < op->ndst; i++) {
        k->ready[dst[i]] = at;
        k->last[at_op % 4] = at;
    }
}

/* ---- its schedulers ---- */

/* Cycles of the warp since its last issue, by cause. */
static inline void account(tc_timing *t, const tc_place *x, uint64_t now,
                           uint64_t unit_free) {
    uint64_t *stalls = t->run->counters.stalls, next = x->next;
    if (next == now) {
        return;
    }
    uint64_t woke = x->wake > next ? x->wake : next;
    uint64_t free = unit_free > woke ? unit_free : woke;
    stalls[x->why] += woke - next;
    stalls[TC_STALL_PIPE] += free - woke;
    stalls[TC_STALL_NOT_SELECTED] += now - free;
}

/* It is not among the ready ones any more. */
static inline void forget(tc_scheduler *q, uint32_t i) {
    uint32_t bit = UINT32_C(1) << i;
    q->ready &= ~bit;
    q->memory &= ~bit;
    q->wants[q->place[i].unit] &= ~bit;
}

static inline void make_ready(tc_scheduler *q, uint32_t i) {
    uint32_t bit = UINT32_C(1) << i;
    q->ready |= bit;
    q->wants[q->place[i].unit] |= bit;
    q->memory |= bit & q->lsu;
}

/* Its next op has what it needs at t. */
static inline void note(tc_scheduler *q, uint32_t i, const tc_timing_op *op,
                        uint64_t t, tc_stall why) {
    uint32_t bit = UINT32_C(1) << i;
    q->place[i].wake = t;
    q->place[i].why = (uint8_t)why;
    q->place[i].unit = op->unit;
    q->lsu = (q->lsu & ~bit) | (uint32_t)op->lsu << i;
}

/* Warp i sleeps till then. */
static inline void sleep_till(tc_scheduler *q, uint32_t i, uint64_t at) {
    tc_wheel *h = &q->wheel;
    uint32_t bit = UINT32_C(1) << i;
    if (at - h->base <= TC_WHEEL) {
        h->used |= UINT64_C(1) << at % TC_WHEEL;
        h->slot[at % TC_WHEEL] |= bit;
    } else {
        h->far |= bit;
        h->first = at < h->first ? at : h->first;
    }
    q->soon = at < q->soon ? at : q->soon;
}

/* Asks the scoreboard about warps that issued, or were woken. */
static void look(tc_timing *t, tc_scheduler *q, uint64_t now) {
    for (uint32_t m = q->ask; m; m &= m - 1) {
        uint32_t i = (uint32_t)tc_first(m);
        tc_warp *w = q->place[i].warp;
        tc_stall why = TC_STALL_FIXED;
        forget(q, i);
        uint64_t at = w->alive ? tc_timing_when(w, &why) : UINT64_MAX;
        bool split = w->core->cur >= 0;
        note(q, i, &t->ops[split ? w->core->pc : 0], at, why);
        q->splits = split ? q->splits | (m & -m) : q->splits & ~(m & -m);
        if (at <= now) {
            make_ready(q, i);
        } else {
            sleep_till(q, i, at);
        }
    }
    q->ask = 0;
}

/* The same for the one that has just issued, at the next cycle, where its turn
 * goes on (who has ended has no limit). */
static inline bool look_ahead(const tc_timing *t, tc_scheduler *q, uint32_t i,
                              uint64_t next) {
    const tc_warp_core *k = q->place[i].core;
    tc_stall why;
    if (k->cur < 0 || k->pc >= k->limit || next >= k->turn_end) {
        return false;
    }
    uint64_t at = tc_timing_operands(t, k, &why);
    note(q, i, &t->ops[k->pc], at, why);
    if (at <= next) {
        make_ready(q, i);
    } else {
        sleep_till(q, i, at);
    }
    return true;
}

/* Bits of the wheel's slots from the one after base on. */
static inline uint64_t turned(const tc_wheel *h) {
    uint32_t n = (uint32_t)(h->base + 1) % TC_WHEEL;
    return h->used >> n | h->used << (TC_WHEEL - n) % TC_WHEEL;
}

/* Those far off whose time has come; the others' first. */
static uint32_t take_far(tc_scheduler *q, uint64_t now) {
    tc_wheel *h = &q->wheel;
    uint32_t far = h->far, m = 0;
    h->far = 0;
    h->first = UINT64_MAX;
    for (; far; far &= far - 1) {
        uint32_t i = (uint32_t)tc_first(far);
        uint64_t t = q->place[i].wake;
        if (t <= now) {
            m |= far & -far;
        } else if (t != UINT64_MAX) {
            sleep_till(q, i, t);
        }
    }
    return m;
}

/* Takes those out that may be due. */
static inline uint32_t take_due(tc_scheduler *q, uint64_t now) {
    tc_wheel *h = &q->wheel;
    uint64_t n = now - h->base, later = turned(h), due = 0;
    due = n >= TC_WHEEL ? later : later & ((UINT64_C(1) << n) - 1);
    uint32_t m = 0;
    for (; due; due &= due - 1) {
        uint64_t at = (h->base + 1 + (uint64_t)__builtin_ctzll(due)) % TC_WHEEL;
        m |= h->slot[at];
        h->slot[at] = 0;
        h->used &= ~(UINT64_C(1) << at);
    }
    h->base = now;
    return h->first > now ? m : m | take_far(q, now);
}

/* Sleepers whose time has come. */
static inline void wake(tc_scheduler *q, uint64_t now) {
    uint32_t due = take_due(q, now) & ~(q->ready | q->ask);
    for (; due; due &= due - 1) {
        uint32_t i = (uint32_t)tc_first(due);
        if (q->place[i].wake > now) {
            continue; /* somebody else's doing: it sleeps elsewhere */
        }
        __builtin_prefetch(q->place[i].core);
        __builtin_prefetch((char *)q->place[i].core + 64);
        if (q->splits & due & -due) {
            make_ready(q, i);
        } else { /* where it slept itself, it is another split's turn */
            q->ask |= due & -due;
        }
    }
    const tc_wheel *h = &q->wheel;
    uint64_t near = h->used ? h->base + 1 + (uint64_t)__builtin_ctzll(turned(h))
                            : UINT64_MAX;
    q->soon = near < h->first ? near : h->first;
}

/* Ready warps whose unit is free too. *next: when the first of the others can
 * go. */
static inline uint32_t available(tc_scheduler *q, uint64_t lsu_free,
                                 uint64_t now, uint64_t *next) {
    uint32_t ready = q->ready;
    for (uint32_t busy = q->busy; busy; busy &= busy - 1) {
        uint32_t u = (uint32_t)tc_first(busy);
        if (q->unit_free[u] <= now) {
            q->busy &= ~(UINT32_C(1) << u);
        } else if (ready & q->wants[u]) {
            ready &= ~q->wants[u];
            *next = q->unit_free[u] < *next ? q->unit_free[u] : *next;
        }
    }
    if ((ready & q->memory) && lsu_free > now + TC_LSU_QUEUE) {
        uint64_t at = lsu_free - TC_LSU_QUEUE;
        ready &= ~q->memory;
        *next = at < *next ? at : *next;
    }
    return ready;
}

/* Can warp i, of all, issue then? */
static inline bool goes_on(const tc_scheduler *q, uint32_t i, uint64_t lsu_free,
                           uint64_t now) {
    uint32_t bit = UINT32_C(1) << i;
    return (q->ready & bit) && q->unit_free[q->place[i].unit] <= now &&
           (!(q->memory & bit) || lsu_free <= now + TC_LSU_QUEUE);
}

/* The warp issues. Returns the cycle at which there may be something to do. */
static inline uint64_t issue(tc_timing *t, tc_sm *sm, tc_scheduler *q,
                             uint32_t i, bool *exited) {
    uint64_t next = UINT64_MAX, now = sm->now;
    tc_place *x = &q->place[i];
    account(t, x, now, q->unit_free[x->unit]);
    forget(q, i);
    execute(t, q, x->warp);
    q->last = i;
    x->next = now + 1;
    if (!look_ahead(t, q, i, now + 1)) {
        const tc_warp *w = x->warp;
        q->ask |= UINT32_C(1) << i;
        *exited |= !w->alive && w->cta->nlive == 0;
    }
    if (q->ask || goes_on(q, i, sm->lsu_free, now + 1)) {
        return now + 1;
    }
    uint32_t can = q->ready ? available(q, sm->lsu_free, now + 1, &next) : 0;
    next = next < q->soon ? next : q->soon;
    return can || next <= now ? now + 1 : next;
}

/* One scheduler's cycle; returns the same. */
static inline uint64_t schedule(tc_timing *t, tc_sm *sm, tc_scheduler *q,
                                bool *exited) {
    uint64_t next = UINT64_MAX, now = sm->now;
    if (q->soon <= now) {
        wake(q, now);
    }
    if (q->ask) {
        look(t, q, now);
    }
    /* The last one while it can, else the next one in the round. */
    uint32_t i = q->last;
    if (!goes_on(q, i, sm->lsu_free, now)) {
        uint32_t can = q->ready ? available(q, sm->lsu_free, now, &next) : 0;
        if (!can) {
            return next < q->soon ? next : q->soon;
        }
        uint32_t later = can & ~((UINT32_C(1) << i) - 1);
        i = (uint32_t)tc_first(later ? later : can);
    }
    return issue(t, sm, q, i, exited);
}

bool tc_sm_run(tc_timing *t, tc_sm *sm, uint64_t end, uint64_t *soonest) {
    tc_run *r = t->run;
    bool ended = false;
    t->at = sm;
    *soonest = sm->now;
    while (sm->now < end && !r->stopped && !ended) {
        r->cycle = sm->now;
        if (r->nevents && tc_event_next(r) <= r->cycle) {
            tc_event_run(r);
        }
        for (uint32_t s = 0; s < TC_SCHEDULERS && !r->stopped; s++) {
            tc_scheduler *q = &sm->scheduler[s];
            if (q->due <= sm->now) {
                q->due = UINT64_MAX; /* a release sets it to 0 */
                uint64_t at = schedule(t, sm, q, &ended);
                q->due = at < q->due ? at : q->due;
            }
        }
        uint64_t first = r->nevents ? tc_event_next(r) : UINT64_MAX;
        for (uint32_t s = 0; s < TC_SCHEDULERS; s++) {
            uint64_t due = sm->scheduler[s].due;
            first = due < first ? due : first;
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

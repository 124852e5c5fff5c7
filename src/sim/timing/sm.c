/* sm.c - one SM: four schedulers.
 *
 * A scheduler issues one op a cycle: the warp that issued last while it can,
 * else the next one that can. */
#include "sim/timing/walk.h"
#include <string.h>

static inline uint64_t earlier(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* ---- warps in and out ---- */

void tc_sm_add(tc_sm *sm, tc_warp *w, uint64_t begins) {
    uint32_t s = 0;
    for (uint32_t i = 1; i < TC_SCHEDULERS; i++) {
        s = sm->scheduler[i].nwarps < sm->scheduler[s].nwarps ? i : s;
    }
    tc_scheduler *q = &sm->scheduler[s];
    tc_warp_core *k = w->core;
    uint32_t n = q->nwarps++, bit = UINT32_C(1) << n;
    q->slot[n] = (tc_slot){
        .warp = w, .core = k, .wake = sm->now, .since = sm->now, .bit = bit};
    q->ask |= bit;
    sm->due[s] = 0;
    k->ask = &q->ask;
    k->ask_bit = bit;
    k->due = &sm->due[s];
    k->next = begins;
}

uint64_t tc_sm_launch(const tc_timing *t, tc_sm *sm) {
    uint64_t at = tc_timing_later(sm->now, sm->launch);
    if (sm->constants == 0) { /* all SMs ask one place for them */
        sm->constants =
            at + t->p->const_first + (uint64_t)t->p->const_next * sm->index;
    }
    return at;
}

void tc_sm_launched(const tc_timing *t, tc_sm *sm, uint32_t nwarps) {
    uint32_t least = t->p->cta_launch + nwarps * t->p->warp_launch;
    least = least < t->p->cta_least ? t->p->cta_least : least;
    sm->launch = tc_timing_later(sm->now, sm->launch) + least;
}

/* The places that are left move together; all are asked about anew. */
static void drop(tc_scheduler *q, const tc_cta *c, uint64_t now) {
    uint32_t keep = 0;
    for (uint32_t i = 0; i < q->nwarps; i++) {
        const tc_slot *x = &q->slot[i];
        if (x->warp->cta == c) {
            x->core->ask = NULL;
            continue;
        }
        q->slot[keep] = *x;
        q->slot[keep].bit = UINT32_C(1) << keep;
        q->slot[keep].core->ask_bit = UINT32_C(1) << keep;
        keep++;
    }
    q->nwarps = keep;
    q->ask = keep < 32 ? (UINT32_C(1) << keep) - 1 : UINT32_MAX;
    q->ready = q->lsu = q->splits = 0;
    memset(q->wants, 0, sizeof q->wants);
    memset(&q->wheel, 0, sizeof q->wheel);
    q->wheel.base = now;
    q->wheel.first = UINT64_MAX;
    q->last = 0;
}

void tc_sm_drop(tc_sm *sm, const tc_cta *c) {
    for (uint32_t s = 0; s < TC_SCHEDULERS; s++) {
        drop(&sm->scheduler[s], c, sm->now);
        sm->due[s] = 0;
    }
}

/* ---- what issues ---- */

/* An op of the general path, of which some lane takes part. */
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
static inline void go_ahead(tc_timing *t, tc_warp *w, const tc_code *c) {
    enum { SOON = 2 }; /* ops behind them */
    tc_warp_core *k = w->core;
    uint32_t n = k->nsplit == 1 ? c->ahead : 1;
    tc_fast *x = &t->run->entries[c->entry],
            *end = &t->run->entries[c[n].entry];
    const int part = k->mask != w->alive;
    while (x < end) {
        x = x->fn[part](w, x, k->mask);
    }
    k->ahead = n - 1;
    for (uint32_t i = n; i < n + SOON && c[i].one; i++) {
        fetch_for(t, w, &c[i]);
    }
}

/* Executes the op, which is k->pc's. False: nobody takes it. */
static bool execute(tc_timing *t, tc_warp *w, uint64_t now) {
    tc_warp_core *k = w->core;
    uint32_t pc = k->pc++;
    const tc_code *c = &t->run->code[pc];
    t->arrives = 0;
    if (t->run->launch->stops) {
        k->pc = pc;
        tc_issued_op(w, pc);
        k->pc = pc + 1;
    }
    if (c->guard >= 0 && (k->mask & (w->pred[c->guard] ^ c->flip)) == 0) {
        return false;
    }
    if (c->ahead) {
        go_ahead(t, w, c);
    } else if (c->one) {
        k->line_pc = pc;
        k->line_cycle = now - 1;
        c->one->fn[k->mask != w->alive](w, c->one, k->mask);
    } else if (!c->run) {
        general(w, c);
    }
    return true;
}

/* When who waits for its result may go on; on the scoreboard. */
static inline void promise(tc_timing *t, tc_warp_core *k,
                           const tc_timing_op *op, uint64_t at) {
    uint64_t entry = at << TC_READY_SHIFT | op->stall;
    k->ready[op->result] = entry;
    if (op->many) {
        const uint32_t *dst = &t->regs[op->regs + op->nsrc];
        for (uint32_t i = 0; i < op->ndst; i++) {
            k->ready[dst[i]] = entry;
        }
    }
}

/* ---- its schedulers ---- */

/* It sleeps till then. */
static inline void sleep_till(tc_scheduler *q, uint32_t bit, uint64_t at) {
    tc_wheel *h = &q->wheel;
    if (at - h->base <= TC_WHEEL) {
        h->used |= UINT64_C(1) << at % TC_WHEEL;
        h->slot[at % TC_WHEEL] |= bit;
    } else {
        h->far |= bit;
        h->first = at < h->first ? at : h->first;
    }
}

/* It does not, any more. */
static void unsleep(tc_scheduler *q, const tc_slot *x) {
    q->wheel.far &= ~x->bit;
    q->wheel.slot[x->wake % TC_WHEEL] &= ~x->bit;
    q->ready &= ~x->bit;
}

/* Its next op has what it needs at t. */
static inline void note(tc_scheduler *q, tc_slot *x, tc_timing_op *op,
                        uint64_t t, tc_stall why) {
    uint32_t bit = x->bit;
    q->wants[x->op->unit] &= ~bit;
    q->wants[op->unit] |= bit;
    q->lsu = op->lsu ? q->lsu | bit : q->lsu & ~bit;
    x->op = op;
    x->wake = t;
    x->why = (uint8_t)why;
}

/* Cycles of the warp until now, up to which it slept, by cause. */
static void slept(tc_timing *t, tc_slot *x, uint64_t now) {
    uint64_t woke = x->wake < now ? x->wake : now;
    if (t->run->trace && woke > x->since) {
        tc_stretch_stalled(x->core, x->why, woke - x->since);
    }
    t->run->counters.stalls[x->why] += woke - x->since;
    x->since = woke;
}

/* Asks the scoreboard about warps that were woken, or whose turn is over. */
static void look(tc_timing *t, tc_scheduler *q, uint64_t now) {
    for (uint32_t m = q->ask; m; m &= m - 1) {
        tc_slot *x = &q->slot[tc_first_bit(m)];
        tc_warp *w = x->warp;
        tc_stall why = TC_STALL_FIXED;
        x->op = x->op ? x->op : t->ops;
        unsleep(q, x);
        slept(t, x, now);
        uint64_t at = w->alive ? tc_timing_when(w, &why) : UINT64_MAX;
        bool walks = tc_walks(w->core), split = walks || w->core->cur >= 0;
        note(q, x,
             walks ? tc_walk_op(t, w->core) : &t->ops[split ? w->core->pc : 0],
             tc_timing_later(at, x->since), why);
        q->splits = split ? q->splits | x->bit : q->splits & ~x->bit;
        if (at <= now) {
            q->ready |= x->bit;
        } else {
            sleep_till(q, x->bit, at);
        }
    }
    q->ask = 0;
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
        uint32_t i = (uint32_t)tc_first_bit(far);
        uint64_t t = q->slot[i].wake;
        if (t <= now) {
            m |= far & -far;
            __builtin_prefetch(q->slot[i].core);
            __builtin_prefetch((char *)q->slot[i].core + 64);
        } else {
            sleep_till(q, q->slot[i].bit, t);
        }
    }
    return m;
}

/* Takes out of the wheel who wakes up to now: mostly one slot's. */
static inline uint32_t take_due(tc_scheduler *q, uint64_t now) {
    tc_wheel *h = &q->wheel;
    uint64_t n = now - h->base;
    uint32_t m = 0;
    if (n == 1) {
        m = h->slot[now % TC_WHEEL];
        h->slot[now % TC_WHEEL] = 0;
        h->used &= ~(UINT64_C(1) << now % TC_WHEEL);
    } else {
        uint64_t due = turned(h);
        due = n >= TC_WHEEL ? due : due & ((UINT64_C(1) << n) - 1);
        for (; due; due &= due - 1) {
            uint64_t at =
                (h->base + 1 + (uint64_t)__builtin_ctzll(due)) % TC_WHEEL;
            m |= h->slot[at];
            h->slot[at] = 0;
            h->used &= ~(UINT64_C(1) << at);
        }
    }
    h->base = now;
    return h->first > now ? m : m | take_far(q, now);
}

/* Sleepers whose time has come. */
static inline void wake(tc_scheduler *q, uint64_t now) {
    uint32_t m = take_due(q, now);
    q->ready |= m & q->splits;
    q->ask |= m & ~q->splits; /* where it slept itself, it is another split's
                                 turn */
}

/* When the first of the sleepers wakes. */
static inline uint64_t soonest(const tc_wheel *h) {
    uint64_t near = h->used ? h->base + 1 + (uint64_t)__builtin_ctzll(turned(h))
                            : UINT64_MAX;
    return near < h->first ? near : h->first;
}

/* Ready warps whose unit is free too. *next: when the first of the others can
 * go. */
static inline uint32_t available(tc_scheduler *q, uint64_t lsu_free,
                                 uint64_t now, uint64_t *next) {
    uint32_t ready = q->ready,
             held = now < q->held_till ? q->wants[q->held] : 0;
    *next = ready & held ? now + 1 : UINT64_MAX;
    ready &= ~held;
    for (uint32_t busy = q->busy; busy; busy &= busy - 1) {
        uint32_t u = (uint32_t)tc_first_bit(busy);
        if (q->unit_free[u] <= now) {
            q->busy &= ~(busy & -busy);
        } else if (ready & q->wants[u]) {
            ready &= ~q->wants[u];
            *next = earlier(*next, q->unit_free[u]);
        }
    }
    if ((ready & q->lsu) && lsu_free > now + TC_LSU_QUEUE) {
        ready &= ~q->lsu;
        *next = earlier(*next, lsu_free - TC_LSU_QUEUE);
    }
    return ready;
}

/* Cycles of the warp since its last issue, by cause. */
static inline void account(tc_timing *t, const tc_slot *x, uint64_t now,
                           uint64_t unit_free) { /* at most now */
    uint64_t *stalls = t->run->counters.stalls, wake = x->wake;
    stalls[x->why] += wake - x->since;
    uint64_t free = tc_timing_later(unit_free, wake);
    if (t->run->trace) {
        tc_stretch_stalled(x->core, x->why, wake - x->since);
        tc_stretch_stalled(x->core, TC_STALL_PIPE, free - wake);
        tc_stretch_stalled(x->core, TC_STALL_NOT_SELECTED, now - free);
        const tc_ptx_op *code = t->run->module->code;
        uint32_t at =
            tc_walks(x->core) ? t->mcode->ops[x->core->walk->op].at : TC_NO_OP;
        tc_stretch_issue(x->warp, now,
                         at != TC_NO_OP      ? &code[at]
                         : tc_walks(x->core) ? x->core->stretch.op
                                             : &code[x->core->pc]);
    }
    stalls[TC_STALL_PIPE] += free - wake;
    stalls[TC_STALL_NOT_SELECTED] += now - free;
}

static inline uint32_t idle_lanes(const tc_warp_core *k) {
    return k->mask == UINT32_MAX ? 0 : TC_LANES - tc_popc(k->mask);
}

/* Executes an op that was not executed ahead. Returns whether the warp's turn
 * goes on (who has ended has no limit). */
static bool perform(tc_timing *t, tc_warp *w, tc_timing_op *op, uint64_t now) {
    tc_warp_core *k = w->core;
    uint32_t idle = idle_lanes(k);
    t->idle += idle;
    uint32_t pc = k->pc;
    bool done = execute(t, w, now);
    uint64_t due = tc_timing_later(now + op->latency, t->arrives);
    if (done) {
        promise(t, k, op, due);
    }
    if (t->mcode && !k->again) {
        tc_walk_done(t, k, pc, now, due);
    }
    if (k->again) { /* it waits within the op, which counts when it goes on */
        k->again = false;
        op->issued--;
        t->idle -= idle;
        t->at->issued--;
        t->at->overlapped -= now < t->at->lands;
        t->own -= now < k->lands;
    }
    return !t->mcode && k->cur >= 0 && k->pc < k->limit &&
           now + 1 < k->turn_end;
}

/* Of an op that has been executed already. */
static inline bool catch_up(tc_timing *t, tc_warp_core *k,
                            const tc_timing_op *op, uint64_t now) {
    k->ahead--;
    k->pc++;
    t->idle += idle_lanes(k);
    promise(t, k, op, now + op->latency);
    return !t->mcode && now + 1 < k->turn_end;
}

/* An instruction of the machine code issues; the next one's turn comes, or the
 * warp is asked what it does next. */
static inline void walk_on(tc_timing *t, tc_scheduler *q, tc_slot *x,
                           uint64_t now) {
    tc_warp_core *k = x->core;
    tc_stall why;
    tc_walk_issue(t, x->warp, now);
    if (!tc_walks(k)) {
        q->ask |= x->bit;
        return;
    }
    uint64_t at = tc_walk_when(t, k, &why);
    note(q, x, tc_walk_op(t, k), at, why);
    sleep_till(q, x->bit, at);
}

/* The warp issues, and sleeps until its next op can go. */
static inline void issue(tc_timing *t, tc_sm *sm, tc_scheduler *q, tc_slot *x,
                         bool *exited) {
    uint64_t now = sm->now;
    tc_warp_core *k = x->core;
    tc_timing_op *op = x->op;
    uint64_t free = q->unit_free[op->unit];
    if (op->lsu && sm->lsu_free > TC_LSU_QUEUE) {
        free = tc_timing_later(free, sm->lsu_free - TC_LSU_QUEUE);
    }
    account(t, x, now, free);
    q->unit_free[op->unit] = now + op->interval;
    q->busy |= op->busy;
    if (op->interval == 2) {
        q->held = op->unit;
        q->held_till = now + 2;
    }
    q->ready &= ~x->bit;
    x->since = k->next = now + 1;
    op->issued++;
    sm->issued++;
    sm->overlapped += now < sm->lands;
    t->own += now < k->lands;
    if (tc_walks(k)) {
        walk_on(t, q, x, now);
        return;
    }
    if (!(k->ahead ? catch_up(t, k, op, now) : perform(t, x->warp, op, now))) {
        q->ask |= x->bit;
        *exited |= !x->warp->alive && x->warp->cta->nlive == 0;
        return;
    }
    tc_stall why;
    op = &t->ops[k->pc];
    uint64_t at = tc_timing_operands(t, k, op, &why);
    if (k->next != now + 1 && k->next == at) {
        why = TC_STALL_MEMBAR; /* all that puts off the next op */
    }
    note(q, x, op, at, why);
    sleep_till(q, x->bit, at);
}

/* One scheduler's cycle: the last warp goes on while it can, else the next one
 * in the round. Returns the cycle at which there may be something to do. */
static inline uint64_t schedule(tc_timing *t, tc_sm *sm, tc_scheduler *q,
                                uint64_t now, bool *exited) {
    wake(q, now);
    if (q->ask) {
        look(t, q, now);
    }
    uint64_t next;
    uint32_t can = available(q, sm->lsu_free, now, &next);
    if (can) {
        uint32_t later = can & ~((UINT32_C(1) << q->last) - 1);
        uint32_t i = (uint32_t)tc_first_bit(later ? later : can);
        q->last = i;
        issue(t, sm, q, &q->slot[i], exited);
        if (q->ask | q->ready) {
            return now + 1;
        }
        next = UINT64_MAX;
    }
    uint64_t soon = soonest(&q->wheel);
    return earlier(next, soon);
}

/* The first cycle at which a scheduler is due. */
static inline uint64_t first_due(const tc_sm *sm) {
    uint64_t first = UINT64_MAX;
    for (uint32_t s = 0; s < TC_SCHEDULERS; s++) {
        first = earlier(first, sm->due[s]);
    }
    return first;
}

bool tc_sm_run(tc_timing *t, tc_sm *sm, uint64_t end, uint64_t *soonest) {
    tc_run *r = t->run;
    bool ended = false;
    t->at = sm;
    *soonest = sm->now;
    while (sm->now < end && !r->stopped && !ended) {
        uint64_t now = r->cycle = sm->now;
        if (r->nevents && tc_event_next(r) <= now) {
            tc_event_run(r);
        }
        for (uint32_t s = 0; s < TC_SCHEDULERS && !r->stopped; s++) {
            if (sm->due[s] <= now) {
                sm->due[s] = UINT64_MAX; /* a release sets it to 0 */
                uint64_t at = schedule(t, sm, &sm->scheduler[s], now, &ended);
                sm->due[s] = at < sm->due[s] ? at : sm->due[s];
            }
        }
        uint64_t first = first_due(sm);
        first = r->nevents ? earlier(first, tc_event_next(r)) : first;
        sm->now = *soonest = ended || first <= now ? now + 1 : first;
    }
    /* A wake-up from outside may come before what is due here. */
    sm->now = sm->now > end ? end : sm->now;
    return ended;
}

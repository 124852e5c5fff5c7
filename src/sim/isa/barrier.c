/* barrier.c - bar and barrier: sync, arrive, red (PTX ISA 9.7.13.1);
 * membar and fence (9.7.13.4). bar.warp.sync is in vote.c.
 *
 * Threads that ended are not waited for when no count is given, as on the
 * hardware; the checker reports them. With a count, a warp whose live lanes
 * have all arrived counts as 32 threads. */
#include "sim/alu/alu.h"
#include "sim/core/finding.h"
#include "sim/isa/isa.h"
#include "sim/race/race.h"
#include "sim/timing/timing.h"

typedef struct tc_arrivals {
    uint32_t threads; /* as the barrier counts them */
    uint32_t wanted;
    bool any;
} tc_arrivals;

static uint32_t waiting_lanes(const tc_warp *w, uint32_t id) {
    uint32_t lanes = 0;
    for (int i = 0; i < w->core->nsplit; i++) {
        const tc_split *s = &w->core->split[i];
        if (s->state == TC_SPLIT_BARRIER && s->barrier == id) {
            lanes |= s->mask;
        }
    }
    return lanes;
}

/* A warp of which all that lives is there counts whole. */
static uint32_t of_warp(const tc_warp *w, uint32_t lanes) {
    return lanes && (w->alive & ~lanes) == 0 ? TC_LANES : tc_popc(lanes);
}

static tc_arrivals arrivals(const tc_cta *c, uint32_t id) {
    const tc_barrier *bar = &c->barriers[id];
    tc_arrivals a = {.threads = bar->twice};
    uint32_t live = 0, plain = 0;
    for (uint32_t i = 0; i < c->nwarps; i++) {
        const tc_warp *w = &c->warps[i];
        uint32_t waits = waiting_lanes(w, id), came = w->core->arrived[id];
        a.any |= (waits | came) != 0;
        live += tc_popc(w->alive);
        plain += tc_popc(waits | came);
        a.threads +=
            came & ~waits ? of_warp(w, waits | came) : of_warp(w, waits);
        a.threads += came & waits ? of_warp(w, came) : 0;
    }
    a.wanted = bar->count ? bar->count : live;
    if (!bar->count) {
        a.threads = plain;
    }
    return a;
}

void tc_barrier_arrivals(const tc_cta *c, uint32_t id, uint32_t *arrived,
                         uint32_t *wanted) {
    tc_arrivals a = arrivals(c, id);
    *arrived = a.threads;
    *wanted = a.wanted;
}

static bool is_red(const tc_ptx_op *op) {
    return op->opcode == TC_PTX_BAR_RED || op->opcode == TC_PTX_BARRIER_RED;
}

/* ---- red: the predicates of all who wait ---- */

/* Calls fn for each split that waits, in its own frame. */
typedef void tc_waiter_fn(tc_warp *w, tc_split *s, uint32_t *sum);

static void each_red(tc_cta *c, uint32_t id, tc_waiter_fn *fn, uint32_t *sum) {
    for (uint32_t i = 0; i < c->nwarps; i++) {
        tc_warp *w = &c->warps[i];
        tc_frame *running = w->frame;
        for (int j = 0; j < w->core->nsplit; j++) {
            tc_split *s = &w->core->split[j];
            if (s->state == TC_SPLIT_BARRIER && s->barrier == id &&
                is_red(s->op)) {
                tc_frame_enter(w, s->frame);
                fn(w, s, sum);
            }
        }
        tc_frame_enter(w, running);
    }
}

static void count_true(tc_warp *w, tc_split *s, uint32_t *sum) {
    uint32_t yes = tc_src_pred(w, &s->op->a[3]) & s->mask;
    sum[0] += tc_popc(yes);
    sum[1] += tc_popc(s->mask);
}

static void give_result(tc_warp *w, tc_split *s, uint32_t *sum) {
    uint32_t v[TC_LANES];
    if (s->op->sub == TC_BARRED_POPC) {
        for (int i = 0; i < TC_LANES; i++) {
            v[i] = sum[0];
        }
        tc_put32(w, &s->op->a[0], v, s->mask);
        return;
    }
    bool yes = s->op->sub == TC_BARRED_AND ? sum[0] == sum[1] : sum[0] != 0;
    tc_put_pred(w, &s->op->a[0], yes ? UINT32_MAX : 0, s->mask);
}

/* ---- release ---- */

static void wake(tc_warp *w, tc_split *s, uint32_t id, uint64_t at) {
    if (w->cta->run->trace) {
        tc_observe_event(w, s->op, TC_TRACE_BARRIER, TC_UNIT_BARRIER, s->mask,
                         (tc_trace_event){.cycle = s->since,
                                          .end = at,
                                          .group = -1,
                                          .bytes = -1,
                                          .object = TC_OBJECT_BARRIER,
                                          .owner = w->cta->index,
                                          .barrier = id});
    }
    tc_warp_release(w, s, at);
}

static void release(tc_cta *c, uint32_t id) {
    tc_run *r = c->run;
    uint32_t sum[2] = {0, 0};
    r->progress++;
    r->counters.barriers++;
    if (r->race) {
        tc_race_barrier_complete(c, id);
    }
    if (c->barriers[id].red) {
        each_red(c, id, count_true, sum);
        each_red(c, id, give_result, sum);
    }
    for (uint32_t i = 0; i < c->nwarps; i++) {
        tc_warp *w = &c->warps[i];
        w->core->arrived[id] = 0;
        for (int j = 0; j < w->core->nsplit; j++) {
            tc_split *s = &w->core->split[j];
            if (s->state == TC_SPLIT_BARRIER && s->barrier == id) {
                wake(w, s, id, r->timing ? r->cycle + tc_timing_barrier(c) : 0);
            }
        }
    }
    c->barriers[id] = (tc_barrier){0};
}

/* Where all that live are wanted and all who come wait, one that lives and does
 * not wait tells without counting. Warps have their turns in order: most often
 * it is the last. */
static bool someone_lacks(const tc_cta *c, uint32_t id) {
    const tc_barrier *bar = &c->barriers[id];
    if (bar->count || bar->arrived || bar->twice) {
        return false;
    }
    for (uint32_t i = c->nwarps; i-- > 0;) {
        const tc_warp *w = &c->warps[i];
        if (w->alive & ~waiting_lanes(w, id)) {
            return true;
        }
    }
    return false;
}

void tc_barrier_check(tc_cta *c) {
    for (uint32_t id = 0; id < TC_BARRIERS; id++) {
        if (c->barriers[id].op && !someone_lacks(c, id)) {
            tc_arrivals a = arrivals(c, id);
            if (a.any && a.threads >= a.wanted) {
                release(c, id);
            }
        }
    }
}

/* ---- arrival ---- */

static bool is_arrive(const tc_ptx_op *op) {
    return op->opcode == TC_PTX_BAR_ARRIVE ||
           op->opcode == TC_PTX_BARRIER_ARRIVE;
}

/* The barrier's use begins with its first arrival; the others must agree. */
static void agree(tc_warp *w, const tc_ptx_op *op, uint32_t id, uint32_t count,
                  uint32_t lanes) {
    tc_barrier *b = &w->cta->barriers[id];
    uint32_t all = w->cta->nwarps * TC_LANES;
    uint32_t mine = count ? count : all, its = b->count ? b->count : all;
    if (!b->op) {
        *b = (tc_barrier){.op = op, .count = count, .red = is_red(op)};
        return;
    }
    if (mine != its) {
        tc_undefined_sync(w, op, lanes,
                          (tc_detail){.row = TC_DETAIL_BARRIER_COUNTS,
                                      .id = id,
                                      .count = its,
                                      .wanted = mine});
    } else if (b->red != is_red(op)) {
        tc_undefined_sync(w, op, lanes,
                          (tc_detail){.row = TC_DETAIL_BARRIER_RED, .id = id});
    }
    b->count = b->count ? b->count : count;
    b->red |= is_red(op);
}

static void arrive(tc_warp *w, const tc_ptx_op *op, uint32_t id,
                   uint32_t lanes) {
    uint32_t again = w->core->arrived[id] & lanes;
    if (again) {
        tc_undefined_sync(
            w, op, again,
            (tc_detail){.row = TC_DETAIL_BARRIER_TWICE, .id = id});
        w->cta->barriers[id].twice += tc_popc(again);
    }
    w->core->arrived[id] |= lanes;
    w->cta->barriers[id].arrived = true;
    if (w->cta->run->race) {
        tc_race_barrier_arrive(w, op, lanes, id);
    }
}

/* Lanes that give one barrier and one count. False after a fault. */
static bool come(tc_warp *w, const tc_ptx_op *op, uint32_t id, uint32_t count,
                 uint32_t lanes, bool counted) {
    if (id >= TC_BARRIERS || count % TC_LANES || (counted && count == 0)) {
        tc_finding_fault(w, op, tc_first_bit(lanes), TC_FINDING_TRAP, TC_PS_REG,
                         0, 0,
                         id >= TC_BARRIERS ? TC_DETAIL_BARRIER_ID
                                           : TC_DETAIL_BARRIER_THREADS);
        return false;
    }
    agree(w, op, id, count, lanes);
    if (is_arrive(op)) {
        arrive(w, op, id, lanes);
        return true;
    }
    tc_split *s = tc_warp_block(w, lanes, w->core->pc, TC_SPLIT_BARRIER, op);
    s->barrier = (uint8_t)id;
    s->count = count;
    return true;
}

static void barrier(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    int at = is_red(op) ? 1 : 0;
    uint32_t ids[TC_LANES], counts[TC_LANES], tmp[TC_LANES];
    bool counted = op->noperands > at + 1 && op->a[at + 1].kind != TC_PO_NONE;
    if (!counted && op->a[at].kind == TC_PO_IMM) {
        if (come(w, op, (uint32_t)op->a[at].imm, 0, mask, false)) {
            tc_barrier_check(w->cta);
        }
        return;
    }
    memcpy(ids, tc_src32(w, &op->a[at], tmp), sizeof ids);
    memset(counts, 0, sizeof counts);
    if (counted) {
        memcpy(counts, tc_src32(w, &op->a[at + 1], tmp), sizeof counts);
    }
    while (mask) {
        int first = tc_first_bit(mask);
        uint32_t lanes = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            int i = tc_first_bit(m);
            bool same = ids[i] == ids[first] && counts[i] == counts[first];
            lanes |= same ? UINT32_C(1) << i : 0;
        }
        mask &= ~lanes;
        if (!come(w, op, ids[first], counts[first], lanes, counted)) {
            return;
        }
    }
    tc_barrier_check(w->cta);
}

#define TC_BARRIER_OP(id)                                                      \
    void tc_sim_op_##id(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {      \
        barrier(w, op, mask);                                                  \
    }
TC_BARRIER_OP(BAR_SYNC)
TC_BARRIER_OP(BARRIER_SYNC)
TC_BARRIER_OP(BAR_ARRIVE)
TC_BARRIER_OP(BARRIER_ARRIVE)
TC_BARRIER_OP(BAR_RED)
TC_BARRIER_OP(BARRIER_RED)

/* 9.7.13.4. One memory, in order: only the checker and the clock have anything
 * to do. */
void tc_sim_op_MEMBAR(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_run *r = w->cta->run;
    if (r->race) {
        tc_race_fence_op(w, op, mask);
    }
    if (r->timing && op->scope >= TC_PTX_SCOPE_GPU) {
        tc_timing_fence(w);
    }
}

void tc_sim_op_FENCE(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_sim_op_MEMBAR(w, op, mask);
}

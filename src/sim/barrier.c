/* barrier.c - bar.sync, barrier.sync (PTX ISA 9.7.13.1), bar.warp.sync
 * (9.7.13.2), fences, and what is said when nobody can go on.
 *
 * Threads that ended are not waited for when no count is given, as on the
 * hardware; the checker reports them. With a count, a warp whose live lanes
 * have all arrived counts as 32 threads. */
#include "sim/hazard.h"
#include "sim/internal.h"

typedef struct tc_arrivals {
    uint32_t threads; /* as the barrier counts them */
    uint32_t wanted;
    bool any;
} tc_arrivals;

static uint32_t warp_arrived(const tc_warp *w, uint32_t id, uint32_t *count) {
    uint32_t lanes = 0;
    for (int i = 0; i < w->core->nsplit; i++) {
        const tc_split *s = &w->core->split[i];
        if (s->state == TC_SPLIT_BARRIER && s->barrier == id) {
            lanes |= s->mask;
            if (s->count) {
                *count = s->count;
            }
        }
    }
    return lanes;
}

static tc_arrivals arrivals(const tc_cta *c, uint32_t id) {
    tc_arrivals a = {0};
    uint32_t count = 0, live = 0, plain = 0;
    for (uint32_t i = 0; i < c->nwarps; i++) {
        const tc_warp *w = &c->warps[i];
        uint32_t lanes = warp_arrived(w, id, &count);
        a.any |= lanes != 0;
        live += tc_popc(w->alive);
        plain += tc_popc(lanes);
        a.threads += lanes && lanes == w->alive ? 32 : tc_popc(lanes);
    }
    a.wanted = count ? count : live;
    if (!count) {
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

static void release(tc_cta *c, uint32_t id) {
    tc_run *r = c->run;
    r->progress++;
    r->counters.barriers++;
    if (r->hazard) {
        tc_hazard_barrier(c, id);
    }
    for (uint32_t i = 0; i < c->nwarps; i++) {
        tc_warp *w = &c->warps[i];
        for (int j = 0; j < w->core->nsplit; j++) {
            tc_split *s = &w->core->split[j];
            if (s->state != TC_SPLIT_BARRIER || s->barrier != id) {
                continue;
            }
            uint64_t at = r->timing ? r->cycle + tc_timing_barrier(c) : 0;
            if (r->trace) {
                tc_observe_event(w, s->op, TC_TRACE_BARRIER, TC_UNIT_BARRIER,
                                 s->mask,
                                 (tc_trace_event){.cycle = s->since,
                                                  .end = at,
                                                  .group = -1,
                                                  .bytes = -1,
                                                  .barrier = id + 1});
            }
            tc_warp_release(w, s, at);
        }
    }
}

void tc_barrier_check(tc_cta *c) {
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < c->nwarps; i++) {
        const tc_warp_core *k = c->warps[i].core;
        for (int j = 0; j < k->nsplit; j++) {
            if (k->split[j].state == TC_SPLIT_BARRIER) {
                waiting |= UINT32_C(1) << k->split[j].barrier;
            }
        }
    }
    for (uint32_t id = 0; waiting; id++, waiting >>= 1) {
        if (waiting & 1) {
            tc_arrivals a = arrivals(c, id);
            if (a.any && a.threads >= a.wanted) {
                release(c, id);
            }
        }
    }
}

static uint32_t operand_of(tc_warp *w, const tc_ptx_op *op, int i,
                           uint32_t mask) {
    uint32_t tmp[TC_LANES];
    if (i >= op->noperands || op->a[i].kind == TC_PO_NONE) {
        return 0;
    }
    return tc_src32(w, &op->a[i], tmp)[tc_first(mask)];
}

static void barrier(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t id = operand_of(w, op, 0, mask),
             count = operand_of(w, op, 1, mask);
    if (id >= TC_BARRIERS || count % TC_LANES) {
        tc_fault(w, op, tc_first(mask), TC_FINDING_TRAP, TC_PS_REG, 0, 0,
                 id >= TC_BARRIERS
                     ? "a CTA has the barriers 0 to 15"
                     : "a barrier's thread count is a multiple of 32");
        return;
    }
    tc_split *s = tc_warp_block(w, mask, w->core->pc, TC_SPLIT_BARRIER, op);
    s->barrier = (uint8_t)id;
    s->count = count;
    tc_barrier_check(w->cta);
}

void tc_sim_op_BAR_SYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    barrier(w, op, mask);
}

void tc_sim_op_BARRIER_SYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    barrier(w, op, mask);
}

/* Waits until the lanes of the member mask have arrived, and orders them. */
void tc_sim_op_BAR_WARP_SYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t need = operand_of(w, op, 0, mask);
    if (!tc_warp_converged(w, op, mask, need)) {
        return;
    }
    if (w->cta->run->hazard) {
        tc_hazard_warp_sync(w, mask);
    }
}

/* 9.7.13.4. One memory, in order: only the checker has anything to do. */
void tc_sim_op_MEMBAR(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    (void)op;
    if (w->cta->run->hazard) {
        tc_hazard_fence(w, mask);
    }
}

void tc_sim_op_FENCE(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_sim_op_MEMBAR(w, op, mask);
}

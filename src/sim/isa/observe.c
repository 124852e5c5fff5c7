/* observe.c - what an observed op tells the checker, the clock and the trace.
 * Only entries of the code table that name an observed function come here. */
#include "sim/core/address.h"
#include "sim/core/results.h"
#include "sim/isa/isa.h"
#include "sim/race/race.h"
#include "sim/timing/timing.h"

uint8_t tc_trace_space_of(tc_ptx_space space) {
    switch (space) {
    case TC_PS_SHARED:
    case TC_PS_CLUSTER:
        return TC_TRACE_SPACE_SHARED;
    case TC_PS_GLOBAL:
    case TC_PS_GENERIC:
    case TC_PS_CONST:
        return TC_TRACE_SPACE_GLOBAL;
    case TC_PS_TENSOR:
        return TC_TRACE_SPACE_TENSOR;
    default:
        return TC_TRACE_SPACE_NONE;
    }
}

int32_t tc_observe_event(tc_warp *w, const tc_ptx_op *op, tc_trace_kind kind,
                         tc_trace_unit unit, uint32_t lanes, tc_trace_event e) {
    tc_run *r = w->cta->run;
    if (e.cycle == 0) {
        e.cycle = r->cycle;
    }
    if (e.end == 0) {
        e.end = r->cycle;
    }
    if (kind != TC_TRACE_COMPLETE) {
        e.cause = -1;
    }
    e.phase = e.object == TC_OBJECT_MBARRIER ? e.phase : -1;
    e.kind = (uint8_t)kind;
    e.unit = (uint8_t)unit;
    e.lanes = lanes;
    e.cta = w->cta->index;
    e.warp = w->index;
    e.line = op->file <= 1 ? (int32_t)op->line : 0;
    e.ptx_line = op->ptx_line;
    return tc_trace_add(r->trace, &e);
}

/* A load or store of these lanes, at addresses of a space. */
static void trace_access(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                         uint32_t mask, const uint64_t *addr, uint32_t bytes,
                         bool store) {
    uint64_t at[TC_LANES];
    const tc_cta *owner = w->cta;
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        at[i] = addr[i];
        if (space == TC_PS_CLUSTER) { /* the lanes are of one window */
            const tc_cta *c = tc_cluster_owner(w->cta, addr[i], &at[i]);
            owner = c ? c : owner;
        }
    }
    tc_trace_event e = {.group = -1,
                        .lanes = mask,
                        .bytes = (int32_t)(bytes * tc_popc(mask)),
                        .each = bytes,
                        .space = tc_trace_space_of(space),
                        .owner = owner->index};
    tc_trace_lanes(w->cta->run->trace, &e, at);
    int32_t n = tc_observe_event(w, op, store ? TC_TRACE_STORE : TC_TRACE_LOAD,
                                 TC_UNIT_LSU, mask, e);
    if (w->cta->run->timing) {
        tc_timing_traced(w->cta->run, n);
    }
}

/* For who has no clock: how many sectors accesses touch that are no row, by
 * those of some CTAs. Lanes that come back to a sector count again. */
static void sample(const tc_warp *w, uint32_t mask, const uint64_t *addr,
                   uint32_t bytes) {
    enum { EACH = 8 };
    tc_run *r = w->cta->run;
    uint64_t sectors = 0, last = UINT64_MAX, asked = 0;
    r->others++;
    if (w->cta->index % EACH) {
        return;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t sector = addr[tc_first_bit(m)] / 32;
        sectors += sector != last;
        last = sector;
        asked += bytes;
    }
    r->sampled++;
    r->sampled_sectors += sectors;
    r->sampled_bytes += asked < sectors * 32 ? asked : sectors * 32;
}

/* The clock and the trace. */
static void observe_rest(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                         uint32_t mask, const uint64_t *addr, uint32_t bytes,
                         bool store) {
    tc_run *r = w->cta->run;
    if (space == TC_PS_GLOBAL && !r->timing) {
        sample(w, mask, addr, bytes);
    }
    if (store && space == TC_PS_GLOBAL) {
        tc_results_stored(w, mask, 0, addr, bytes);
    }
    if (r->timing) {
        tc_timing_access(w, op, space, mask, addr, bytes, store);
    }
    if (r->trace && space != TC_PS_LOCAL) {
        trace_access(w, op, space, mask, addr, bytes, store);
    }
}

/* Nobody writes them while a kernel runs. */
static void observe_constants(tc_warp *w, const tc_ptx_op *op,
                              tc_ptx_space space, uint32_t mask,
                              const uint64_t *addr, uint32_t bytes) {
    if (w->cta->run->timing) {
        tc_timing_access(w, op, space, mask, addr, bytes, false);
    }
}

void tc_isa_observe(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                    uint32_t mask, const uint64_t *addr, uint32_t bytes,
                    bool store) {
    if (space == TC_PS_PARAM || space == TC_PS_CONST) {
        observe_constants(w, op, space, mask, addr, bytes);
        return;
    }
    if (w->cta->run->race && space != TC_PS_CLUSTER) { /* another CTA's: it
                                                   has been told lane by lane */
        tc_race_access(w, op, space, mask, addr, bytes, store);
    }
    observe_rest(w, op, space, mask, addr, bytes, store);
}

void tc_observe_lanes(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                      uint32_t mask, const uint64_t *addr, uint32_t bytes,
                      bool store, tc_lane_steps steps) {
    if (space == TC_PS_CONST) {
        observe_constants(w, op, space, mask, addr, bytes);
        return;
    }
    if (w->cta->run->race) {
        tc_race_access_steps(w, op, space, mask, addr, bytes, store, steps);
    }
    observe_rest(w, op, space, mask, addr, bytes, store);
}

void tc_observe_run(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                    uint64_t address, uint32_t bytes, bool store) {
    tc_run *r = w->cta->run;
    if (space == TC_PS_GLOBAL) {
        r->row_bytes += (uint64_t)bytes * TC_LANES;
        if (store) {
            tc_results_stored(w, UINT32_MAX, address, NULL, bytes);
        }
    }
    if (r->race && space != TC_PS_CONST) {
        tc_race_access_run(w, op, space, UINT32_MAX, address, bytes, store);
    }
    if (r->timing) {
        tc_timing_run(w, op, space, address, bytes, store);
    }
    if (r->trace) {
        int32_t n = tc_observe_event(
            w, op, store ? TC_TRACE_STORE : TC_TRACE_LOAD, TC_UNIT_LSU,
            UINT32_MAX,
            (tc_trace_event){.group = -1,
                             .bytes = (int32_t)(bytes * TC_LANES),
                             .each = bytes,
                             .stride = (int32_t)bytes,
                             .space = tc_trace_space_of(space),
                             .owner = w->cta->index,
                             .address = address});
        if (r->timing) {
            tc_timing_traced(r, n);
        }
    }
}

void tc_observe_atomic(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                       uint32_t mask, const uint64_t *addr, uint32_t bytes) {
    if (w->cta->run->race) {
        tc_race_atomic(w, op, space, mask, addr, bytes);
    }
    if (space == TC_PS_GLOBAL && op->opcode != TC_PTX_RED) {
        tc_results_stored(w, mask, 0, addr, bytes);
    }
    observe_rest(w, op, space, mask, addr, bytes, op->opcode == TC_PTX_RED);
}

void tc_observe_swaps(tc_warp *w, uint32_t mask) {
    tc_race_lock_before(w, mask);
}

void tc_observe_swap(tc_warp *w, const tc_ptx_op *op, int lane, bool shared,
                     uint64_t address, uint64_t old, uint64_t new) {
    tc_race_lock_swapped(w, op, lane, shared ? w->cta->race : NULL, address,
                         old, new);
}

uint8_t *tc_observe_local(const tc_warp *w) {
    const tc_run *r = w->cta->run;
    return r->race && !r->timing && !r->trace ? tc_race_local(w) : NULL;
}

/* observe.c - what an observed op tells the checker, the clock and the trace.
 * Only entries of the code table that name an observed function come here. */
#include "sim/isa/isa.h"
#include "sim/race/race.h"
#include "sim/timing/timing.h"

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
    e.phase = -1;
    e.kind = (uint8_t)kind;
    e.unit = (uint8_t)unit;
    e.lanes = lanes;
    e.cta = w->cta->index;
    e.warp = w->index;
    e.line = op->file <= 1 ? (int32_t)op->line : 0;
    e.ptx_line = op->ptx_line;
    return tc_trace_add(r->trace, &e);
}

/* The clock and the trace. */
static void observe_rest(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                         uint32_t mask, const uint64_t *addr, uint32_t bytes,
                         bool store) {
    tc_run *r = w->cta->run;
    if (space == TC_PS_GLOBAL) {
        r->global_bytes += (uint64_t)bytes * tc_popc(mask);
    }
    if (r->timing) {
        tc_timing_access(w, op, space, mask, addr, bytes, store);
    }
    if (r->trace && space != TC_PS_LOCAL) {
        tc_observe_event(
            w, op, store ? TC_TRACE_STORE : TC_TRACE_LOAD, TC_UNIT_LSU, mask,
            (tc_trace_event){.group = -1,
                             .bytes = (int32_t)(bytes * tc_popc(mask)),
                             .address = addr[tc_first_bit(mask)]});
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
    if (w->cta->run->timing || w->cta->run->trace) {
        observe_rest(w, op, space, mask, addr, bytes, store);
    }
}

void tc_observe_run(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                    uint64_t address, uint32_t bytes, bool store) {
    tc_run *r = w->cta->run;
    if (space == TC_PS_GLOBAL) {
        r->global_bytes += (uint64_t)bytes * TC_LANES;
    }
    if (r->race && space != TC_PS_CONST) {
        tc_race_access_run(w, op, space, UINT32_MAX, address, bytes, store);
    }
    if (r->timing) {
        tc_timing_run(w, op, space, address, bytes, store);
    }
    if (r->trace) {
        tc_observe_event(w, op, store ? TC_TRACE_STORE : TC_TRACE_LOAD,
                         TC_UNIT_LSU, UINT32_MAX,
                         (tc_trace_event){.group = -1,
                                          .bytes = (int32_t)(bytes * TC_LANES),
                                          .address = address});
    }
}

void tc_observe_atomic(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                       uint32_t mask, const uint64_t *addr, uint32_t bytes) {
    if (w->cta->run->race) {
        tc_race_atomic(w, op, space, mask, addr, bytes);
    }
    observe_rest(w, op, space, mask, addr, bytes, op->opcode == TC_PTX_RED);
}

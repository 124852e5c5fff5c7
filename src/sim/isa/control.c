/* control.c - branches, ends, traps, sleep. */
#include "sim/core/finding.h"
#include "sim/core/operand.h"
#include "sim/isa/isa.h"
#include "sim/timing/profile.h"
#include <string.h>

/* 9.7.12.3. Lanes outside mask fall through. */
void tc_sim_op_BRA(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_warp_core *k = w->core;
    if (mask != k->mask) {
        tc_warp_detach(w, mask, op->target);
        return;
    }
    if (op->target == k->pc - 1 && op->guard < 0) {
        tc_warp_block(w, mask, op->target, TC_SPLIT_HUNG, op);
        return;
    }
    k->pc = op->target;
}

void tc_end_lanes(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    if (w->cta->run->trace) {
        tc_observe_event(w, op, TC_TRACE_EXIT, TC_UNIT_ISSUE, mask,
                         (tc_trace_event){.group = -1, .bytes = -1});
    }
    tc_warp_kill(w, mask);
}

void tc_sim_op_EXIT(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_end_lanes(w, op, mask);
}

/* Of CUDA's cuda_pipeline*.h, whose traps are for sizes that cp.async lacks. */
static bool in_pipeline_header(const tc_ptx_module *m, const tc_ptx_op *op) {
    uint16_t file = op->loc ? m->locs[op->loc].file : op->file;
    const char *path = file < m->nfiles ? m->files[file] : NULL;
    const char *name = path ? strrchr(path, '/') : NULL;
    name = name ? name + 1 : path;
    return name && strncmp(name, "cuda_pipeline", 13) == 0;
}

/* 9.7.19.4: aborts the execution of the grid. */
void tc_sim_op_TRAP(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    bool size = in_pipeline_header(w->cta->run->module, op);
    tc_finding_fault(w, op, tc_first_bit(mask),
                     size ? TC_FINDING_ILLEGAL_SIZE : TC_FINDING_TRAP,
                     TC_PS_REG, 0, 0,
                     size ? TC_DETAIL_PIPELINE_SIZE : TC_DETAIL_NONE);
}

/* 9.7.19.1: without a debugger a GPU ends the launch. */
void tc_sim_op_BRKPT(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_sim_op_TRAP(w, op, mask);
}

/* 9.7.19.2: suspends for a duration in [0, 2t] nanoseconds; we take t, for each
 * lane its own. */
void tc_sim_op_NANOSLEEP(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    enum { MOST = 1000000 };
    uint32_t tmp[TC_LANES], ns[TC_LANES];
    memcpy(ns, tc_src32(w, &op->a[0], tmp), sizeof ns);
    while (mask) {
        uint32_t t = ns[tc_first_bit(mask)], group = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            int i = tc_first_bit(m);
            group |= ns[i] == t ? UINT32_C(1) << i : 0;
        }
        mask &= ~group;
        tc_split *s = tc_warp_block(w, group, w->core->pc, TC_SPLIT_UNTIL, op);
        s->until =
            w->cta->run->cycle + tc_cycles_of(w->cta->run, t > MOST ? MOST : t);
    }
}

/* 9.7.19.5: registers per thread, of which ours are as many as it names. */
void tc_sim_op_SETMAXNREG(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    (void)w, (void)op, (void)mask;
}

/* 9.7.13.13: launches are in order, so nothing is left to wait for. */
void tc_sim_op_GRIDDEPCONTROL(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    (void)w, (void)op, (void)mask;
}

/* control.c - branches, ends, traps, sleep, and special registers. */
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
    tc_fault(w, op, tc_first(mask),
             size ? TC_FINDING_ILLEGAL_SIZE : TC_FINDING_TRAP, TC_PS_REG, 0, 0,
             size ? "__pipeline_memcpy_async copies 4, 8 or 16 bytes, of which "
                    "zfill leaves some"
                  : NULL);
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
        uint32_t t = ns[tc_first(mask)], group = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            int i = tc_first(m);
            group |= ns[i] == t ? UINT32_C(1) << i : 0;
        }
        mask &= ~group;
        tc_split *s = tc_warp_block(w, group, w->core->pc, TC_SPLIT_UNTIL, op);
        s->until = w->cta->run->cycle +
                   tc_cycles_of(w->cta->run->machine, t > MOST ? MOST : t);
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

/* ---- special registers, PTX ISA 10 ---- */

static uint64_t lane_special(const tc_warp *w, tc_ptx_special s, int lane) {
    const uint32_t *block = w->cta->run->launch->block;
    uint32_t t = w->index * TC_LANES + (uint32_t)lane;
    switch (s) {
    case TC_SR_TID_X:
        return t % block[0];
    case TC_SR_TID_Y:
        return t / block[0] % block[1];
    case TC_SR_TID_Z:
        return t / block[0] / block[1];
    case TC_SR_LANEID:
        return (uint64_t)lane;
    case TC_SR_LANEMASK_EQ:
        return UINT32_C(1) << lane;
    case TC_SR_LANEMASK_LE:
        return UINT32_MAX >> (31 - lane);
    case TC_SR_LANEMASK_LT:
        return (UINT32_C(1) << lane) - 1;
    case TC_SR_LANEMASK_GE:
        return UINT32_MAX << lane;
    case TC_SR_LANEMASK_GT:
        return lane == 31 ? 0 : UINT32_MAX << (lane + 1);
    default:
        return 0;
    }
}

/* clock: cycles; globaltimer: nanoseconds (10.24 to 10.27). */
static uint64_t clock_special(const tc_run *r, tc_ptx_special s) {
    uint64_t ns = tc_nanoseconds(r->machine, r->cycle);
    switch (s) {
    case TC_SR_CLOCK:
        return (uint32_t)r->cycle;
    case TC_SR_CLOCK_HI:
        return r->cycle >> 32;
    case TC_SR_GLOBALTIMER:
        return ns;
    case TC_SR_GLOBALTIMER_LO:
        return (uint32_t)ns;
    case TC_SR_GLOBALTIMER_HI:
        return ns >> 32;
    default: /* clock64 */
        return r->cycle;
    }
}

static uint64_t cluster_special(const tc_cta *c, tc_ptx_special s) {
    const tc_run *r = c->run;
    uint32_t dim = 0;
    switch (s) {
    case TC_SR_CLUSTERID_Z:
    case TC_SR_NCLUSTERID_Z:
    case TC_SR_CLUSTER_CTAID_Z:
    case TC_SR_CLUSTER_NCTAID_Z:
        dim = 2;
        break;
    case TC_SR_CLUSTERID_Y:
    case TC_SR_NCLUSTERID_Y:
    case TC_SR_CLUSTER_CTAID_Y:
    case TC_SR_CLUSTER_NCTAID_Y:
        dim = 1;
        break;
    default:
        break;
    }
    uint32_t n[3], rank = 0, all = 1;
    for (int i = 2; i >= 0; i--) {
        n[i] = r->cluster[i];
        rank = rank * n[i] + c->id[i] % n[i];
        all *= n[i];
    }
    switch (s) {
    case TC_SR_CLUSTERID_X:
    case TC_SR_CLUSTERID_Y:
    case TC_SR_CLUSTERID_Z:
        return c->id[dim] / n[dim];
    case TC_SR_NCLUSTERID_X:
    case TC_SR_NCLUSTERID_Y:
    case TC_SR_NCLUSTERID_Z:
        return r->launch->grid[dim] / n[dim];
    case TC_SR_CLUSTER_CTAID_X:
    case TC_SR_CLUSTER_CTAID_Y:
    case TC_SR_CLUSTER_CTAID_Z:
        return c->id[dim] % n[dim];
    case TC_SR_CLUSTER_CTARANK:
        return rank;
    case TC_SR_CLUSTER_NCTARANK:
        return all;
    default:
        return n[dim];
    }
}

uint64_t tc_special(tc_warp *w, tc_ptx_special s, int lane) {
    const tc_cta *c = w->cta;
    const tc_run *r = c->run;
    if (s <= TC_SR_TID_Z || s == TC_SR_LANEID ||
        (s >= TC_SR_LANEMASK_EQ && s <= TC_SR_LANEMASK_GT)) {
        return lane_special(w, s, lane);
    }
    if (s <= TC_SR_NTID_Z) {
        return r->launch->block[s - TC_SR_NTID_X];
    }
    if (s <= TC_SR_CTAID_Z) {
        return c->id[s - TC_SR_CTAID_X];
    }
    if (s <= TC_SR_NCTAID_Z) {
        return r->launch->grid[s - TC_SR_NCTAID_X];
    }
    if (s >= TC_SR_CLUSTERID_X && s <= TC_SR_CLUSTER_NCTARANK) {
        return cluster_special(c, s);
    }
    switch (s) {
    case TC_SR_ENVREG1:
        return r->grid_memory >> 32;
    case TC_SR_ENVREG2:
        return (uint32_t)r->grid_memory;
    case TC_SR_WARPID:
        return w->index;
    case TC_SR_NWARPID:
        return c->nwarps;
    case TC_SR_SMID:
        return c->index % r->machine->sms;
    case TC_SR_NSMID:
        return r->machine->sms;
    case TC_SR_TOTAL_SMEM_SIZE:
        return c->shared_bytes;
    case TC_SR_DYNAMIC_SMEM_SIZE:
        return r->launch->dynamic_shared;
    case TC_SR_AGGR_SMEM_SIZE: /* nothing is reserved */
        return c->shared_bytes;
    case TC_SR_IS_EXPLICIT_CLUSTER:
        return r->launch->cluster[0] != 0 || r->func->reqcluster[0] != 0;
    case TC_SR_ZERO:
    case TC_SR_ZERO64:
        return 0;
    case TC_SR_GRIDID:
        return 1;
    default:
        return clock_special(r, s);
    }
}

uint64_t tc_symbol_address(tc_warp *w, uint32_t symbol) {
    const tc_run *r = w->cta->run;
    return r->symbols[symbol] +
           (r->module->symbols[symbol].stacked ? w->frame->base : 0);
}

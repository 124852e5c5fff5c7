/* special.c - special registers (PTX ISA 10), and what symbols denote. */
#include "sim/core/operand.h"
#include "sim/core/run.h"

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

/* By the SMs' clock. */
static uint64_t nanoseconds(const tc_run *r) {
    uint64_t mhz = r->clock_mhz, now = r->cycle + r->waited;
    return now / mhz * 1000 + now % mhz * 1000 / mhz;
}

/* An SM's clock. Without one: a cycle for each instruction of anybody's, the
 * waits for copies, and three cycles more for the warp's own instructions, whose
 * results it needs (units.def: ALU, FMA). */
static uint64_t cycles(const tc_warp *w) {
    enum { MORE = 3 };
    const tc_run *r = w->cta->run;
    const tc_warp_core *k = w->core;
    return r->timing ? r->cycle
                     : r->cycle + r->waited + k->waited +
                           MORE * (k->ran + r->cycle - k->turn_begin);
}

/* clock: cycles; globaltimer: nanoseconds (10.24 to 10.27). */
static uint64_t clock_special(const tc_warp *w, tc_ptx_special s) {
    uint64_t ns = nanoseconds(w->cta->run);
    switch (s) {
    case TC_SR_CLOCK:
        return (uint32_t)cycles(w);
    case TC_SR_CLOCK_HI:
        return cycles(w) >> 32;
    case TC_SR_GLOBALTIMER:
        return ns;
    case TC_SR_GLOBALTIMER_LO:
        return (uint32_t)ns;
    case TC_SR_GLOBALTIMER_HI:
        return ns >> 32;
    default: /* clock64 */
        return cycles(w);
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

uint64_t tc_operand_special(tc_warp *w, tc_ptx_special s, int lane) {
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
        return clock_special(w, s);
    }
}

uint64_t tc_symbol_address(tc_warp *w, uint32_t symbol) {
    const tc_run *r = w->cta->run;
    return r->symbols[symbol] +
           (r->module->symbols[symbol].stacked ? w->frame->base : 0);
}

/* estimate.c - times of a launch that ran without a clock: a model that costs
 * nothing. It asks how many instructions and bytes there were, not when. It is
 * for programs that take times of what they do (events, clock64) and have not
 * asked for cycles. How far it is from those has not been measured.
 *
 * A launch takes the longest of four, and the way to memory and back:
 *  - issue: instructions of the fullest SM, one a cycle on each scheduler that
 *    has a warp;
 *  - latency: each warp's own instructions, one after the other, as often as
 *    SMs are filled anew;
 *  - L2: sectors of 32 bytes that were touched, at the rate of one SM;
 *  - DRAM: the bytes asked for where memory is larger than L2, else all of memory
 *    once.
 *
 * Sectors are known where the checker is on, by the CTAs that it looks at (each
 * eighth: isa/observe.c); without it all lanes are taken for side by side. L1 is
 * not known: what comes from there counts as if it came from L2. */
#include "sim/timing/profile.h"
#include "sim/timing/sm.h"

enum {
    LATENCY = 4 /* of arithmetic: units.def */,
    START = 2 /* microseconds from a launch to its first CTA, on a GPU */
};

static uint64_t up(uint64_t n, uint64_t by) {
    return (n + by - 1) / by;
}

/* of * n / among, of what was counted among some. */
static uint64_t part(uint64_t of, uint64_t n, uint64_t among) {
    return among ? (uint64_t)((double)of * (double)n / (double)among) : 0;
}

/* Bytes that loads, stores and copies asked of global memory. Who watches
 * accesses counted them; else as many as if each instruction of the kernel ran
 * equally often. *sectors: 0 where they are not known. */
static uint64_t bytes_of(const tc_run *r, uint64_t *sectors) {
    const tc_ptx_func *f = r->func;
    uint64_t each = 0, n = f->end > f->begin ? f->end - f->begin : 1;
    *sectors = 0;
    if (r->race) {
        uint64_t more = r->row_bytes + r->counters.async_bytes;
        *sectors = more / 32 + part(r->others, r->sampled_sectors, r->sampled);
        return more + part(r->others, r->sampled_bytes, r->sampled);
    }
    for (uint32_t i = f->begin; i < f->end; i++) {
        const tc_ptx_op *op = &r->module->code[i];
        bool plain = op->opcode == TC_PTX_LD || op->opcode == TC_PTX_ST;
        each += plain && op->space == TC_PS_GLOBAL
                    ? (uint64_t)tc_ptx_type_bytes[op->type] *
                          (op->nvec ? op->nvec : 1)
                    : 0;
    }
    return r->counters.thread_instructions / n * each + r->counters.async_bytes;
}

static uint64_t memory_of(const tc_sim *s) {
    uint64_t sum = 0;
    for (int i = 0; i < s->nallocs; i++) {
        sum += s->allocs[i] == s->heap ? 0 : s->allocs[i]->size;
    }
    return sum;
}

static uint64_t longest(const tc_run *r, uint64_t per_sm) {
    const tc_profile *p = tc_profile_of(r->machine);
    const uint32_t *g = r->launch->grid, *b = r->launch->block;
    uint64_t ctas = (uint64_t)g[0] * g[1] * g[2], sms = r->machine->sms;
    uint64_t warps = up((uint64_t)b[0] * b[1] * b[2], TC_LANES);
    uint64_t full = up(ctas, sms), held = full < per_sm ? full : per_sm;
    uint64_t ops = r->counters.warp_instructions / ctas; /* of a CTA */
    uint64_t busy = held * warps < TC_SCHEDULERS ? held * warps : TC_SCHEDULERS;
    uint64_t issue = ops * full / busy;
    uint64_t latency = ops / warps * LATENCY * up(full, per_sm);
    uint64_t sectors, memory = memory_of(r->sim);
    uint64_t bytes = bytes_of(r, &sectors), touched = sectors * 32;
    uint64_t l2 = (sectors ? touched : bytes) / (sms < ctas ? sms : ctas) /
                  p->l2_sm_bytes;
    bool fits = memory <= (uint64_t)p->l2_kib * 1024;
    uint64_t dram = (fits && memory < bytes ? memory : bytes) / p->dram_bytes;
    uint64_t a = tc_timing_later(issue, latency), c = tc_timing_later(l2, dram);
    return tc_timing_later(a, c) + (bytes ? p->dram_latency : 0);
}

uint64_t tc_timing_estimate(tc_run *r) {
    uint64_t per_sm = tc_ctas_per_sm(r);
    return longest(r, per_sm ? per_sm : 1) + START * r->clock_mhz;
}

uint64_t tc_timing_waited(const tc_run *r) {
    return tc_profile_of(r->machine)->dram_latency;
}

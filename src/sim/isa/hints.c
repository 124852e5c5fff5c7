/* hints.c - what guides caches and changes no value: prefetch, applypriority,
 * discard, createpolicy (PTX ISA 9.7.9.15 to 9.7.9.18); and isspacep
 * (9.7.9.19); pmevent (9.7.19.3), which nobody watches. */
#include "sim/alu/alu.h"
#include "sim/core/address.h"
#include "sim/core/run.h"

void tc_sim_op_PREFETCH(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    (void)w, (void)op, (void)mask;
}

void tc_sim_op_PREFETCHU(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    (void)w, (void)op, (void)mask;
}

void tc_sim_op_APPLYPRIORITY(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    (void)w, (void)op, (void)mask;
}

void tc_sim_op_PMEVENT(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    (void)w, (void)op, (void)mask;
}

/* The bytes may hold anything afterwards; here they hold what they did. */
void tc_sim_op_DISCARD(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    (void)w, (void)op, (void)mask;
}

/* A policy is opaque: PTX gives its bits no meaning. */
enum { POLICY_KIND = 56, POLICY_REST = 52, POLICY_FRACTION = 44 };

static uint64_t policy_kind(const tc_ptx_op *op) {
    static const uint8_t kinds[] = {[TC_POLICY_NORMAL] = 0x16,
                                    [TC_POLICY_FIRST] = 0x12,
                                    [TC_POLICY_LAST] = 0x14,
                                    [TC_POLICY_UNCHANGED] = 0x10};
    uint64_t rest = op->sub2 == TC_POLICY_FIRST ? 1 : 0;
    return (uint64_t)kinds[op->sub & 7] << POLICY_KIND | rest << POLICY_REST;
}

void tc_sim_op_CREATEPOLICY_FRACTIONAL(tc_warp *w, const tc_ptx_op *op,
                                       uint32_t mask) {
    uint32_t tmp[TC_LANES];
    uint64_t d[TC_LANES];
    bool given = op->a[1].kind != TC_PO_NONE;
    const uint32_t *f = given ? tc_src32(w, &op->a[1], tmp) : NULL;
    for (int i = 0; i < TC_LANES; i++) {
        float x = given ? tc_f32(f[i]) : 1;
        x = x > 1 ? 1 : x > 0 ? x : 0;
        d[i] = policy_kind(op) | (uint64_t)(x * 255) << POLICY_FRACTION;
    }
    tc_put64(w, &op->a[0], d, mask);
}

void tc_sim_op_CREATEPOLICY_RANGE(tc_warp *w, const tc_ptx_op *op,
                                  uint32_t mask) {
    uint64_t d[TC_LANES];
    for (int i = 0; i < TC_LANES; i++) {
        d[i] = policy_kind(op) | (uint64_t)255 << POLICY_FRACTION | 1;
    }
    tc_put64(w, &op->a[0], d, mask);
}

void tc_sim_op_CREATEPOLICY_CVT(tc_warp *w, const tc_ptx_op *op,
                                uint32_t mask) {
    uint64_t tmp[TC_LANES];
    tc_put64(w, &op->a[0], tc_src64(w, &op->a[1], tmp), mask);
}

static bool in_const(const tc_warp *w, uint64_t address) {
    const tc_run *r = w->cta->run;
    for (int i = 0; i < r->module->nsymbols; i++) {
        const tc_ptx_symbol *s = &r->module->symbols[i];
        if (s->space == TC_PS_CONST && address - r->symbols[i] < s->size) {
            return true;
        }
    }
    return false;
}

static bool is_in(const tc_warp *w, uint8_t space, uint64_t address) {
    uint64_t shared = address - TC_WINDOW_SHARED;
    bool any = shared < TC_WINDOW_BYTES;
    uint64_t rank = shared >> TC_CLUSTER_SHIFT;
    switch (space) {
    case TC_PS_SHARED: /* its own CTA's */
        return any && (rank == 0 || rank == w->cta->rank + 1);
    case TC_PS_CLUSTER:
        return any && rank <= w->cta->ncluster;
    case TC_PS_LOCAL:
        return address - TC_WINDOW_LOCAL < TC_WINDOW_BYTES;
    case TC_PS_PARAM:
        return address - TC_WINDOW_PARAM < TC_WINDOW_BYTES;
    case TC_PS_CONST:
        return in_const(w, address);
    default:
        return (address < TC_WINDOW_SHARED ||
                address >= TC_WINDOW_PARAM + TC_WINDOW_BYTES) &&
               !in_const(w, address);
    }
}

void tc_sim_op_ISSPACEP(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint64_t tmp[TC_LANES];
    const uint64_t *a = tc_src64(w, &op->a[1], tmp);
    uint32_t v = 0;
    for (int i = 0; i < TC_LANES; i++) {
        v |= (uint32_t)is_in(w, op->space, a[i]) << i;
    }
    tc_put_pred(w, &op->a[0], v, mask);
}

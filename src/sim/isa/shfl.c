/* shfl.c - shfl.sync (PTX ISA 9.7.9.6) and cvta (9.7.9.20). */
#include "sim/core/address.h"
#include "sim/core/code.h"
#include "sim/core/operand.h"
#include "sim/isa/isa.h"

/* Source lane of a lane, and whether it is in range (PTX ISA, shfl.sync's
 * semantics): c holds the clamp in bits 0-4 and the segment mask in 8-12. */
static int shuffle_source(uint8_t mode, int lane, uint32_t b, uint32_t c,
                          bool *in_range) {
    int segment = (int)(c >> 8 & 31), clamp = (int)(c & 31);
    int distance = (int)(b & 31);
    int last = (lane & segment) | (clamp & ~segment);
    int first = lane & segment;
    int j;
    switch (mode) {
    case TC_SHFL_UP:
        j = lane - distance;
        *in_range = j >= last;
        break;
    case TC_SHFL_DOWN:
        j = lane + distance;
        *in_range = j <= last;
        break;
    case TC_SHFL_BFLY:
        j = lane ^ distance;
        *in_range = j <= last;
        break;
    default:
        j = first | (distance & ~segment);
        *in_range = j <= last;
        break;
    }
    return *in_range ? j : lane;
}

/* Called when all lanes of the member mask have come together. A lane that does
 * not take part has no defined value to give; ours gives what its register
 * holds, and 0 once it has ended or where there never was one. */
void tc_sim_op_SHFL_SYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t ta[TC_LANES], tb[TC_LANES], tc[TC_LANES], out[TC_LANES];
    const uint32_t *a = tc_src32(w, &op->a[2], ta);
    const uint32_t *b = tc_src32(w, &op->a[3], tb);
    const uint32_t *c = tc_src32(w, &op->a[4], tc);
    uint32_t in_range = 0;
    for (int i = 0; i < TC_LANES; i++) {
        bool in;
        int from = shuffle_source(op->sub, i, b[i], c[i], &in);
        out[i] = w->alive >> from & 1 ? a[from] : 0;
        in_range |= (uint32_t)in << i;
    }
    for (int i = 0; i < TC_LANES; i++) {
        if (mask >> i & 1 && op->a[0].kind == TC_PO_REG) {
            tc_row32(w, op->a[0].slot)[i] = out[i];
        }
    }
    if (op->a[1].kind == TC_PO_PRED) {
        uint32_t *p = &w->pred[op->a[1].slot];
        *p = (*p & ~mask) | (in_range & mask);
    }
}

/* Where a state space lies among generic addresses. */
static uint64_t window_of(uint8_t space) {
    return space == TC_PS_SHARED    ? TC_WINDOW_SHARED
           : space == TC_PS_CLUSTER ? TC_WINDOW_SHARED
           : space == TC_PS_LOCAL   ? TC_WINDOW_LOCAL
           : space == TC_PS_PARAM   ? TC_WINDOW_PARAM
                                    : 0;
}

/* Both directions are one addition; global and const are their own generic
 * addresses. */
uint64_t tc_cvta_step(const tc_ptx_op *op) {
    uint64_t window = window_of(op->space);
    return op->flags & TC_PM_TO ? 0 - window : window;
}

void tc_sim_op_CVTA(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint64_t ta[TC_LANES];
    const uint64_t *a = tc_src64(w, &op->a[1], ta);
    uint64_t step = tc_cvta_step(op);
    for (int i = 0; i < TC_LANES; i++) {
        if (mask >> i & 1) {
            tc_row64(w, op->a[0].slot)[i] = a[i] + step;
        }
    }
}

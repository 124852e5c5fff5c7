/* ulps.c - how far two results of approximate instructions are apart. */
#include "load/load.h"
#include "ptx/mma.h"
#include "run/run.h"

#include <string.h>

const tc_ptx_op *tc_run_approximate(const tc_last_run *run) {
    for (uint32_t i = 0; i < run->module->ncode; i++) {
        const tc_ptx_op *op = &run->module->code[i];
        if (tc_ptx_approximate(op)) {
            return op;
        }
    }
    return NULL;
}

void tc_run_op_name(const tc_ptx_op *op, tc_buf *out) {
    bool full = (op->flags & TC_PM_FULL) != 0;
    if (!full && (op->flags & TC_PM_APPROX) == 0) { /* a sum of matrices */
        tc_buf_printf(out, "%s.m%un%uk%u%s", tc_ptx_ops[op->opcode].name,
                      TC_MMA_M(op->size), TC_MMA_N(op->size),
                      TC_MMA_K(op->size), tc_ptx_type_names[op->type]);
        return;
    }
    tc_buf_printf(out, "%s.%s%s%s", tc_ptx_ops[op->opcode].name,
                  full ? "full" : "approx",
                  (op->flags & TC_PM_FTZ) != 0 ? ".ftz" : "",
                  tc_ptx_type_names[op->type]);
}

/* Exponent bits of a type that PTX has approximate instructions for, or 0. */
static int exponent_bits(tc_dtype t) {
    const tc_dtype_info *d = &tc_dtypes[t];
    bool half = d->cls == TC_CLASS_FLOAT && d->bits == 16;
    bool upper = d->cls == TC_CLASS_BFLOAT && d->bits == 16;
    bool single = d->cls == TC_CLASS_FLOAT && d->bits == 32;
    bool twice = d->cls == TC_CLASS_FLOAT && d->bits == 64;
    return half ? 5 : upper || single ? 8 : twice ? 11 : 0;
}

static uint64_t element(const uint8_t *p, uint64_t i, int bytes) {
    uint64_t v = 0;
    for (int k = 0; k < bytes; k++) {
        v |= (uint64_t)p[i * (uint64_t)bytes + (uint64_t)k] << 8 * k;
    }
    return v;
}

bool tc_run_ulps(const tc_run_buffer *b, const uint8_t *gpu, uint64_t *ulps) {
    tc_dtype type = b->buffer->type;
    int bits = tc_dtypes[type].bits, exponent = exponent_bits(type);
    if (exponent == 0) {
        return false;
    }
    uint64_t sign = UINT64_C(1) << (bits - 1);
    uint64_t inf = sign - (UINT64_C(1) << (bits - 1 - exponent));
    *ulps = 0;
    for (uint64_t i = 0; i < b->bytes / (uint64_t)(bits / 8); i++) {
        uint64_t x = element(b->after, i, bits / 8);
        uint64_t y = element(gpu, i, bits / 8);
        uint64_t u = x & (sign - 1), v = y & (sign - 1);
        if (x == y || (u > inf && v > inf)) {
            continue; /* the same, or both are no number */
        }
        if (u >= inf || v >= inf) {
            return false;
        }
        uint64_t d = ((x ^ y) & sign) != 0 ? u + v : u > v ? u - v : v - u;
        *ulps = d > *ulps ? d : *ulps;
    }
    return true;
}

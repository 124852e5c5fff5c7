/* mov.c - mov (PTX ISA 9.7.9.3) and its packing form (9.7.9.4). The order
 * of a vector is from the least significant element up. */
#include "sim/alu/alu.h"
#include "sim/core/run.h"

/* The elements of a vector operand. */
static const tc_ptx_operand *elements(tc_warp *w, const tc_ptx_operand *o) {
    return w->cta->run->module->vec + o->slot;
}

static void pack(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    const tc_ptx_operand *e = elements(w, &op->a[1]);
    unsigned bits = tc_ptx_type_bytes[op->type] * 8u / op->nvec;
    uint64_t keep = ((uint64_t)1 << bits) - 1, d[TC_LANES] = {0};
    for (unsigned k = 0; k < op->nvec; k++) {
        uint64_t tmp[TC_LANES];
        const uint64_t *v = tc_src64(w, &e[k], tmp);
        for (int i = 0; i < TC_LANES; i++) {
            d[i] |= (v[i] & keep) << (k * bits);
        }
    }
    tc_put64(w, &op->a[0], d, mask);
}

static void unpack(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    const tc_ptx_operand *e = elements(w, &op->a[0]);
    unsigned bits = tc_ptx_type_bytes[op->type] * 8u / op->nvec;
    uint64_t keep = ((uint64_t)1 << bits) - 1, tmp[TC_LANES];
    uint64_t all[TC_LANES], d[TC_LANES]; /* an element may be the source */
    memcpy(all, tc_src64(w, &op->a[1], tmp), sizeof all);
    for (unsigned k = 0; k < op->nvec; k++) {
        for (int i = 0; i < TC_LANES; i++) {
            d[i] = all[i] >> (k * bits) & keep;
        }
        tc_put64(w, &e[k], d, mask);
    }
}

/* .v2 and .v4: an element may be a source of another. */
static void each(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint64_t all[4][TC_LANES];
    for (unsigned k = 0; k < op->nvec; k++) {
        uint64_t tmp[TC_LANES];
        const uint64_t *v = tc_src64(w, &elements(w, &op->a[1])[k], tmp);
        memcpy(all[k], v, sizeof all[k]);
    }
    for (unsigned k = 0; k < op->nvec; k++) {
        tc_put64(w, &elements(w, &op->a[0])[k], all[k], mask);
    }
}

/* .b128: two 64-bit slots, or a vector of two 64-bit registers. */
static void wide(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint64_t both[2][TC_LANES];
    for (unsigned k = 0; k < 2; k++) {
        uint64_t tmp[TC_LANES];
        tc_ptx_operand s = op->a[1];
        if (s.kind == TC_PO_VECTOR) {
            s = elements(w, &op->a[1])[k];
        } else {
            s.slot += s.kind == TC_PO_REG ? k : 0;
            s.imm = k > 0 ? -(int64_t)(s.imm < 0) : s.imm;
        }
        memcpy(both[k], tc_src64(w, &s, tmp), sizeof both[k]);
    }
    for (unsigned k = 0; k < 2; k++) {
        tc_ptx_operand d = op->a[0];
        if (d.kind == TC_PO_VECTOR) {
            d = elements(w, &op->a[0])[k];
        } else {
            d.slot += k;
        }
        tc_put64(w, &d, both[k], mask);
    }
}

void tc_sim_op_MOV(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    if (op->type == TC_PT_PRED) {
        tc_put_pred(w, &op->a[0], tc_src_pred(w, &op->a[1]), mask);
    } else if (op->type == TC_PT_B128) {
        wide(w, op, mask);
    } else if (op->a[0].kind == TC_PO_VECTOR && op->a[1].kind == TC_PO_VECTOR) {
        each(w, op, mask);
    } else if (op->a[0].kind == TC_PO_VECTOR) {
        unpack(w, op, mask);
    } else if (op->a[1].kind == TC_PO_VECTOR) {
        pack(w, op, mask);
    } else if (tc_ptx_type_bytes[op->type] == 8) {
        uint64_t tmp[TC_LANES];
        tc_put64(w, &op->a[0], tc_src64(w, &op->a[1], tmp), mask);
    } else {
        uint32_t tmp[TC_LANES];
        tc_put32(w, &op->a[0], tc_src32(w, &op->a[1], tmp), mask);
    }
}

/* code_span.c - what of a kernel's code lies around two of its instructions:
 * loops, and regions that some threads skip; what is constant. Of a function that is called
 * nothing is known of the loops around its calls. */
#include "sim/finding.h"

const tc_ptx_func *tc_code_function(const tc_ptx_module *m,
                                    const tc_ptx_op *op) {
    uint32_t at = (uint32_t)(op - m->code);
    for (int i = 0; i < m->nfuncs; i++) {
        if (m->funcs[i].begin <= at && at < m->funcs[i].end) {
            return &m->funcs[i];
        }
    }
    return NULL;
}

/* Both of them, in their order, in one function; else NULL. */
static const tc_ptx_func *span_of(const tc_ptx_module *m, const tc_ptx_op *a,
                                  const tc_ptx_op *b, uint32_t *from,
                                  uint32_t *to) {
    const tc_ptx_func *f = a && b ? tc_code_function(m, a) : NULL;
    if (!f || f != tc_code_function(m, b)) {
        return NULL;
    }
    *from = (uint32_t)((a < b ? a : b) - m->code);
    *to = (uint32_t)((a < b ? b : a) - m->code);
    return f;
}

bool tc_code_loops(const tc_ptx_module *m, const tc_ptx_op *a,
                   const tc_ptx_op *b) {
    uint32_t from, to;
    const tc_ptx_func *f = span_of(m, a, b, &from, &to);
    if (!f || !f->entry) {
        return true;
    }
    for (uint32_t i = to; i < f->end; i++) {
        const tc_ptx_op *op = &m->code[i];
        if (op->opcode == TC_PTX_BRX_IDX ||
            (op->opcode == TC_PTX_BRA && op->target <= from)) {
            return true;
        }
    }
    return false;
}

static bool is_block_barrier(const tc_ptx_op *op) {
    return op->opcode == TC_PTX_BAR_SYNC || op->opcode == TC_PTX_BAR_RED;
}

bool tc_code_skipped(const tc_ptx_module *m, const tc_ptx_op *a,
                     const tc_ptx_op *b) {
    uint32_t from, to;
    const tc_ptx_func *f = span_of(m, a, b, &from, &to);
    for (uint32_t i = f ? f->begin : 1; f && i < from; i++) {
        const tc_ptx_op *op = &m->code[i];
        bool around =
            op->opcode == TC_PTX_BRA && op->guard >= 0 && op->target > to;
        for (uint32_t j = i; around && j < op->target && j < f->end; j++) {
            around = !is_block_barrier(&m->code[j]);
        }
        if (around) {
            return true;
        }
    }
    return false;
}

bool tc_code_constant(const tc_ptx_module *m, const tc_ptx_op *op,
                      const tc_ptx_operand *o) {
    const tc_ptx_func *f = tc_code_function(m, op);
    for (uint32_t i = f ? f->begin : 0; f && i < f->end; i++) {
        const tc_ptx_op *by = &m->code[i];
        bool writes = (by->dst & 1) && by->a[0].kind == TC_PO_REG &&
                      by->a[0].cls == o->cls && by->a[0].slot == o->slot;
        if (o->kind == TC_PO_REG && writes &&
            (by->opcode != TC_PTX_MOV || by->a[1].kind != TC_PO_IMM)) {
            return false;
        }
    }
    return o->kind == TC_PO_IMM || o->kind == TC_PO_REG;
}

/* code.c - the code of a launch as the loops execute it: for each op the
 * function that does it. */
#include "sim/isa/isa.h"
#include "sim/launch.h"
#include <stdlib.h>

/* ---- atomics whose answers nobody reads ---- */

typedef struct reads {
    const tc_ptx_module *m;
    uint8_t *of; /* bits 1 and 2 of a slot: of the 32-bit, of the 64-bit file */
    uint32_t n;
} reads;

static void note_operand(reads *k, const tc_ptx_operand *o) {
    uint32_t n = o->kind == TC_PO_VECTOR ? o->nvec : 1;
    for (uint32_t i = 0; i < n; i++) {
        const tc_ptx_operand *e =
            o->kind == TC_PO_VECTOR ? &k->m->vec[o->slot + i] : o;
        bool reg = e->kind == TC_PO_REG || e->kind == TC_PO_ADDRESS;
        uint32_t slots = e->nvec == 16 ? 2 : 1; /* .b128: two */
        for (uint32_t j = 0; reg && j < slots && e->slot + j < k->n; j++) {
            k->of[e->slot + j] |= e->cls == TC_PF_64 ? 2 : 1;
        }
    }
}

/* Calls and what lands later: whatever they name. */
static void note_reads(reads *k, const tc_ptx_op *op) {
    bool all =
        tc_ptx_effect_of(op) == TC_PTX_EFFECT_CALL || tc_ptx_lands_later(op);
    for (int i = 0; i < op->noperands && i < 8; i++) {
        bool dst = (op->dst >> i & 1) != 0, src = (op->src >> i & 1) != 0;
        bool base = op->a[i].kind == TC_PO_ADDRESS;
        if (all || src || base || !dst) {
            note_operand(k, &op->a[i]);
        }
    }
}

static bool is_read(const reads *k, const tc_ptx_operand *o) {
    return o->kind != TC_PO_SINK &&
           (o->kind != TC_PO_REG || o->slot >= k->n ||
            (k->of[o->slot] & (o->cls == TC_PF_64 ? 2 : 1)));
}

static bool has_atomics(const tc_ptx_module *m, const tc_ptx_func *f) {
    bool any = false;
    for (uint32_t i = f->begin; i < f->end && !any; i++) {
        any =
            m->code[i].opcode == TC_PTX_ATOM || m->code[i].opcode == TC_PTX_RED;
    }
    return any;
}

static void find_unread(tc_run *r, const tc_ptx_func *f) {
    const tc_ptx_module *m = r->module;
    reads k = {.m = m, .n = (f->n32 > f->n64 ? f->n32 : f->n64) + 2};
    if (!has_atomics(m, f)) {
        return;
    }
    k.of = tc_xcalloc(k.n, 1);
    for (uint32_t i = f->begin; i < f->end; i++) {
        note_reads(&k, &m->code[i]);
    }
    for (uint32_t i = f->begin; i < f->end; i++) {
        const tc_ptx_op *op = &m->code[i];
        r->code[i].unread =
            op->opcode == TC_PTX_RED ||
            (op->opcode == TC_PTX_ATOM && !is_read(&k, &op->a[0]));
    }
    free(k.of);
}

void tc_code_make(tc_run *r) {
    static tc_sim_op_fn *const plain[TC_PTX_OPCODE_COUNT] = {
#define TC_PTX_OP(id, ...) [TC_PTX_##id] = tc_sim_op_##id,
#include "ptx/ops.def"
    };
    bool observed = r->race || r->trace || r->timing;
    const tc_ptx_module *m = r->module;
    r->code = tc_xcalloc(m->ncode + 1u, sizeof *r->code);
    for (uint32_t i = 0; i < m->ncode; i++) {
        const tc_ptx_op *op = &m->code[i];
        tc_code *c = &r->code[i];
        c->op = op;
        c->guard = op->guard;
        c->flip = op->guard_neg ? UINT32_MAX : 0;
        c->fn = plain[op->opcode];
        c->branch = op->opcode == TC_PTX_BRA;
        c->light =
            c->branch || op->opcode == TC_PTX_RET || op->opcode == TC_PTX_EXIT;
        if (op->opcode == TC_PTX_SHFL_SYNC) {
            c->fn = tc_collective_SHFL_SYNC;
        } else if (op->more & TC_PX_LDST_FRAME) {
            continue; /* parameters travel in registers on a GPU */
        } else if (observed && op->opcode == TC_PTX_LD) {
            c->fn = tc_observed_LD;
        } else if (observed && op->opcode == TC_PTX_ST) {
            c->fn = tc_observed_ST;
        }
    }
    for (int i = 0; i < m->nfuncs; i++) {
        if (&m->funcs[i] == r->func || !m->funcs[i].entry) {
            find_unread(r, &m->funcs[i]);
        }
    }
}

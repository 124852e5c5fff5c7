/* code.c - the code of a launch as the loops execute it: for each op the
 * function that does it. */
#include "sim/isa/isa.h"
#include "sim/launch.h"

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
}

/* tcgen05_cp.c - tcgen05.cp, shift and commit (PTX ISA 9.7.16.9, 9.7.16.12).
 */
#include "sim/tmem.h"

static void not_built(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_fault(w, op, tc_first(mask), TC_FINDING_TRAP, TC_PS_TENSOR, 0, 0,
             "the simulator does not execute this instruction yet");
}

void tc_sim_op_TCGEN05_CP(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    not_built(w, op, mask);
}

void tc_sim_op_TCGEN05_SHIFT(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    not_built(w, op, mask);
}

void tc_sim_op_TCGEN05_COMMIT(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    not_built(w, op, mask);
}

/* call.h - what call.c, frame.c and the functions of the system
 * (syscall.c, heap.c) share. */
#ifndef TC_SIM_CALL_H
#define TC_SIM_CALL_H

#include "sim/core/run.h"

/* An argument or result of lane `lane` in the frame of the running split: a
 * register, a constant, or a .param variable. At most 16 bytes. */
uint64_t tc_call_operand(tc_warp *w, const tc_ptx_operand *o, int lane);
void tc_call_result(tc_warp *w, const tc_ptx_operand *o, int lane, uint64_t v);

/* heap.c */
uint64_t tc_heap_take(tc_sim *s, uint64_t size); /* address, or 0 */
bool tc_heap_give(tc_sim *s, uint64_t address);  /* false: not in use */

/* Runs a function of the system for the lanes of mask. */
void tc_builtin(tc_warp *w, const tc_ptx_op *op, const tc_ptx_func *f,
                uint32_t mask);

#endif

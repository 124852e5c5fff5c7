/* blas.h - what cuBLAS computes, by a BLAS of this machine, which is loaded when
 * it is first asked for. */
#ifndef TC_RUNTIME_BLAS_BLAS_H
#define TC_RUNTIME_BLAS_BLAS_H

#include "runtime/protocol.h"
#include <stdatomic.h>
#include <stdbool.h>

/* Is there one? */
bool tc_blas_there(void);
/* Bytes from the begin of operand i to its end in a batch's first problem; 0:
 * the operation has no such operand, or no elements. False: the call's numbers
 * cannot be. */
bool tc_blas_extent(const tc_rt_blas *q, int i, uint64_t *bytes);
bool tc_blas_writes(const tc_rt_blas *q, int i);
/* Does it: operand i begins at memory[i]. Stops early where *halt is set. */
void tc_blas_run(tc_rt_blas *q, uint8_t *const memory[3],
                 const atomic_int *halt);

#endif

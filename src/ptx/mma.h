/* mma.h - what the fields of tc_ptx_op mean in mma and wmma. */
#ifndef TC_PTX_MMA_H
#define TC_PTX_MMA_H

#include "ptx/ptx.h"

/* type, type2, type3 and type4 (which wgmma has not) are those of d, a, b and c
 * (wmma.load and store: type alone); sub and sub2 are the layouts of a and b
 * (load, store: sub); size is the shape. */
enum { TC_MMA_NONE, TC_MMA_ROW, TC_MMA_COL };
enum { /* their more */
       TC_PX_MMA_SYNC = 1,
       TC_PX_MMA_SATFINITE = 2,
       TC_PX_MMA_XOR = 4, /* of .b1 */
       TC_PX_MMA_AND = 8,
       TC_PX_MMA_POPC = 16
};
#define TC_MMA_SHAPE(m, n, k) ((uint32_t)(m) << 20 | (uint32_t)(n) << 10 | (k))
#define TC_MMA_M(size)        ((size) >> 20)
#define TC_MMA_N(size)        ((size) >> 10 & 0x3ffu)
#define TC_MMA_K(size)        ((size)&0x3ffu)

/* Bits of an element of a matrix of that type; .tf32 and others take 32. */
uint32_t tc_mma_bits(tc_ptx_type t);

/* An instruction whose result PTX only bounds, or leaves open in the last bits:
 * .approx, .full, and floating-point sums of matrices. */
bool tc_ptx_approximate(const tc_ptx_op *op);

#endif

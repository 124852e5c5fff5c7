/* mma.h - matrices that a warp holds in its registers (PTX ISA 9.7.14.4.1 and
 * 9.7.14.5.1 to .13). */
#ifndef TC_SIM_MMA_H
#define TC_SIM_MMA_H

#include "ptx/mma.h"
#include "sim/alu/alu.h"

enum {
    TC_MMA_ELEMENTS = 16 * 256, /* of the largest matrix */
    TC_MMA_SUMS = 16 * 16       /* of the largest C */
};

typedef enum tc_mma_role { TC_MMA_A, TC_MMA_B, TC_MMA_C } tc_mma_role;

/* One matrix of an mma or wmma: rows x cols elements of bits each, per of them
 * in a register; regs different registers (those beyond hold the same again).
 */
typedef struct tc_matrix {
    tc_mma_role role;
    tc_ptx_type type;
    uint32_t rows, cols, bits, per, regs;
} tc_matrix;

/* The matrix of that role in an op of shape size. */
tc_matrix tc_mma_matrix(tc_mma_role role, tc_ptx_type type, uint32_t size);

/* Where element j of register reg of a lane is. */
typedef struct tc_mma_element {
    uint32_t row, col;
} tc_mma_element;
tc_mma_element tc_mma_element_of(const tc_matrix *m, uint32_t lane,
                                 uint32_t reg, uint32_t j);

/* An element's bits as a number. */
double tc_mma_float(tc_ptx_type t, uint32_t bits);
void tc_mma_floats(tc_ptx_type t, const uint32_t *bits, double *out); /* 32 */
int32_t tc_mma_integer(tc_ptx_type t, uint32_t bits);

/* All 32 lanes are at the op together; else they wait, or it is a fault. */
bool tc_mma_together(tc_warp *w, const tc_ptx_op *op, uint32_t mask);

#endif

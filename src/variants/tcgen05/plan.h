/* plan.h - how a shared tile goes to tensor memory with
 * tcgen05.cp.32x128b.warpx4 (TVM: copy_async/tcgen05_cp.py, _build_plan). */
#ifndef TC_VARIANTS_TCGEN05_PLAN_H
#define TC_VARIANTS_TCGEN05_PLAN_H

#include "variants/checks.h"

/* One loop over pieces of 32 lanes x 16 bytes. */
typedef struct tc_cp_loop {
    int64_t n;
    int64_t shared_step; /* in units of 16 bytes */
    int64_t column_step; /* in columns of 32 bits */
} tc_cp_loop;

typedef struct tc_cp_plan {
    int64_t cta_group;
    int64_t stride;  /* between groups of 8 rows, in units of 16 bytes */
    int64_t swizzle; /* 0 to 3: none, 32, 64, 128 bytes */
    tc_cp_loop *loops;
    int nloops;
    int64_t pieces;     /* product of n */
    tc_expr *shared_at; /* of the first piece, in units of 16 bytes */
    tc_expr *column;    /* of the first piece, in columns of 32 bits */
} tc_cp_plan;

/* Asks every condition; false with v->why when one fails. */
bool tc_cp_plan_make(const tc_dispatch_ctx *cx, tc_verdict *v, tc_cp_plan *out);

#endif

/* cuda.h - the CUDA printer's own header. */
#ifndef TC_EMIT_CUDA_EMIT_H
#define TC_EMIT_CUDA_EMIT_H

#include "base/buf.h"
#include "emit/emit.h"
#include "emit/facts.h"
#include "emit/names.h"

typedef struct tc_cuda_emit {
    tc_arena *arena;
    tc_diags *diags;
    const tc_lowered *lowered;
    tc_facts *facts;
    tc_emit_names names;
    tc_buf helpers, body;
    const char **helper_names; /* those printed so far */
    int nhelpers, helpers_cap;
    bool seen[TC_DTYPE_COUNT]; /* types used: decides the includes */
    int indent;
    tc_lines lines; /* of the body */
    tc_span span;
    bool failed;
} tc_cuda_emit;

typedef struct tc_cuda_emit *tc_ce;

/* --- expressions (cuda_expr.c): text in the arena, fit for any context -----*/

const char *tc_ce_expr(tc_ce e, const tc_expr *x);
/* Text without its outer pair of parentheses, where nothing binds tighter. */
const char *tc_ce_bare(tc_ce e, const char *text);
const char *tc_ce_type(tc_ce e, tc_dtype t);
const char *tc_ce_access(tc_ce e, tc_buffer *b, tc_expr *const *index, int n,
                         tc_span span);      /* A[i], an lvalue */
bool tc_ce_is_scalar(tc_ce e, tc_buffer *b); /* printed as a plain variable */
void tc_ce_fail(tc_ce e, tc_span span, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* --- intrinsics (cuda_intrin.c) --------------------------------------------*/

typedef const char *tc_cuda_op_fn(tc_ce e, const tc_expr *call);
#define TC_OP(id, name, lo, hi, kw, sm, flags) tc_cuda_op_fn tc_cuda_op_##id;
#define TC_OP_PLANNED(id, name, sm)
#include "ir/ops.def"
const char *tc_ce_call(tc_ce e, const tc_expr *call);
/* T.address_of(map) (cuda_tensor.c); NULL when it names no map. */
const char *tc_ce_map_address(tc_ce e, const tc_expr *call);
void tc_ce_map_params(tc_ce e, tc_buf *b);
/* Prints a device function above the kernel, once. */
void tc_ce_helper(tc_ce e, const char *name, const char *text);

#endif

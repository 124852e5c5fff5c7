/* gs_emit.h - the loop that gmem_smem and ldgsts lower to. */
#ifndef TC_VARIANTS_GS_EMIT_H
#define TC_VARIANTS_GS_EMIT_H

#include "variants/partition.h"

/* Writes v->lowered and v->issues for the partition: for each round f, the two
 * offsets, the two pointers, and one op(dst, src, bytes). */
void tc_gs_emit(const tc_dispatch_ctx *cx, tc_verdict *v, const tc_partition *p,
                tc_op op, tc_loop loop);

/* --- making lowered statements ---------------------------------------------*/

/* A new local of one element; adds its allocation to b. */
tc_buffer *tc_new_local(const tc_dispatch_ctx *cx, tc_block *b,
                        const char *name, tc_dtype type);
void tc_set_local(const tc_dispatch_ctx *cx, tc_block *b, tc_buffer *local,
                  tc_expr *value);
tc_expr *tc_get_local(const tc_dispatch_ctx *cx, tc_buffer *local);
/* The number of a thread within the copy's scope: threadIdx.x for a CTA, else
 * a scope id declared in b. Not for thread scope. */
tc_expr *tc_thread_in_scope(const tc_dispatch_ctx *cx, tc_block *b);
/* An empty loop over [0, extent), added to b. */
tc_stmt *tc_new_loop(const tc_dispatch_ctx *cx, tc_block *b, const char *name,
                     int64_t extent, tc_loop loop);
void tc_add_issue(const tc_dispatch_ctx *cx, tc_verdict *v, tc_op op,
                  int64_t bytes, int64_t times);

#endif

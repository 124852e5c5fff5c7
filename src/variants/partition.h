/* partition.h - how gmem_smem and ldgsts share a tile out over threads. */
#ifndef TC_VARIANTS_PARTITION_H
#define TC_VARIANTS_PARTITION_H

#include "dispatch/variant.h"

/* What an instruction can move at once, in bits, widest first. */
typedef struct tc_widths {
    const int *bits;
    int n;
    bool scalar; /* one element is always possible */
} tc_widths;

/* Finds [outer, threads, vec] as align_layouts_gs (copy/_common.py) does, and
 * records each width tried as a check. Returns NULL with v->why for a decline.
 * g and s need not have the same iterators where TVM falls back to one element
 * at a time: the linear index joins them. */
tc_partition *tc_partition_find(const tc_dispatch_ctx *cx, tc_verdict *v,
                                const tc_region *g, const tc_region *s,
                                tc_widths widths);

/* The offset of round f and thread t in one of the two layouts, with its base,
 * simplified; TVM: layout.apply(f, t, 0, shape=[outer, threads, vec])["m"]. */
tc_expr *tc_partition_offset(tc_arena *a, const tc_partition *p,
                             const tc_layout *l, tc_expr *base, tc_expr *f,
                             tc_expr *t);

/* x moved by a swizzle, as arithmetic (SwizzleLayout.apply). */
tc_expr *tc_swizzle_expr(tc_arena *a, tc_swizzle sw, tc_expr *x);

#endif

/* sides.h - the two sides of a copy between registers and memory, as ldstmatrix
 * and reg work on them. Private to variants/. */
#ifndef TC_VARIANTS_SIDES_H
#define TC_VARIANTS_SIDES_H

#include "dispatch/variant.h"

/* One side of a copy, cut to its region. */
typedef struct tc_side {
    const tc_region *region;
    const tc_layout *layout; /* a tile layout, canonical */
    tc_expr *base; /* what moves of the start, on plain memory; or NULL */
} tc_side;

/* The side that is local, and the other one. */
typedef struct tc_sides {
    tc_layout_ctx lcx;
    tc_side reg, mem;
    bool from_reg;
    bool has_swizzle; /* of the memory side's buffer */
    tc_swizzle swizzle;
} tc_sides;

/* Finds the sides and cuts both (layout.slice(...).canonicalize(), and tile
 * part; canonical_first: canonicalize before slicing too). Adds a check for
 * each; false with v->why where there is no such layout. */
bool tc_sides_cut(const tc_dispatch_ctx *cx, tc_verdict *v,
                  bool canonical_first, tc_sides *out);

/* Positions of l's iterators: thread axes first, then by falling stride. */
int *tc_sides_order(tc_arena *a, const tc_layout *l);
int64_t *tc_sides_extents(tc_arena *a, const tc_layout *l);

/* Adds a failed check of the lowering and makes it the decline's reason, unless
 * there is one already. Always false. */
bool tc_sides_decline(const tc_dispatch_ctx *cx, tc_verdict *v,
                      const char *check, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* --- layouts applied to expressions ----------------------------------------*/

/* Iterators [from, to) at coord, the last changing fastest: sum of digit times
 * stride over those on axis `only` (NULL: all), added to sum. */
tc_expr *tc_apply_iters(tc_arena *a, const tc_layout *l, int from, int to,
                        tc_expr *coord, const tc_axis *only, tc_expr *sum);
/* One coordinate for each of n groups of iterators, plus the offset. */
tc_expr *tc_apply_groups(tc_arena *a, const tc_layout *l, const int *seps,
                         int n, tc_expr *const *coord, const tc_axis *only);

/* --- statements ------------------------------------------------------------*/

/* r_buf.local(n): a flat view of what one thread holds; adds it to b. */
tc_buffer *tc_local_view(const tc_dispatch_ctx *cx, tc_block *b,
                         const tc_buffer *registers, int64_t n);
/* A local array of n; adds its allocation to b. */
tc_buffer *tc_local_array(const tc_dispatch_ctx *cx, tc_block *b,
                          const char *name, tc_dtype type, int64_t n);
/* A scope id declared in b. Without a name (NULL) it is evaluated as well. */
tc_expr *tc_declare_scope_id(const tc_dispatch_ctx *cx, tc_block *b,
                             tc_scope_id_kind kind, int64_t extent,
                             const char *name);
/* tvm_builtin_pointer_offset(&buffer[0, ...], off). */
tc_expr *tc_pointer_to(const tc_dispatch_ctx *cx, const tc_buffer *buffer,
                       tc_expr *off);

/* --- the lowerings ---------------------------------------------------------*/

bool tc_reg_lower(const tc_dispatch_ctx *cx, tc_verdict *v);
bool tc_ldstmatrix_lower(const tc_dispatch_ctx *cx, tc_verdict *v);

#endif

/* internal.h - what the files of layout/ share, and nobody else sees. */
#ifndef TC_LAYOUT_INTERNAL_H
#define TC_LAYOUT_INTERNAL_H

#include "layout/layout.h"

/* The built-in axes by number: tcl_axes[TCL_laneid]. */
enum {
#define AXIS(name, cls, scope, subscope) TCL_##name,
#include "layout/axes.def"
#undef AXIS
    TCL_NAXES
};
extern const tc_axis tcl_axes[TCL_NAXES];

/* Leaves the function with what e answered, unless that is OK. */
#define TCL_TRY(e)                                                             \
    do {                                                                       \
        tc_layout_result tcl_r_ = (e);                                         \
        if (tcl_r_ != TC_LAYOUT_OK) {                                          \
            return tcl_r_;                                                     \
        }                                                                      \
    } while (0)

/* Sets the context's tag and message; always TC_LAYOUT_FAILED. */
tc_layout_result tcl_fail(tc_layout_ctx *cx, const char *tag, const char *fmt,
                          ...) __attribute__((format(printf, 3, 4)));
tc_layout_result tcl_not_a_tile(tc_layout_ctx *cx, const char *what);
/* A text of the shape, (4, 8), in the arena; long ones are cut short. */
const char *tcl_shape_text(tc_arena *a, const int64_t *shape, int n);
const char *tcl_layout_text(tc_arena *a, const tc_layout *l);

/* 64-bit arithmetic that refuses to overflow (tag overflow) and to divide by
 * zero (tag divide_by_zero); division rounds down. */
tc_layout_result tcl_mul(tc_layout_ctx *cx, int64_t a, int64_t b, int64_t *out);
tc_layout_result tcl_add(tc_layout_ctx *cx, int64_t a, int64_t b, int64_t *out);
tc_layout_result tcl_sub(tc_layout_ctx *cx, int64_t a, int64_t b, int64_t *out);
tc_layout_result tcl_div(tc_layout_ctx *cx, int64_t a, int64_t b, int64_t *out);
tc_layout_result tcl_mod(tc_layout_ctx *cx, int64_t a, int64_t b, int64_t *out);

/* Memory axis? Fails (unknown_axis) for an axis without a class. */
tc_layout_result tcl_is_memory(tc_layout_ctx *cx, const tc_axis *axis,
                               bool *out);
tc_layout_result tcl_is_thread(tc_layout_ctx *cx, const tc_axis *axis,
                               bool *out);
bool tcl_iter_eq(const tc_iter *a, const tc_iter *b);
bool tcl_swizzle_eq(tc_swizzle a, tc_swizzle b);

/* A tile layout around arrays that already live in the arena (not copied). */
tc_layout *tcl_wrap(tc_arena *a, const tc_iter *shard, int nshard,
                    const tc_iter *replica, int nreplica,
                    const tc_offset *offset, int noffset);
/* tc_layout_row_major, but a size beyond 64 bits is refused. */
tc_layout_result tcl_row_major(tc_layout_ctx *cx, const int64_t *shape, int n,
                               const tc_layout **out);
/* One iterator over the product of shape on m; no iterator for rank 0. */
tc_layout_result tcl_identity(tc_layout_ctx *cx, const int64_t *shape, int n,
                              const tc_layout **out);

/* A map axis -> value under construction; items has room for every entry. */
typedef struct tcl_offsets {
    tc_offset *items;
    int n;
} tcl_offsets;
void tcl_offset_set(tcl_offsets *o, const tc_axis *axis, int64_t value);
tc_layout_result tcl_offset_add(tc_layout_ctx *cx, tcl_offsets *o,
                                const tc_axis *axis, int64_t value);

/* coord split by n extents, the last first; the first takes what is left. */
tc_layout_result tcl_split(tc_layout_ctx *cx, int64_t coord,
                           const tc_iter *iters, int n, int64_t *out);
tc_layout_result tcl_flatten(tc_layout_ctx *cx, const int64_t *coord,
                             const int64_t *shape, int n, int64_t *out);
/* tc_layout_group without a message: NONE where it cannot be done, FAILED
 * (with tag and message) for a zero in the shape or an overflow. */
tc_layout_result tcl_try_group(tc_layout_ctx *cx, const tc_layout *l,
                               const int64_t *shape, int nshape,
                               const tc_layout **out, int **seps);

/* Thread axes split at a scope (CUDA); see split.c. */
tc_layout_result tcl_split_axes(tc_layout_ctx *cx, const tc_layout *l,
                                tc_scope_level at, const tc_layout **out);

#endif

/* tma.h - how a tensor memory accelerator copy is planned (TVM 0.25.0:
 * copy_async/tma.py).
 *
 * The global side is a list of iterators, the shared side one group of shards
 * for each iterator that the copy spans. Some shards become the box of one
 * instruction; the others become loops around it. Extents, strides and boxes
 * are in elements, outer dimensions first. */
#ifndef TC_VARIANTS_TMA_H
#define TC_VARIANTS_TMA_H

#include "dispatch/variant.h"
#include "layout/helpers.h"

/* One dimension of global memory, after dimensions of several iterators are
 * taken apart. */
typedef struct tc_tma_iter {
    int64_t shape, stride;
    tc_expr *start; /* of the copy */
    int64_t extent; /* of the copy */
} tc_tma_iter;

typedef struct tc_tma_shard {
    int64_t extent, stride;
} tc_tma_shard;

/* The shared memory of one iterator; extents multiply to the copy's. */
typedef struct tc_tma_group {
    tc_tma_shard *shards;
    int n;
    int iter;
} tc_tma_group;

typedef struct tc_tma_parts {
    const tc_buffer *g, *s;
    tc_swizzle_mode swizzle;
    tc_tma_iter *iters;
    int niters;
    tc_tma_group *groups; /* of iterators of extent > 1, in their order */
    int ngroups;
} tc_tma_parts;

/* One dimension of the tensor map. */
typedef struct tc_tma_dim {
    int64_t shape, stride, box;
    tc_expr *coord; /* where the copy starts */
} tc_tma_dim;

/* A loop around the instruction: each step moves one coordinate and the
 * address in shared memory. */
typedef struct tc_tma_axis {
    int64_t extent;
    int dim;
    int64_t advance, stride;
} tc_tma_axis;

typedef struct tc_tma_plan {
    tc_swizzle_mode swizzle;
    tc_tma_dim *dims;
    int ndims;
    tc_tma_axis *axes; /* outer first */
    int naxes;
    tc_dtype type; /* the map's; wider than the buffer's after promotion */
    int bytes;     /* of one element of it */
    int64_t times; /* instructions: product of the axes' extents */
} tc_tma_plan;

/* Layouts to parts (tma.py, _build_l1_result). Adds checks; false with v->why
 * for a decline. */
bool tc_tma_split(const tc_dispatch_ctx *cx, tc_verdict *v, const tc_region *g,
                  const tc_region *s, tc_tma_parts *out);

/* Parts to a plan (_build_plan_with_shrink): the longest run of shared memory
 * that gives a map which the hardware takes. Each length tried is a check. */
bool tc_tma_search(const tc_dispatch_ctx *cx, tc_verdict *v,
                   const tc_tma_parts *parts, tc_tma_plan *out);

/* Joins dimensions that lie one after the other, where the map would have a
 * stride that is no multiple of 16 bytes (_merge_contig_full_box_dims). */
void tc_tma_merge(tc_arena *a, tc_tma_plan *plan);

/* What a program says beside the regions. */
typedef struct tc_tma_options {
    bool to_shared;
    int oob_fill; /* the driver's enum */
    tc_expr *mbar, *cta_mask, *cta_group;
    tc_expr *policy;    /* of the L2 cache, uint64 */
    bool has_policy;    /* by name */
    bool policy_only;   /* a number: TVM then gives no flag beside it */
    const char *reduce; /* "add", ...; NULL: a plain copy */
    bool prefetch;
} tc_tma_options;

/* oob alone is asked before the plan is made; the rest after it, as in
 * copy_tma_impl. Each adds checks and returns false with v->why set. */
bool tc_tma_read_oob(const tc_dispatch_ctx *cx, tc_verdict *v,
                     tc_tma_options *out);
bool tc_tma_read_options(const tc_dispatch_ctx *cx, tc_verdict *v,
                         tc_tma_options *out);

/* Fills v->lowered, v->issues and v->map. */
void tc_tma_emit(const tc_dispatch_ctx *cx, tc_verdict *v,
                 const tc_tma_parts *parts, const tc_region *s,
                 const tc_tma_plan *plan, const tc_tma_options *options);

/* --- small tools --- */

/* u divides x in every run (u > 0). */
bool tc_tma_divides(tc_arena *a, int64_t u, tc_expr *x);
/* x // u, simplified. */
tc_expr *tc_tma_divided(tc_arena *a, tc_expr *x, int64_t u);
const char *tc_tma_text(tc_arena *a, const tc_expr *x);
/* A failed check named `name`; sets v->why to its detail unless a reason is
 * there already. Returns false. */
bool tc_tma_no(const tc_dispatch_ctx *cx, tc_verdict *v, const char *name,
               const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif

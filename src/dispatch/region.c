/* region.c - slicing a buffer's layout to a copied region. */
#include "dispatch/region.h"
#include "ir/linear.h"

/* The one iterator of a dimension with more than one element, for a start that
 * moves; NULL when there are several. */
static const tc_iter *only_iter(const tc_layout *l, int from, int to) {
    const tc_iter *one = NULL;
    for (int i = from; i < to; i++) {
        if (l->shard[i].extent == 1) {
            continue;
        }
        if (one != NULL) {
            return NULL;
        }
        one = &l->shard[i];
    }
    return one != NULL ? one : from < to ? &l->shard[from] : NULL;
}

/* Adds (variable part of the start) * stride to base. */
static bool add_moving(const tc_dispatch_ctx *cx, const tc_layout *grouped,
                       const int *seps, int dim, tc_linear *start,
                       tc_slice *out, const char **why) {
    const tc_iter *it = only_iter(grouped, seps[dim], seps[dim + 1]);
    if (it == NULL || !tc_axis_eq(it->axis, tc_axis_m)) {
        *why = tc_format(cx->arena,
                         "the start of dimension %d is not constant, and that "
                         "dimension is %s",
                         dim,
                         it == NULL ? "more than one iterator of the layout"
                                    : "not on plain memory");
        return false;
    }
    start->constant = 0;
    tc_expr *moved =
        tc_binary(cx->arena, TC_MUL, tc_linear_expr(cx->arena, TC_INT32, start),
                  tc_int(cx->arena, it->stride));
    out->base = out->base == NULL
                    ? moved
                    : tc_binary(cx->arena, TC_ADD, out->base, moved);
    return true;
}

/* Layout of the tile part by dimensions, to find moving starts' strides. */
static tc_layout_result by_dimension(const tc_dispatch_ctx *cx,
                                     tc_layout_ctx *lcx, const tc_buffer *b,
                                     const tc_layout **out, int **seps) {
    const tc_layout *tile = tc_layout_tile_part(cx->arena, b->layout);
    if (tile == NULL) { /* a bare swizzle stands for the identity under it */
        tile = tc_layout_row_major(cx->arena, b->shape, b->rank);
    }
    if (tile == NULL) {
        lcx->message = "the buffer is too large";
        return TC_LAYOUT_FAILED;
    }
    const tc_layout *canonical;
    tc_layout_result r = tc_layout_canonicalize(lcx, tile, &canonical);
    return r != TC_LAYOUT_OK
               ? r
               : tc_layout_group(lcx, canonical, b->shape, b->rank, out, seps);
}

tc_layout_result tc_region_slice(const tc_dispatch_ctx *cx, const tc_region *r,
                                 tc_slice *out, const char **why) {
    const tc_buffer *b = r->buffer;
    tc_layout_ctx lcx = {.arena = cx->arena, .target_cuda = cx->target_cuda};
    int64_t(*region)[2] =
        tc_alloc(cx->arena, sizeof *region * (size_t)(b->rank + 1));
    const tc_layout *grouped = NULL;
    int *seps = NULL;
    *out = (tc_slice){0};
    for (int i = 0; i < b->rank; i++) {
        tc_linear start = {0};
        if (!tc_expr_const(r->range[i].min, &region[i][0])) {
            if (!tc_linear_of(cx->arena,
                              tc_simplify(cx->arena, r->range[i].min),
                              &start)) {
                *why = tc_format(cx->arena,
                                 "the start of dimension %d is not "
                                 "an integer",
                                 i);
                return TC_LAYOUT_FAILED;
            }
            region[i][0] = start.constant;
            if (grouped == NULL) {
                tc_layout_result got =
                    by_dimension(cx, &lcx, b, &grouped, &seps);
                if (got != TC_LAYOUT_OK) {
                    *why = lcx.message;
                    return got;
                }
            }
            if (!add_moving(cx, grouped, seps, i, &start, out, why)) {
                return TC_LAYOUT_FAILED;
            }
        }
        if (__builtin_add_overflow(region[i][0], r->range[i].extent,
                                   &region[i][1])) {
            *why = "the region lies too far out";
            return TC_LAYOUT_FAILED;
        }
    }
    if (out->base != NULL) {
        out->base = tc_simplify(cx->arena, out->base);
    }
    tc_layout_result got =
        tc_layout_slice(&lcx, b->layout, b->shape, b->rank,
                        (const int64_t(*)[2])region, b->rank, &out->layout);
    if (got == TC_LAYOUT_NONE) {
        *why = tc_format(cx->arena,
                         "the region of %s is no layout: it cuts "
                         "through the iterators",
                         b->name);
    } else if (got == TC_LAYOUT_FAILED) {
        *why = lcx.message;
    }
    return got;
}

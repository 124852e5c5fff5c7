/* region.c - slicing a buffer's layout to a copied region. */
#include "dispatch/region.h"
#include "ir/linear.h"

#include <string.h>

/* Iterators [from, to) of a dimension, which starts at `start`. */
typedef struct moving {
    const tc_dispatch_ctx *cx;
    const tc_layout *grouped;
    int dim, from, to;
    tc_linear start;
    int64_t width;
    bool tmem; /* TCol and TLane may move too */
    tc_slice *out;
    const char **why;
} moving;

static int wide_iters(const moving *m, const tc_iter **one) {
    int n = 0;
    *one = m->from < m->to ? &m->grouped->shard[m->from] : NULL;
    for (int i = m->from; i < m->to; i++) {
        if (m->grouped->shard[i].extent != 1) {
            *one = &m->grouped->shard[i];
            n++;
        }
    }
    return n;
}

static bool refuse(const moving *m, const char *because) {
    *m->why = tc_format(m->cx->arena,
                        "the start of dimension %d is not constant, and %s",
                        m->dim, because);
    return false;
}

/* base += x * stride, for plain memory. */
static bool add_base(const moving *m, tc_expr *x, const tc_iter *it) {
    tc_arena *a = m->cx->arena;
    tc_expr **sum = &m->out->base;
    if (m->tmem && strcmp(it->axis->name, "TLane") == 0) {
        m->out->lane_moves = true;
        return true;
    }
    if (m->tmem && strcmp(it->axis->name, "TCol") == 0) {
        sum = &m->out->column;
    } else if (!tc_axis_eq(it->axis, tc_axis_m)) {
        return refuse(m, "that dimension is not on plain memory");
    }
    tc_expr *moved = tc_binary(a, TC_MUL, x, tc_int(a, it->stride));
    *sum = *sum == NULL ? moved : tc_binary(a, TC_ADD, *sum, moved);
    return true;
}

/* The largest value in [0, extent) that the digit can have. */
static int64_t digit_bound(const moving *m, tc_expr *digit, int64_t extent) {
    tc_linear l;
    if (!tc_linear_of(m->cx->arena, digit, &l)) {
        return extent - 1;
    }
    int64_t g = tc_linear_gcd(&l);
    if (g == 0) {
        return l.constant;
    }
    int64_t rest = l.constant % g;
    rest += rest < 0 ? g : 0;
    return rest >= extent ? extent - 1 : (extent - 1 - rest) / g * g + rest;
}

/* Several iterators: the start's digits in their radix. The faster iterators
 * that the region covers whole need digit 0; in the next, digit + rest must
 * stay within the extent (SliceGroup, tile_slice.cc). The region then has the
 * iterators of one that starts at 0. */
static bool add_digits(const moving *m) {
    tc_arena *a = m->cx->arena;
    tc_expr *begin = tc_linear_expr(a, TC_INT32, &m->start);
    int64_t rest = m->width;
    bool whole = true;
    for (int i = m->to - 1; i >= m->from; i--) {
        const tc_iter *it = &m->grouped->shard[i];
        int64_t zero;
        if (it->extent == 1) {
            continue;
        }
        tc_expr *extent = tc_int(a, it->extent);
        tc_expr *digit =
            tc_simplify(a, tc_binary(a, TC_FLOORMOD, begin, extent));
        begin = tc_simplify(a, tc_binary(a, TC_FLOORDIV, begin, extent));
        bool still = tc_expr_const(digit, &zero) && zero == 0;
        if (!still && !add_base(m, digit, it)) {
            return false;
        }
        if (whole && still && rest % it->extent == 0) {
            rest /= it->extent;
        } else if (whole) {
            whole = false;
            if (digit_bound(m, digit, it->extent) > it->extent - rest) {
                return refuse(m, "the region may cut through the iterators");
            }
        }
    }
    return !whole || rest == 1 ||
           refuse(m, "the region is wider than the dimension");
}

/* Takes the moving part of a start into base. *begin is what remains. */
static bool add_moving(moving *m, int64_t *begin) {
    const tc_iter *one;
    *begin = 0;
    if (wide_iters(m, &one) > 1) {
        return add_digits(m);
    }
    *begin = m->start.constant;
    m->start.constant = 0;
    return one == NULL
               ? refuse(m, "that dimension has no iterator")
               : add_base(m, tc_linear_expr(m->cx->arena, TC_INT32, &m->start),
                          one);
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

/* The dimensions of a buffer's layout, worked out when a start first moves. */
typedef struct dimensions {
    const tc_layout *grouped; /* NULL: not yet */
    int *seps;
    bool tmem;
} dimensions;

/* Where dimension i starts for slicing; the moving part goes to out->base. */
static tc_layout_result start_of(const tc_dispatch_ctx *cx, tc_layout_ctx *lcx,
                                 const tc_region *r, int i, dimensions *dims,
                                 int64_t *begin, tc_slice *out,
                                 const char **why) {
    moving m = {.cx = cx,
                .dim = i,
                .width = r->range[i].extent,
                .tmem = dims->tmem,
                .out = out,
                .why = why};
    if (tc_expr_const(r->range[i].min, begin)) {
        return TC_LAYOUT_OK;
    }
    if (!tc_linear_of(cx->arena, tc_simplify(cx->arena, r->range[i].min),
                      &m.start)) {
        *why =
            tc_format(cx->arena, "the start of dimension %d is no integer", i);
        return TC_LAYOUT_FAILED;
    }
    if (dims->grouped == NULL) {
        tc_layout_result got =
            by_dimension(cx, lcx, r->buffer, &dims->grouped, &dims->seps);
        if (got != TC_LAYOUT_OK) {
            *why = lcx->message;
            return got;
        }
    }
    m.grouped = dims->grouped;
    m.from = dims->seps[i];
    m.to = dims->seps[i + 1];
    return add_moving(&m, begin) ? TC_LAYOUT_OK : TC_LAYOUT_FAILED;
}

static tc_layout_result slice(const tc_dispatch_ctx *cx, const tc_region *r,
                              bool tmem, tc_slice *out, const char **why) {
    const tc_buffer *b = r->buffer;
    tc_layout_ctx lcx = {.arena = cx->arena, .target_cuda = cx->target_cuda};
    int64_t(*region)[2] =
        tc_alloc(cx->arena, sizeof *region * (size_t)(b->rank + 1));
    dimensions dims = {.tmem = tmem};
    *out = (tc_slice){0};
    for (int i = 0; i < b->rank; i++) {
        tc_layout_result got =
            start_of(cx, &lcx, r, i, &dims, &region[i][0], out, why);
        if (got != TC_LAYOUT_OK) {
            return got;
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
    if (out->column != NULL) {
        out->column = tc_simplify(cx->arena, out->column);
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

tc_layout_result tc_region_slice(const tc_dispatch_ctx *cx, const tc_region *r,
                                 tc_slice *out, const char **why) {
    return slice(cx, r, false, out, why);
}

tc_layout_result tc_region_slice_tmem(const tc_dispatch_ctx *cx,
                                      const tc_region *r, tc_slice *out,
                                      const char **why) {
    return slice(cx, r, true, out, why);
}

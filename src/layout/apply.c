/* apply.c - where an index or coordinates lie in a layout. */
#include "layout/internal.h"

#include <stddef.h>

/* Where a linear index, or coordinates, lie; and how large a layout is. */

static tc_layout_result no_axis_filter(tc_layout_ctx *cx, const tc_layout *l,
                                       const tc_axis *axis) {
    return tcl_fail(cx, "no_axis_filter",
                    "a %s has no size or span on one axis (asked: %s)",
                    l->kind == TC_LAYOUT_SWIZZLE ? "SwizzleLayout"
                                                 : "ComposeLayout",
                    axis->name);
}

tc_layout_result tc_layout_size(tc_layout_ctx *cx, const tc_layout *l,
                                const tc_axis *axis, int64_t *out) {
    if (axis != NULL && l->kind != TC_LAYOUT_TILE) {
        return no_axis_filter(cx, l, axis);
    }
    if (l->kind == TC_LAYOUT_SWIZZLE) {
        tc_swizzle s = l->swizzle;
        *out = INT64_C(1) << (s.per_element + s.swizzle_len + s.atom_len);
        return TC_LAYOUT_OK;
    }
    int64_t size = 1;
    for (int i = 0; i < l->nshard; i++) {
        if (axis == NULL || tc_axis_eq(axis, l->shard[i].axis)) {
            TCL_TRY(tcl_mul(cx, size, l->shard[i].extent, &size));
        }
    }
    *out = size;
    return TC_LAYOUT_OK;
}

/* Counts this axis for a span on `axis` (NULL: every memory axis)? */
static tc_layout_result counts(tc_layout_ctx *cx, const tc_axis *axis,
                               const tc_axis *mine, bool *out) {
    if (axis == NULL) {
        return tcl_is_memory(cx, mine, out);
    }
    *out = tc_axis_eq(axis, mine);
    return TC_LAYOUT_OK;
}

static tc_layout_result add_spans(tc_layout_ctx *cx, const tc_axis *axis,
                                  const tc_iter *iters, int n, int64_t *span) {
    for (int i = 0; i < n; i++) {
        bool in;
        int64_t reach;
        TCL_TRY(counts(cx, axis, iters[i].axis, &in));
        if (in) {
            TCL_TRY(tcl_sub(cx, iters[i].extent, 1, &reach));
            TCL_TRY(tcl_mul(cx, reach, iters[i].stride, &reach));
            TCL_TRY(tcl_add(cx, *span, reach, span));
        }
    }
    return TC_LAYOUT_OK;
}

tc_layout_result tc_layout_span(tc_layout_ctx *cx, const tc_layout *l,
                                const tc_axis *axis, int64_t *out) {
    if (l->kind == TC_LAYOUT_SWIZZLE ||
        (axis != NULL && l->kind == TC_LAYOUT_COMPOSE)) {
        return tc_layout_size(cx, l, axis, out);
    }
    int64_t span = 1;
    TCL_TRY(add_spans(cx, axis, l->shard, l->nshard, &span));
    TCL_TRY(add_spans(cx, axis, l->replica, l->nreplica, &span));
    for (int i = 0; i < l->noffset; i++) {
        bool in;
        TCL_TRY(counts(cx, axis, l->offset[i].axis, &in));
        if (in) {
            TCL_TRY(tcl_add(cx, span, l->offset[i].value, &span));
        }
    }
    *out = span;
    return TC_LAYOUT_OK;
}

int64_t tc_layout_offset_of(const tc_layout *l, const tc_axis *axis) {
    for (int i = 0; i < l->noffset; i++) {
        if (tc_axis_eq(l->offset[i].axis, axis)) {
            return l->offset[i].value;
        }
    }
    return 0;
}

/* --- apply --------------------------------------------------------------- */

tc_layout_result tcl_split(tc_layout_ctx *cx, int64_t coord,
                           const tc_iter *iters, int n, int64_t *out) {
    for (int i = n - 1; i > 0; i--) {
        TCL_TRY(tcl_mod(cx, coord, iters[i].extent, &out[i]));
        TCL_TRY(tcl_div(cx, coord, iters[i].extent, &coord));
    }
    if (n > 0) {
        out[0] = coord;
    }
    return TC_LAYOUT_OK;
}

tc_layout_result tcl_flatten(tc_layout_ctx *cx, const int64_t *coord,
                             const int64_t *shape, int n, int64_t *out) {
    int64_t flat = 0;
    for (int i = 0; i < n; i++) {
        TCL_TRY(tcl_mul(cx, flat, shape[i], &flat));
        TCL_TRY(tcl_add(cx, flat, coord[i], &flat));
    }
    *out = flat;
    return TC_LAYOUT_OK;
}

/* One coordinate for each shard iterator. */
static tc_layout_result apply_iters(tc_layout_ctx *cx, const tc_layout *l,
                                    const int64_t *coord, const tc_offset **out,
                                    int *nout) {
    tcl_offsets sum = {
        TC_NEWN(cx->arena, tc_offset, l->nshard + l->noffset + 1), 0};
    for (int i = 0; i < l->nshard; i++) {
        int64_t v;
        TCL_TRY(tcl_mul(cx, coord[i], l->shard[i].stride, &v));
        TCL_TRY(tcl_offset_add(cx, &sum, l->shard[i].axis, v));
    }
    for (int i = 0; i < l->noffset; i++) {
        TCL_TRY(
            tcl_offset_add(cx, &sum, l->offset[i].axis, l->offset[i].value));
    }
    *out = sum.items;
    *nout = sum.n;
    return TC_LAYOUT_OK;
}

int64_t tc_swizzle_apply(tc_swizzle sw, int64_t x) {
    int64_t low = x & ((INT64_C(1) << sw.per_element) - 1);
    uint64_t y = (uint64_t)(x >> sw.per_element); /* rounds down */
    uint64_t mask = (UINT64_C(1) << sw.swizzle_len) - 1;
    if (sw.inner) {
        y ^= (y >> sw.atom_len) & mask;
    } else {
        y ^= (y & mask) << sw.atom_len;
    }
    return (int64_t)(y << sw.per_element) + low;
}

static tc_layout_result apply_linear(tc_layout_ctx *cx, const tc_layout *l,
                                     int64_t x, const tc_offset **out,
                                     int *nout) {
    if (l->kind != TC_LAYOUT_SWIZZLE) {
        int64_t *coord = TC_NEWN(cx->arena, int64_t, l->nshard + 1);
        TCL_TRY(tcl_split(cx, x, l->shard, l->nshard, coord));
        TCL_TRY(apply_iters(cx, l, coord, out, nout));
        if (l->kind == TC_LAYOUT_TILE) {
            return TC_LAYOUT_OK;
        }
        if (*nout != 1 || (*out)[0].axis != tc_axis_m) {
            return tcl_fail(cx, "compose_needs_m_only",
                            "the tile part of a ComposeLayout must lie on "
                            "axis m alone to be swizzled");
        }
        x = (*out)[0].value;
    }
    tc_offset *m = TC_NEW(cx->arena, tc_offset);
    *m = (tc_offset){tc_axis_m, tc_swizzle_apply(l->swizzle, x)};
    *out = m;
    *nout = 1;
    return TC_LAYOUT_OK;
}

static tc_layout_result apply_shape(tc_layout_ctx *cx, const tc_layout *l,
                                    const int64_t *coord, const int64_t *shape,
                                    int n, const tc_offset **out, int *nout) {
    const tc_layout *grouped;
    int *seps;
    int64_t flat;
    if (l->kind == TC_LAYOUT_TILE &&
        tcl_try_group(cx, l, shape, n, &grouped, &seps) == TC_LAYOUT_OK) {
        int64_t *each = TC_NEWN(cx->arena, int64_t, grouped->nshard + 1);
        for (int d = 0; d < n; d++) {
            TCL_TRY(tcl_split(cx, coord[d], grouped->shard + seps[d],
                              seps[d + 1] - seps[d], each + seps[d]));
        }
        return apply_iters(cx, grouped, each, out, nout);
    }
    TCL_TRY(tcl_flatten(cx, coord, shape, n, &flat));
    return apply_linear(cx, l, flat, out, nout);
}

tc_layout_result tc_layout_apply(tc_layout_ctx *cx, const tc_layout *l,
                                 const int64_t *coord, int ncoord,
                                 const int64_t *shape, int nshape,
                                 const tc_offset **out, int *nout) {
    if (ncoord == 1) {
        return apply_linear(cx, l, coord[0], out, nout);
    }
    if (shape != NULL) {
        if (ncoord != nshape) {
            return tcl_fail(cx, "rank_mismatch",
                            "%d coordinates are given for a shape of rank %d",
                            ncoord, nshape);
        }
        return apply_shape(cx, l, coord, shape, ncoord, out, nout);
    }
    if (l->kind != TC_LAYOUT_TILE) {
        return tcl_fail(cx, "not_implemented",
                        "a swizzled layout takes one linear index, or "
                        "coordinates together with a shape");
    }
    if (ncoord != l->nshard) {
        return tcl_fail(cx, "rank_mismatch",
                        "%d coordinates are given for %d iterators", ncoord,
                        l->nshard);
    }
    return apply_iters(cx, l, coord, out, nout);
}

int64_t tc_layout_position(tc_layout_ctx *cx, const tc_layout *l,
                           const int64_t *coord, const int64_t *shape,
                           int rank) {
    const tc_offset *out;
    int n;
    int64_t at = 0;
    if (tc_layout_apply(cx, l, coord, rank, shape, rank, &out, &n) !=
        TC_LAYOUT_OK) {
        return -1;
    }
    for (int i = 0; i < n; i++) {
        at += tc_axis_eq(out[i].axis, tc_axis_m) ? out[i].value : 0;
    }
    return at;
}

/* tiling.c - products of layouts. */
#include "layout/algebra.h"
#include "layout/internal.h"

/* Products: two layouts interleaved rank by rank. */

/* A canonical tile layout cut at the borders of its shape. */
typedef struct tiling_side {
    const tc_layout *l;
    const int64_t *shape;
    int n;
    int *seps;
} tiling_side;

static tc_layout_result add_offsets(tc_layout_ctx *cx, tcl_offsets *sum,
                                    const tc_layout *l) {
    for (int i = 0; i < l->noffset; i++) {
        TCL_TRY(tcl_offset_add(cx, sum, l->offset[i].axis, l->offset[i].value));
    }
    return TC_LAYOUT_OK;
}

static bool on_axis(const tc_layout *l, const tc_axis *axis) {
    for (int i = 0; i < l->nshard; i++) {
        if (tc_axis_eq(l->shard[i].axis, axis)) {
            return true;
        }
    }
    return false;
}

/* Multiplies first's strides by second's span on the same axis. */
static tc_layout_result scale(tc_layout_ctx *cx, const tiling_side *first,
                              const tiling_side *second,
                              const tc_layout **out) {
    const tc_layout *l = first->l;
    tc_iter *shard = TC_NEWN(cx->arena, tc_iter, l->nshard + 1);
    for (int i = 0; i < l->nshard; i++) {
        int64_t span;
        shard[i] = l->shard[i];
        if (on_axis(second->l, shard[i].axis)) {
            TCL_TRY(tc_layout_span(cx, second->l, shard[i].axis, &span));
            TCL_TRY(tcl_mul(cx, shard[i].stride, span, &shard[i].stride));
        }
    }
    *out = tcl_wrap(cx->arena, shard, l->nshard, l->replica, l->nreplica,
                    l->offset, l->noffset);
    return TC_LAYOUT_OK;
}

/* For each rank first's iterators, then second's; all replicas; offsets add. */
static tc_layout_result interleave(tc_layout_ctx *cx, const tiling_side *first,
                                   const tiling_side *second,
                                   const tc_layout **out) {
    const tc_layout *f = first->l, *s = second->l;
    tc_iter *shard = TC_NEWN(cx->arena, tc_iter, f->nshard + s->nshard + 1);
    tc_iter *rep = TC_NEWN(cx->arena, tc_iter, f->nreplica + s->nreplica + 1);
    tcl_offsets sum = {
        TC_NEWN(cx->arena, tc_offset, f->noffset + s->noffset + 1), 0};
    int n = 0, nrep = 0;
    for (int d = 0; d < first->n; d++) {
        for (int i = first->seps[d]; i < first->seps[d + 1]; i++) {
            shard[n++] = f->shard[i];
        }
        for (int i = second->seps[d]; i < second->seps[d + 1]; i++) {
            shard[n++] = s->shard[i];
        }
    }
    for (int i = 0; i < s->nreplica; i++) {
        rep[nrep++] = s->replica[i];
    }
    for (int i = 0; i < f->nreplica; i++) {
        rep[nrep++] = f->replica[i];
    }
    TCL_TRY(add_offsets(cx, &sum, s));
    TCL_TRY(add_offsets(cx, &sum, f));
    return tc_layout_canonicalize(
        cx, tcl_wrap(cx->arena, shard, n, rep, nrep, sum.items, sum.n), out);
}

/* Both products; second may be swizzled, first must be a tile layout. */
static tc_layout_result product(tc_layout_ctx *cx, tiling_side first,
                                tiling_side second, bool scaled,
                                const tc_layout **out) {
    const tc_layout *self = second.l;
    if (first.l->kind != TC_LAYOUT_TILE) {
        return tcl_not_a_tile(cx, "the layout that tiles or is added");
    }
    second.l = tc_layout_tile_part(cx->arena, self);
    if (second.l == NULL) {
        TCL_TRY(tcl_identity(cx, second.shape, second.n, &second.l));
    }
    TCL_TRY(tc_layout_canonicalize(cx, first.l, &first.l));
    TCL_TRY(tc_layout_canonicalize(cx, second.l, &second.l));
    if (first.n != second.n) {
        return tcl_fail(cx, "rank_mismatch",
                        "the shapes of the two layouts have ranks %d and %d",
                        first.n, second.n);
    }
    TCL_TRY(tc_layout_group(cx, first.l, first.shape, first.n, &first.l,
                            &first.seps));
    TCL_TRY(tc_layout_group(cx, second.l, second.shape, second.n, &second.l,
                            &second.seps));
    if (scaled) {
        TCL_TRY(scale(cx, &first, &second, &first.l));
    }
    TCL_TRY(interleave(cx, &first, &second, out));
    return self->kind == TC_LAYOUT_TILE
               ? TC_LAYOUT_OK
               : tc_layout_compose(cx, self->swizzle, *out, out);
}

tc_layout_result tc_layout_tile_by(tc_layout_ctx *cx, const tc_layout *inner,
                                   const tc_layout *outer,
                                   const int64_t *outer_shape, int nouter,
                                   const int64_t *inner_shape, int ninner,
                                   const tc_layout **out) {
    tiling_side first = {outer, outer_shape, nouter, NULL};
    tiling_side second = {inner, inner_shape, ninner, NULL};
    return product(cx, first, second, true, out);
}

tc_layout_result tc_layout_direct_sum(tc_layout_ctx *cx, const tc_layout *right,
                                      const tc_layout *left,
                                      const int64_t *left_shape, int nleft,
                                      const int64_t *right_shape, int nright,
                                      const tc_layout **out) {
    tiling_side first = {left, left_shape, nleft, NULL};
    tiling_side second = {right, right_shape, nright, NULL};
    return product(cx, first, second, false, out);
}

tc_layout_result tc_layout_tile_to(tc_layout_ctx *cx, const tc_layout *l,
                                   const int64_t *to_shape, int nto,
                                   const int64_t *current, int ncurrent,
                                   const tc_layout **out) {
    if (nto > ncurrent) {
        return tcl_fail(cx, "rank_mismatch",
                        "the target shape has rank %d, the current one %d", nto,
                        ncurrent);
    }
    int64_t *times = TC_NEWN(cx->arena, int64_t, nto + 1);
    for (int i = 0; i < nto; i++) {
        TCL_TRY(tcl_div(cx, to_shape[i], current[i], &times[i]));
    }
    const tc_layout *outer;
    TCL_TRY(tcl_row_major(cx, times, nto, &outer));
    return tc_layout_tile_by(cx, l, outer, times, nto, current, ncurrent, out);
}

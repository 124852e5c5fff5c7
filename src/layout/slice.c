/* slice.c - the layout of a region. */
#include "layout/internal.h"

/* The layout of a region. The rules are those of LAYOUT.md, "slice". */

/* One group's region [begin, begin + width) and what slicing makes of it. */
typedef struct cut {
    const tc_layout *group; /* canonical */
    int64_t begin, width;
    int64_t *digit; /* of begin, one for each iterator */
    tc_iter *out;   /* room for nshard + 1 */
    int nout;
} cut;

/* Digits of begin in the mixed radix of the extents. */
static tc_layout_result digits(tc_layout_ctx *cx, cut *c) {
    const tc_iter *it = c->group->shard;
    int n = c->group->nshard;
    if (n == 1) {
        c->digit[0] = c->begin;
        return TC_LAYOUT_OK;
    }
    TCL_TRY(tcl_split(cx, c->begin, it, n, c->digit));
    return tcl_mod(cx, c->digit[0], it[0].extent, &c->digit[0]);
}

/* Peels whole iterators from the fastest on. Leaves the pivot (-1: all are
 * peeled) and what of the width is left for it and the slower ones. */
static tc_layout_result peel(tc_layout_ctx *cx, const cut *c, int *pivot,
                             int64_t *left) {
    *left = c->width;
    for (*pivot = c->group->nshard - 1; *pivot >= 0; --*pivot) {
        int64_t rest, extent = c->group->shard[*pivot].extent;
        if (c->digit[*pivot] != 0) {
            break;
        }
        TCL_TRY(tcl_mod(cx, *left, extent, &rest));
        if (rest != 0) {
            break;
        }
        TCL_TRY(tcl_div(cx, *left, extent, left));
    }
    return TC_LAYOUT_OK;
}

/* The region crosses one border of the pivot in its middle: half of it at the
 * end of the pivot, half at the start of the next round. */
static tc_layout_result straddle(tc_layout_ctx *cx, cut *c, int pivot,
                                 int64_t left) {
    const tc_iter *it = &c->group->shard[pivot];
    int64_t half, rest, end, jump, stride = 0;
    TCL_TRY(tcl_div(cx, left, 2, &half));
    TCL_TRY(tcl_mod(cx, left, 2, &rest));
    TCL_TRY(tcl_add(cx, c->digit[pivot], half, &end));
    if (rest != 0 || end != it->extent) {
        return TC_LAYOUT_NONE;
    }
    if (pivot > 0) {
        if (c->digit[pivot - 1] >= it[-1].extent ||
            !tc_axis_eq(it[-1].axis, it->axis)) {
            return TC_LAYOUT_NONE;
        }
        stride = it[-1].stride;
    }
    TCL_TRY(tcl_sub(cx, it->extent, half, &jump));
    TCL_TRY(tcl_mul(cx, jump, it->stride, &jump));
    TCL_TRY(tcl_sub(cx, stride, jump, &stride));
    c->out[c->nout++] = (tc_iter){2, stride, it->axis};
    c->out[c->nout++] = (tc_iter){half, it->stride, it->axis};
    return TC_LAYOUT_OK;
}

static tc_layout_result cut_group(tc_layout_ctx *cx, cut *c) {
    const tc_iter *it = c->group->shard;
    int n = c->group->nshard, pivot;
    int64_t left, end;
    if (n == 1) { /* no range check, as in TVM */
        c->out[c->nout++] = (tc_iter){c->width, it[0].stride, it[0].axis};
        return TC_LAYOUT_OK;
    }
    TCL_TRY(peel(cx, c, &pivot, &left));
    if (pivot < 0) {
        if (left != 1) {
            return TC_LAYOUT_NONE;
        }
    } else {
        TCL_TRY(tcl_add(cx, c->digit[pivot], left, &end));
        if (end <= it[pivot].extent) {
            c->out[c->nout++] =
                (tc_iter){left, it[pivot].stride, it[pivot].axis};
        } else {
            TCL_TRY(straddle(cx, c, pivot, left));
        }
    }
    for (int i = pivot + 1; i < n; i++) {
        c->out[c->nout++] = it[i];
    }
    return TC_LAYOUT_OK;
}

/* Slices one group of iterators; appends to shard and offsets. */
static tc_layout_result slice_group(tc_layout_ctx *cx, const tc_iter *iters,
                                    int n, const int64_t region[2],
                                    tc_iter *shard, int *nshard,
                                    tcl_offsets *offsets) {
    cut c = {.begin = region[0]};
    tc_layout group = {.kind = TC_LAYOUT_TILE, .shard = iters, .nshard = n};
    TCL_TRY(tc_layout_canonicalize(cx, &group, &c.group));
    TCL_TRY(tcl_sub(cx, region[1], region[0], &c.width));
    if (c.group->nshard == 0) {
        return TC_LAYOUT_NONE;
    }
    int64_t few[8];
    c.digit = c.group->nshard <= 8
                  ? few
                  : TC_NEWN(cx->arena, int64_t, c.group->nshard);
    c.out = shard + *nshard;
    TCL_TRY(digits(cx, &c));
    for (int k = 0; k < c.group->nshard; k++) {
        int64_t v;
        TCL_TRY(tcl_mul(cx, c.digit[k], c.group->shard[k].stride, &v));
        TCL_TRY(tcl_offset_add(cx, offsets, c.group->shard[k].axis, v));
    }
    TCL_TRY(cut_group(cx, &c));
    *nshard += c.nout;
    return TC_LAYOUT_OK;
}

static tc_layout_result slice_tile(tc_layout_ctx *cx, const tc_layout *l,
                                   const int64_t *shape, int nshape,
                                   const int64_t (*region)[2],
                                   const tc_layout **out) {
    const tc_layout *g;
    int *seps;
    TCL_TRY(tc_layout_canonicalize(cx, l, &g));
    TCL_TRY(tc_layout_group(cx, g, shape, nshape, &g, &seps));
    /* Each group may grow by one iterator. */
    tc_iter *shard = TC_NEWN(cx->arena, tc_iter, g->nshard + nshape + 1);
    tcl_offsets offsets = {TC_NEWN(cx->arena, tc_offset, g->nshard + 1), 0};
    int n = 0;
    for (int d = 0; d < nshape; d++) {
        TCL_TRY(slice_group(cx, g->shard + seps[d], seps[d + 1] - seps[d],
                            region[d], shard, &n, &offsets));
    }
    *out = tcl_wrap(cx->arena, shard, n, g->replica, g->nreplica, offsets.items,
                    offsets.n);
    return TC_LAYOUT_OK;
}

tc_layout_result tc_layout_slice(tc_layout_ctx *cx, const tc_layout *l,
                                 const int64_t *shape, int nshape,
                                 const int64_t (*region)[2], int nregion,
                                 const tc_layout **out) {
    if (nshape != nregion) {
        return tcl_fail(cx, "rank_mismatch",
                        "the shape has %d dimensions, the region %d", nshape,
                        nregion);
    }
    if (l->kind == TC_LAYOUT_TILE) {
        return slice_tile(cx, l, shape, nshape, region, out);
    }
    const tc_layout *tile = tc_layout_tile_part(cx->arena, l);
    if (tile == NULL) {
        TCL_TRY(tcl_identity(cx, shape, nshape, &tile));
    }
    TCL_TRY(slice_tile(cx, tile, shape, nshape, region, &tile));
    return tc_layout_compose(cx, l->swizzle, tile, out);
}

/* factor.c - recognising a factor of a product of layouts. */
#include "layout/algebra.h"
#include "layout/internal.h"

/* Recognising a factor of a product of layouts. */

/* The question, both layouts canonical and cut at their shapes' borders. Of
 * each rank, whole holds the iterators [wsep[2d], wsep[2d + 2]). */
typedef struct question {
    const tc_layout *whole, *me; /* canonical */
    const tc_layout *w, *m;      /* grouped */
    int *wseps, *mseps;
    int n;
    tc_iter *shard; /* the answer's */
    int nshard;
} question;

static bool same_iter(const tc_iter *a, const tc_iter *b) {
    return a->extent == b->extent &&
           (a->extent == 1 ||
            (a->stride == b->stride && tc_axis_eq(a->axis, b->axis)));
}

static bool has_replica(const tc_layout *l, const tc_iter *it) {
    for (int i = 0; i < l->nreplica; i++) {
        if (tcl_iter_eq(&l->replica[i], it)) {
            return true;
        }
    }
    return false;
}

static bool offset_find(const tc_layout *l, const tc_axis *axis, int64_t *v) {
    for (int i = 0; i < l->noffset; i++) {
        if (tc_axis_eq(l->offset[i].axis, axis)) {
            *v = l->offset[i].value;
            return true;
        }
    }
    return false;
}

/* Whole's replicas that I lack. */
static tc_iter *other_replicas(tc_arena *a, const question *q, int *n) {
    tc_iter *rep = TC_NEWN(a, tc_iter, q->whole->nreplica + 1);
    *n = 0;
    for (int i = 0; i < q->whole->nreplica; i++) {
        if (!has_replica(q->me, &q->whole->replica[i])) {
            rep[(*n)++] = q->whole->replica[i];
        }
    }
    return rep;
}

/* Whole's offsets less mine; mine alone count (negated) only for a sum. */
static tc_layout_result other_offsets(tc_layout_ctx *cx, const question *q,
                                      bool mine_too, tcl_offsets *out) {
    const tc_layout *w = q->whole, *m = q->me;
    out->n = 0;
    out->items = TC_NEWN(cx->arena, tc_offset, w->noffset + m->noffset + 1);
    for (int i = 0; i < w->noffset; i++) {
        int64_t v = w->offset[i].value, mine = 0;
        offset_find(m, w->offset[i].axis, &mine);
        TCL_TRY(tcl_sub(cx, v, mine, &v));
        tcl_offset_set(out, w->offset[i].axis, v);
    }
    for (int i = 0; mine_too && i < m->noffset; i++) {
        int64_t v;
        if (!offset_find(w, m->offset[i].axis, &v)) {
            TCL_TRY(tcl_sub(cx, 0, m->offset[i].value, &v));
            tcl_offset_set(out, m->offset[i].axis, v);
        }
    }
    return TC_LAYOUT_OK;
}

/* --- direct sums -----------------------------------------------------------*/

/* Of each rank, block `mine` (0: left, 1: right) must be exactly my iterators;
 * the other block is the answer's. */
static tc_layout_result take_addend(question *q, int mine) {
    for (int d = 0; d < q->n; d++) {
        const int *ws = q->wseps + 2 * d;
        int at = ws[mine], count = ws[mine + 1] - at;
        if (q->mseps[d + 1] - q->mseps[d] != count) {
            return TC_LAYOUT_NONE;
        }
        for (int j = 0; j < count; j++) {
            if (!same_iter(&q->w->shard[at + j],
                           &q->m->shard[q->mseps[d] + j])) {
                return TC_LAYOUT_NONE;
            }
        }
        for (int j = ws[1 - mine]; j < ws[2 - mine]; j++) {
            q->shard[q->nshard++] = q->w->shard[j];
        }
    }
    return TC_LAYOUT_OK;
}

static tc_layout_result is_addend(tc_layout_ctx *cx, const tc_layout *l,
                                  const tc_layout *whole, const int64_t *inter,
                                  int ninter, const int64_t *shape, int nshape,
                                  int mine, const tc_layout **out) {
    question q = {.n = nshape};
    tcl_offsets off;
    int nrep;
    if (l->kind == TC_LAYOUT_COMPOSE && whole->kind == TC_LAYOUT_COMPOSE &&
        tcl_swizzle_eq(l->swizzle, whole->swizzle)) {
        l = tc_layout_tile_part(cx->arena, l);
        whole = tc_layout_tile_part(cx->arena, whole);
    }
    /* A bare swizzle always says none (LAYOUT.md, "Surprises"). */
    if (l->kind != TC_LAYOUT_TILE || whole->kind != TC_LAYOUT_TILE) {
        return TC_LAYOUT_NONE;
    }
    TCL_TRY(tc_layout_canonicalize(cx, whole, &q.whole));
    TCL_TRY(tc_layout_canonicalize(cx, l, &q.me));
    if (ninter % 2 != 0 || ninter / 2 != nshape) {
        return tcl_fail(cx, "rank_mismatch",
                        "the interleaved shape must have twice the rank of "
                        "the other: %d and %d",
                        ninter, nshape);
    }
    TCL_TRY(tc_layout_group(cx, q.whole, inter, ninter, &q.w, &q.wseps));
    TCL_TRY(tc_layout_group(cx, q.me, shape, nshape, &q.m, &q.mseps));
    q.shard = TC_NEWN(cx->arena, tc_iter, q.w->nshard + 1);
    TCL_TRY(take_addend(&q, mine));
    TCL_TRY(other_offsets(cx, &q, true, &off));
    tc_iter *rep = other_replicas(cx->arena, &q, &nrep);
    *out = tcl_wrap(cx->arena, q.shard, q.nshard, rep, nrep, off.items, off.n);
    return TC_LAYOUT_OK;
}

tc_layout_result tc_layout_is_direct_sum_right(
    tc_layout_ctx *cx, const tc_layout *l, const tc_layout *whole,
    const int64_t *interleaved, int ninterleaved, const int64_t *shape,
    int nshape, const tc_layout **out) {
    return is_addend(cx, l, whole, interleaved, ninterleaved, shape, nshape, 1,
                     out);
}

tc_layout_result
tc_layout_is_direct_sum_left(tc_layout_ctx *cx, const tc_layout *l,
                             const tc_layout *whole, const int64_t *interleaved,
                             int ninterleaved, const int64_t *shape, int nshape,
                             const tc_layout **out) {
    return is_addend(cx, l, whole, interleaved, ninterleaved, shape, nshape, 0,
                     out);
}

/* --- tilings ---------------------------------------------------------------*/

/* Scopes must meet at the shared end; where whole goes on further on the
 * other side and a target is set, its axes are split at my end. */
static tc_layout_result meet_scopes(tc_layout_ctx *cx, question *q,
                                    bool inner) {
    tc_scope_level win, wout, min, mout;
    tc_layout_result rw, rm;
    rw = tc_layout_get_scope(cx, q->whole, &win, &wout);
    if (rw == TC_LAYOUT_FAILED) {
        return rw;
    }
    rm = tc_layout_get_scope(cx, q->me, &min, &mout);
    if (rw != TC_LAYOUT_OK || rm != TC_LAYOUT_OK) {
        return rm == TC_LAYOUT_FAILED ? rm : TC_LAYOUT_OK;
    }
    if (inner ? win != min || mout > wout : wout != mout || win > min) {
        return TC_LAYOUT_NONE;
    }
    if (!cx->target_cuda || (inner ? wout <= mout : min <= win)) {
        return TC_LAYOUT_OK;
    }
    return tcl_split_axes(cx, q->whole, inner ? mout : min, &q->whole);
}

/* (tiled / mine, mine) for each rank, or the other way round. */
static tc_layout_result factored(tc_layout_ctx *cx, const int64_t *tiled,
                                 const int64_t *shape, int n, bool inner,
                                 int64_t *out) {
    for (int i = 0; i < n; i++) {
        int64_t rest, times;
        TCL_TRY(tcl_mod(cx, tiled[i], shape[i], &rest));
        if (rest != 0) {
            return tcl_fail(cx, "not_divisible",
                            "the tiled extent %lld is not divisible by %lld",
                            (long long)tiled[i], (long long)shape[i]);
        }
        TCL_TRY(tcl_div(cx, tiled[i], shape[i], &times));
        out[2 * i] = inner ? times : shape[i];
        out[2 * i + 1] = inner ? shape[i] : times;
    }
    return TC_LAYOUT_OK;
}

static tc_layout_result prepare(tc_layout_ctx *cx, question *q,
                                const int64_t *tiled, int ntiled,
                                const int64_t *shape, bool inner) {
    TCL_TRY(tc_layout_canonicalize(cx, q->whole, &q->whole));
    TCL_TRY(tc_layout_canonicalize(cx, q->me, &q->me));
    TCL_TRY(meet_scopes(cx, q, inner));
    if (ntiled != q->n) {
        return tcl_fail(cx, "rank_mismatch",
                        "the tiled shape has rank %d, the other %d", ntiled,
                        q->n);
    }
    int64_t *pairs = TC_NEWN(cx->arena, int64_t, 2 * q->n + 1);
    TCL_TRY(factored(cx, tiled, shape, q->n, inner, pairs));
    TCL_TRY(tc_layout_group(cx, q->whole, pairs, 2 * q->n, &q->w, &q->wseps));
    TCL_TRY(tc_layout_group(cx, q->me, shape, q->n, &q->m, &q->mseps));
    q->shard = TC_NEWN(cx->arena, tc_iter, q->w->nshard + 1);
    return TC_LAYOUT_OK;
}

/* Divides a stride of the outer layout by my span on its axis. */
static tc_layout_result rescale(tc_layout_ctx *cx, const question *q,
                                tc_iter *it) {
    bool here = false;
    for (int i = 0; i < q->me->nshard && !here; i++) {
        here = tc_axis_eq(q->me->shard[i].axis, it->axis);
    }
    if (!here || it->extent == 1) {
        return TC_LAYOUT_OK;
    }
    int64_t span, rest;
    TCL_TRY(tc_layout_span(cx, q->me, it->axis, &span));
    TCL_TRY(tcl_mod(cx, it->stride, span, &rest));
    if (rest != 0) {
        return TC_LAYOUT_NONE;
    }
    return tcl_div(cx, it->stride, span, &it->stride);
}

/* My iterators must close each rank; what leads is the outer layout. */
static tc_layout_result take_outer(tc_layout_ctx *cx, question *q) {
    for (int d = 0; d < q->n; d++) {
        int begin = q->wseps[2 * d], end = q->wseps[2 * d + 2];
        int mine = q->mseps[d + 1] - q->mseps[d], split = end - mine;
        if (split < begin) {
            return TC_LAYOUT_NONE;
        }
        for (int j = 0; j < mine; j++) {
            if (!same_iter(&q->m->shard[q->mseps[d] + j],
                           &q->w->shard[split + j])) {
                return TC_LAYOUT_NONE;
            }
        }
        for (int j = begin; j < split; j++) {
            tc_iter it = q->w->shard[j];
            TCL_TRY(rescale(cx, q, &it));
            q->shard[q->nshard++] = it;
        }
    }
    return TC_LAYOUT_OK;
}

static tc_layout_result inner_tile(tc_layout_ctx *cx, const tc_layout *l,
                                   const tc_layout *whole, const int64_t *tiled,
                                   int ntiled, const int64_t *shape, int nshape,
                                   const tc_layout **out) {
    question q = {.whole = whole, .me = l, .n = nshape};
    tcl_offsets off;
    int nrep;
    TCL_TRY(prepare(cx, &q, tiled, ntiled, shape, true));
    TCL_TRY(take_outer(cx, &q));
    tc_iter *rep = other_replicas(cx->arena, &q, &nrep);
    for (int i = 0; i < nrep; i++) {
        TCL_TRY(rescale(cx, &q, &rep[i]));
    }
    TCL_TRY(other_offsets(cx, &q, false, &off));
    *out = tcl_wrap(cx->arena, q.shard, q.nshard, rep, nrep, off.items, off.n);
    return TC_LAYOUT_OK;
}

tc_layout_result tc_layout_is_tile_inner(tc_layout_ctx *cx, const tc_layout *l,
                                         const tc_layout *whole,
                                         const int64_t *tiled_shape, int ntiled,
                                         const int64_t *shape, int nshape,
                                         const tc_layout **out) {
    bool swizzled = tc_layout_has_swizzle(l);
    if (swizzled != tc_layout_has_swizzle(whole) ||
        (swizzled && !tcl_swizzle_eq(l->swizzle, whole->swizzle))) {
        return TC_LAYOUT_NONE;
    }
    if (l->kind == TC_LAYOUT_COMPOSE && whole->kind == TC_LAYOUT_SWIZZLE) {
        return TC_LAYOUT_NONE;
    }
    if (l->kind == TC_LAYOUT_SWIZZLE) {
        TCL_TRY(tcl_identity(cx, shape, nshape, &l));
    }
    if (whole->kind == TC_LAYOUT_SWIZZLE) {
        TCL_TRY(tcl_identity(cx, tiled_shape, ntiled, &whole));
    }
    return inner_tile(cx, tc_layout_tile_part(cx->arena, l),
                      tc_layout_tile_part(cx->arena, whole), tiled_shape,
                      ntiled, shape, nshape, out);
}

/* My iterators must open each rank, by extent and axis; the rest is the
 * candidate for the inner layout. */
static tc_layout_result take_inner(question *q) {
    for (int d = 0; d < q->n; d++) {
        int begin = q->wseps[2 * d], end = q->wseps[2 * d + 2];
        int mine = q->mseps[d + 1] - q->mseps[d];
        if (mine > end - begin) {
            return TC_LAYOUT_NONE;
        }
        for (int j = 0; j < mine; j++) {
            const tc_iter *a = &q->m->shard[q->mseps[d] + j];
            const tc_iter *b = &q->w->shard[begin + j];
            if (a->extent != b->extent ||
                (a->extent != 1 && !tc_axis_eq(a->axis, b->axis))) {
                return TC_LAYOUT_NONE;
            }
        }
        for (int j = begin + mine; j < end; j++) {
            q->shard[q->nshard++] = q->w->shard[j];
        }
    }
    return TC_LAYOUT_OK;
}

/* Tiled with me, the candidate must give the whole again. */
static tc_layout_result check_inner(tc_layout_ctx *cx, const question *q,
                                    const tc_layout *candidate,
                                    const int64_t *tiled,
                                    const int64_t *shape) {
    int64_t *rest = TC_NEWN(cx->arena, int64_t, q->n + 1);
    const tc_layout *again, *whole;
    for (int i = 0; i < q->n; i++) {
        TCL_TRY(tcl_div(cx, tiled[i], shape[i], &rest[i]));
    }
    TCL_TRY(tc_layout_tile_by(cx, candidate, q->me, shape, q->n, rest, q->n,
                              &again));
    TCL_TRY(tc_layout_canonicalize(cx, again, &again));
    TCL_TRY(tc_layout_canonicalize(cx, q->whole, &whole));
    return tc_layout_equal(again, whole) ? TC_LAYOUT_OK : TC_LAYOUT_NONE;
}

tc_layout_result tc_layout_is_tile_outer(tc_layout_ctx *cx, const tc_layout *l,
                                         const tc_layout *whole,
                                         const int64_t *tiled_shape, int ntiled,
                                         const int64_t *shape, int nshape,
                                         const tc_layout **out) {
    const tc_layout *tile = tc_layout_tile_part(cx->arena, whole);
    if (l->kind != TC_LAYOUT_TILE || tile == NULL) {
        return TC_LAYOUT_NONE;
    }
    question q = {.whole = tile, .me = l, .n = nshape};
    tcl_offsets off;
    int nrep;
    TCL_TRY(prepare(cx, &q, tiled_shape, ntiled, shape, false));
    TCL_TRY(take_inner(&q));
    TCL_TRY(other_offsets(cx, &q, false, &off));
    tc_iter *rep = other_replicas(cx->arena, &q, &nrep);
    *out = tcl_wrap(cx->arena, q.shard, q.nshard, rep, nrep, off.items, off.n);
    TCL_TRY(check_inner(cx, &q, *out, tiled_shape, shape));
    return whole->kind == TC_LAYOUT_TILE
               ? TC_LAYOUT_OK
               : tc_layout_compose(cx, whole->swizzle, *out, out);
}

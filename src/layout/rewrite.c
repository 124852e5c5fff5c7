/* rewrite.c - operations that rewrite iterators one by one. */
#include "layout/algebra.h"
#include "layout/internal.h"

/* Operations that TVM writes in Python: they rewrite iterators one by one and
 * keep replicas and offsets, unless said otherwise. */

/* --- storage ---------------------------------------------------------------*/

static tc_layout_result keep_storage(tc_layout_ctx *cx, const tc_iter *iters,
                                     int n, const tc_iter **out, int *nout) {
    tc_iter *kept = TC_NEWN(cx->arena, tc_iter, n + 1);
    *nout = 0;
    for (int i = 0; i < n; i++) {
        bool thread;
        TCL_TRY(tcl_is_thread(cx, iters[i].axis, &thread));
        if (!thread) {
            kept[(*nout)++] = iters[i];
        }
    }
    *out = kept;
    return TC_LAYOUT_OK;
}

tc_layout_result tc_layout_storage(tc_layout_ctx *cx, const tc_layout *l,
                                   const tc_layout **out) {
    if (l->kind == TC_LAYOUT_SWIZZLE) {
        *out = l;
        return TC_LAYOUT_OK;
    }
    tc_layout *s = tcl_wrap(cx->arena, NULL, 0, NULL, 0, NULL, 0);
    tc_offset *off = TC_NEWN(cx->arena, tc_offset, l->noffset + 1);
    TCL_TRY(keep_storage(cx, l->shard, l->nshard, &s->shard, &s->nshard));
    TCL_TRY(
        keep_storage(cx, l->replica, l->nreplica, &s->replica, &s->nreplica));
    for (int i = 0; i < l->noffset; i++) {
        bool thread;
        TCL_TRY(tcl_is_thread(cx, l->offset[i].axis, &thread));
        if (!thread) {
            off[s->noffset++] = l->offset[i];
        }
    }
    s->offset = off;
    *out = s;
    return l->kind == TC_LAYOUT_TILE
               ? TC_LAYOUT_OK
               : tc_layout_compose(cx, l->swizzle, s, out);
}

/* --- pack and unpack -------------------------------------------------------*/

/* log2 of a power of two; TVM lets 0 pass, as -1. */
static tc_layout_result log2_of(tc_layout_ctx *cx, int64_t num, int64_t *out) {
    if (num < 0 || (num & (num - 1)) != 0) {
        return tcl_fail(cx, "cannot_pack",
                        "a swizzle is packed by powers of 2, not by %lld",
                        (long long)num);
    }
    for (*out = -1; num > 0; num >>= 1) {
        ++*out;
    }
    return TC_LAYOUT_OK;
}

static tc_layout_result unpack_tile(tc_layout_ctx *cx, const tc_layout *l,
                                    int64_t num, const tc_layout **out) {
    tc_iter *shard = TC_NEWN(cx->arena, tc_iter, l->nshard + 1);
    for (int i = 0; i < l->nshard; i++) {
        shard[i] = l->shard[i];
        TCL_TRY(tcl_mul(cx, shard[i].stride, num, &shard[i].stride));
    }
    shard[l->nshard] = (tc_iter){num, 1, tc_axis_m};
    *out = tcl_wrap(cx->arena, shard, l->nshard + 1, l->replica, l->nreplica,
                    l->offset, l->noffset);
    return TC_LAYOUT_OK;
}

static tc_layout_result pack_tile(tc_layout_ctx *cx, const tc_layout *l,
                                  int64_t num, const tc_layout **out) {
    bool ok = l->nshard > 0 && l->shard[l->nshard - 1].stride == 1;
    tc_iter *shard = TC_NEWN(cx->arena, tc_iter, l->nshard + 1);
    tc_iter last = ok ? l->shard[l->nshard - 1] : (tc_iter){1, 1, tc_axis_m};
    int64_t rest = 0;
    if (ok) {
        TCL_TRY(tcl_mod(cx, last.extent, num, &rest));
        ok = rest == 0;
    }
    if (ok) {
        TCL_TRY(tcl_is_memory(cx, last.axis, &ok));
    }
    if (!ok) {
        return tcl_fail(cx, "cannot_pack",
                        "%s cannot be packed by %lld: its last iterator must "
                        "have stride 1 on a memory axis and an extent "
                        "divisible by that",
                        tcl_layout_text(cx->arena, l), (long long)num);
    }
    for (int i = 0; i < l->nshard - 1; i++) {
        shard[i] = l->shard[i];
        TCL_TRY(tcl_div(cx, shard[i].stride, num, &shard[i].stride));
    }
    TCL_TRY(tcl_div(cx, last.extent, num, &last.extent));
    shard[l->nshard - 1] = last;
    *out = tcl_wrap(cx->arena, shard, l->nshard, l->replica, l->nreplica,
                    l->offset, l->noffset);
    return TC_LAYOUT_OK;
}

/* Both: the swizzle part first, then the tile part. */
static tc_layout_result repack(tc_layout_ctx *cx, const tc_layout *l,
                               int64_t num, bool pack, const tc_layout **out) {
    if (l->kind == TC_LAYOUT_TILE) {
        return pack ? pack_tile(cx, l, num, out) : unpack_tile(cx, l, num, out);
    }
    tc_swizzle s = l->swizzle;
    int64_t bits = 0;
    TCL_TRY(log2_of(cx, num, &bits));
    if (pack && s.per_element < bits) {
        return tcl_fail(cx, "cannot_pack",
                        "a swizzle of 2^%lld elements as one unit cannot be "
                        "packed by %lld",
                        (long long)s.per_element, (long long)num);
    }
    s.per_element += pack ? -bits : bits;
    TCL_TRY(tc_layout_make_swizzle(cx, s, out));
    if (l->kind == TC_LAYOUT_SWIZZLE) {
        return TC_LAYOUT_OK;
    }
    const tc_layout *tile = tc_layout_tile_part(cx->arena, l);
    TCL_TRY(repack(cx, tile, num, pack, &tile));
    return tc_layout_compose(cx, s, tile, out);
}

tc_layout_result tc_layout_unpack(tc_layout_ctx *cx, const tc_layout *l,
                                  int64_t num, const tc_layout **out) {
    return repack(cx, l, num, false, out);
}

tc_layout_result tc_layout_pack(tc_layout_ctx *cx, const tc_layout *l,
                                int64_t num, const tc_layout **out) {
    return repack(cx, l, num, true, out);
}

/* --- broadcast -------------------------------------------------------------*/

/* Where list.insert puts what TVM asks for (a negative position counts from
 * one behind the end, then as Python counts). */
static int insert_at(int64_t position, int n) {
    int64_t at = position;
    if (at < 0) {
        at = at < -2 * (int64_t)n - 2 ? -2 * (int64_t)n - 2 : at;
        at += (int64_t)n + 1;
        if (at < 0) {
            at = at + n < 0 ? 0 : at + n;
        }
    }
    return at > n ? n : (int)at;
}

tc_layout_result tc_layout_broadcast(tc_layout_ctx *cx, const tc_layout *l,
                                     int64_t num, int64_t position,
                                     const tc_axis *axis,
                                     const tc_layout **out) {
    if (l->kind == TC_LAYOUT_SWIZZLE) {
        return tcl_not_a_tile(cx, "broadcast");
    }
    int at = insert_at(position, l->nshard), n = 0;
    tc_iter *shard = TC_NEWN(cx->arena, tc_iter, l->nshard + 1);
    for (int i = 0; i <= l->nshard; i++) {
        if (i == at) {
            shard[n++] = (tc_iter){num, 0, axis};
        }
        if (i < l->nshard) {
            shard[n++] = l->shard[i];
        }
    }
    *out = tcl_wrap(cx->arena, shard, n, l->replica, l->nreplica, l->offset,
                    l->noffset);
    return l->kind == TC_LAYOUT_TILE
               ? TC_LAYOUT_OK
               : tc_layout_compose(cx, l->swizzle, *out, out);
}

/* --- Trainium --------------------------------------------------------------*/

enum { PSUM_BANK = 512 }; /* elements of one bank */

static tc_layout_result psum_iter(tc_layout_ctx *cx, tc_iter it, tc_iter out[2],
                                  int *n) {
    int64_t rest, c, high;
    *n = 1;
    out[0] = it;
    if (it.axis != &tcl_axes[TCL_F]) {
        return TC_LAYOUT_OK;
    }
    TCL_TRY(tcl_mod(cx, it.stride, PSUM_BANK, &rest));
    if (rest == 0) {
        TCL_TRY(tcl_div(cx, it.stride, PSUM_BANK, &high));
        out[0] = (tc_iter){it.extent, high, &tcl_axes[TCL_Bank]};
        return TC_LAYOUT_OK;
    }
    TCL_TRY(tcl_mod(cx, PSUM_BANK, it.stride, &rest));
    if (rest == 0) {
        TCL_TRY(tcl_div(cx, PSUM_BANK, it.stride, &c));
        if (it.extent < c) {
            return TC_LAYOUT_OK;
        }
        TCL_TRY(tcl_mod(cx, it.extent, c, &rest));
        if (rest == 0) {
            TCL_TRY(tcl_div(cx, it.extent, c, &high));
            out[0] = (tc_iter){high, 1, &tcl_axes[TCL_Bank]};
            out[1] = (tc_iter){c, it.stride, it.axis};
            *n = 2;
            return TC_LAYOUT_OK;
        }
    }
    return tcl_fail(cx, "cannot_psum",
                    "the iterator %lld : %lld@F does not split into banks of "
                    "%d elements",
                    (long long)it.extent, (long long)it.stride, PSUM_BANK);
}

tc_layout_result tc_layout_to_psum(tc_layout_ctx *cx, const tc_layout *l,
                                   const tc_layout **out) {
    if (l->kind != TC_LAYOUT_TILE) {
        return tcl_not_a_tile(cx, "to_psum");
    }
    tc_iter *shard = TC_NEWN(cx->arena, tc_iter, 2 * l->nshard + 1);
    int n = 0;
    for (int i = 0; i < l->nshard; i++) {
        int got;
        TCL_TRY(psum_iter(cx, l->shard[i], shard + n, &got));
        n += got;
    }
    *out = tcl_wrap(cx->arena, shard, n, NULL, 0, NULL, 0);
    return TC_LAYOUT_OK;
}

tc_layout_result tc_layout_is_trainium(tc_layout_ctx *cx, const tc_layout *l,
                                       bool *out) {
    *out = false;
    if (l->kind != TC_LAYOUT_TILE) {
        return TC_LAYOUT_OK;
    }
    for (int i = 0; i < l->nshard; i++) {
        const tc_axis *axis = l->shard[i].axis;
        bool memory;
        TCL_TRY(tcl_is_memory(cx, axis, &memory));
        if (memory && axis != &tcl_axes[TCL_F] && axis != &tcl_axes[TCL_P] &&
            axis != &tcl_axes[TCL_Bank]) {
            return TC_LAYOUT_OK;
        }
    }
    *out = true;
    return TC_LAYOUT_OK;
}

tc_layout_result tc_layout_apply_to_shape(tc_layout_ctx *cx, const tc_layout *l,
                                          const int64_t *coord, int ncoord,
                                          const int64_t *shape, int nshape,
                                          const int64_t **out, int *nout) {
    const tc_layout *g;
    int *seps;
    int64_t flat;
    if (l->kind != TC_LAYOUT_TILE) {
        return tcl_not_a_tile(cx, "apply_to_shape");
    }
    if (ncoord != nshape) {
        return tcl_fail(cx, "rank_mismatch",
                        "%d coordinates are given for a shape of rank %d",
                        ncoord, nshape);
    }
    bool grouped =
        tcl_try_group(cx, l, shape, nshape, &g, &seps) == TC_LAYOUT_OK;
    *nout = grouped ? g->nshard : l->nshard;
    int64_t *each = TC_NEWN(cx->arena, int64_t, *nout + 1);
    *out = each;
    if (!grouped) {
        TCL_TRY(tcl_flatten(cx, coord, shape, nshape, &flat));
        return tcl_split(cx, flat, l->shard, l->nshard, each);
    }
    for (int d = 0; d < nshape; d++) {
        TCL_TRY(tcl_split(cx, coord[d], g->shard + seps[d],
                          seps[d + 1] - seps[d], each + seps[d]));
    }
    return TC_LAYOUT_OK;
}

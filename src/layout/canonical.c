/* canonical.c - the canonical form of a layout. */
#include "layout/internal.h"

#include <stdlib.h>
#include <string.h>

/* Canonical form: unit iterators and zero offsets dropped, thread axes fused
 * (with a target), neighbouring iterators merged, replicas sorted. */

/* Fusing on CUDA by the scope pair of the whole layout (LAYOUT.md,
 * "Fusing on CUDA"; TVM axis_registry.cc). */
static const struct fuse_rule {
    int axis;
    tc_scope_level inner, outer;
    int64_t scale;
    int to;
} fuse_rules[] = {
    {TCL_warpid, TC_SCOPE_THREAD, TC_SCOPE_CTA, 32, TCL_tx},
    {TCL_laneid, TC_SCOPE_THREAD, TC_SCOPE_CTA, 1, TCL_tx},
    {TCL_wgid, TC_SCOPE_THREAD, TC_SCOPE_CTA, 128, TCL_tx},
    {TCL_tid_in_wg, TC_SCOPE_THREAD, TC_SCOPE_CTA, 1, TCL_tx},
    {TCL_wid_in_wg, TC_SCOPE_THREAD, TC_SCOPE_CTA, 32, TCL_tx},
    {TCL_laneid, TC_SCOPE_THREAD, TC_SCOPE_WARPGROUP, 1, TCL_tid_in_wg},
    {TCL_wid_in_wg, TC_SCOPE_THREAD, TC_SCOPE_WARPGROUP, 32, TCL_tid_in_wg},
    {TCL_wgid, TC_SCOPE_WARP, TC_SCOPE_CTA, 4, TCL_wgid}, /* as TVM has it */
    {TCL_wid_in_wg, TC_SCOPE_WARP, TC_SCOPE_CTA, 1, TCL_warpid},
};

static tc_layout_result fuse(tc_layout_ctx *cx, tc_scope_level inner,
                             tc_scope_level outer, const tc_axis **axis,
                             int64_t *stride) {
    const int n = sizeof fuse_rules / sizeof *fuse_rules;
    for (int i = 0; i < n; i++) {
        const struct fuse_rule *r = &fuse_rules[i];
        if (*axis == &tcl_axes[r->axis] && r->inner == inner &&
            r->outer == outer) {
            *axis = &tcl_axes[r->to];
            return tcl_mul(cx, *stride, r->scale, stride);
        }
    }
    return TC_LAYOUT_OK;
}

/* The parts of a layout while it is rewritten in place. */
typedef struct parts {
    tc_iter *shard, *replica;
    tc_offset *offset;
    int nshard, nreplica, noffset;
} parts;

static tc_layout_result fuse_axes(tc_layout_ctx *cx, parts *p,
                                  tc_scope_level inner, tc_scope_level outer) {
    for (int i = 0; i < p->nshard; i++) {
        tc_iter *it = &p->shard[i];
        TCL_TRY(fuse(cx, inner, outer, &it->axis, &it->stride));
    }
    for (int i = 0; i < p->nreplica; i++) {
        tc_iter *it = &p->replica[i];
        TCL_TRY(fuse(cx, inner, outer, &it->axis, &it->stride));
    }
    tcl_offsets fused = {TC_NEWN(cx->arena, tc_offset, p->noffset + 1), 0};
    for (int i = 0; i < p->noffset; i++) {
        tc_offset o = p->offset[i];
        TCL_TRY(fuse(cx, inner, outer, &o.axis, &o.value));
        tcl_offset_set(&fused, o.axis, o.value); /* the later one stays */
    }
    p->offset = fused.items;
    p->noffset = fused.n;
    return TC_LAYOUT_OK;
}

/* Whether prev and it are one iterator in two pieces. */
static bool mergeable(const tc_iter *prev, const tc_iter *it) {
    int64_t reach;
    return tc_axis_eq(prev->axis, it->axis) &&
           !__builtin_mul_overflow(it->extent, it->stride, &reach) &&
           reach == prev->stride;
}

/* Greedily from left to right; the last stride is that of the whole. */
static tc_layout_result merge(tc_layout_ctx *cx, parts *p) {
    int n = 0;
    for (int i = 0; i < p->nshard; i++) {
        const tc_iter *it = &p->shard[i];
        tc_iter *prev = n > 0 ? &p->shard[n - 1] : NULL;
        if (prev != NULL && mergeable(prev, it)) {
            TCL_TRY(tcl_mul(cx, prev->extent, it->extent, &prev->extent));
            prev->stride = it->stride;
        } else {
            p->shard[n++] = *it;
        }
    }
    p->nshard = n;
    return TC_LAYOUT_OK;
}

static int by_axis(const void *pa, const void *pb) {
    const tc_iter *a = pa, *b = pb;
    int c = a->axis == b->axis ? 0 : strcmp(a->axis->name, b->axis->name);
    if (c != 0) {
        return c;
    }
    if (a->extent != b->extent) {
        return a->extent < b->extent ? -1 : 1;
    }
    return (a->stride > b->stride) - (a->stride < b->stride);
}

static parts drop_units(tc_arena *a, const tc_layout *l) {
    parts p = {.shard = TC_NEWN(a, tc_iter, l->nshard + l->nreplica + 1),
               .offset = TC_NEWN(a, tc_offset, l->noffset + 1),
               .nreplica = l->nreplica};
    for (int i = 0; i < l->nshard; i++) {
        if (l->shard[i].extent != 1) {
            p.shard[p.nshard++] = l->shard[i];
        }
    }
    if (p.nshard == 0 && l->nshard > 0) {
        p.shard[p.nshard++] = (tc_iter){1, 1, l->shard[0].axis};
    }
    p.replica = p.shard + p.nshard;
    for (int i = 0; i < l->nreplica; i++) {
        p.replica[i] = l->replica[i];
    }
    for (int i = 0; i < l->noffset; i++) {
        if (l->offset[i].value != 0) {
            p.offset[p.noffset++] = l->offset[i];
        }
    }
    return p;
}

/* A shortcut for the many layouts that change nothing: memory axes only. */
static bool is_canonical(const tc_layout *l) {
    if (l->kind != TC_LAYOUT_TILE || l->nreplica > 1) {
        return false;
    }
    for (int i = 0; i < l->nshard; i++) {
        const tc_iter *it = &l->shard[i];
        if (it->axis->cls != TC_AXIS_MEMORY || it->extent == 1 ||
            (i > 0 && mergeable(it - 1, it))) {
            return false;
        }
    }
    for (int i = 0; i < l->noffset; i++) {
        if (l->offset[i].value == 0) {
            return false;
        }
    }
    return true;
}

static tc_layout_result canonical_tile(tc_layout_ctx *cx, const tc_layout *l,
                                       const tc_layout **out) {
    if (is_canonical(l)) {
        *out = l;
        return TC_LAYOUT_OK;
    }
    parts p = drop_units(cx->arena, l);
    tc_layout *res = tcl_wrap(cx->arena, p.shard, p.nshard, p.replica,
                              p.nreplica, p.offset, p.noffset);
    tc_scope_level inner, outer;
    tc_layout_result r = tc_layout_get_scope(cx, res, &inner, &outer);
    if (r == TC_LAYOUT_FAILED) {
        return r;
    }
    if (r == TC_LAYOUT_OK && cx->target_cuda) {
        TCL_TRY(fuse_axes(cx, &p, inner, outer));
        res->offset = p.offset;
        res->noffset = p.noffset;
    }
    TCL_TRY(merge(cx, &p));
    res->nshard = p.nshard;
    if (p.nreplica > 1) {
        qsort(p.replica, (size_t)p.nreplica, sizeof *p.replica, by_axis);
    }
    *out = res;
    return TC_LAYOUT_OK;
}

/* At most one iterator, memory, stride 1, no replica and no offset. */
static tc_layout_result trivial_tile(tc_layout_ctx *cx, const tc_layout *l,
                                     bool *out) {
    *out = false;
    if (l->nshard > 1) {
        return TC_LAYOUT_OK;
    }
    if (l->nshard == 1) {
        bool memory;
        TCL_TRY(tcl_is_memory(cx, l->shard[0].axis, &memory));
        if (!memory || l->shard[0].stride != 1) {
            return TC_LAYOUT_OK;
        }
    }
    *out = l->nreplica == 0 && l->noffset == 0;
    return TC_LAYOUT_OK;
}

tc_layout_result tc_layout_canonicalize(tc_layout_ctx *cx, const tc_layout *l,
                                        const tc_layout **out) {
    if (l->kind == TC_LAYOUT_SWIZZLE) {
        *out = l;
        return TC_LAYOUT_OK;
    }
    if (l->kind == TC_LAYOUT_TILE) {
        return canonical_tile(cx, l, out);
    }
    const tc_layout *tile;
    bool trivial;
    TCL_TRY(canonical_tile(cx, l, &tile));
    TCL_TRY(trivial_tile(cx, tile, &trivial));
    return trivial ? tc_layout_make_swizzle(cx, l->swizzle, out)
                   : tc_layout_compose(cx, l->swizzle, tile, out);
}

tc_layout_result tc_layout_is_trivial(tc_layout_ctx *cx, const tc_layout *l,
                                      bool *out) {
    *out = false;
    if (l->kind != TC_LAYOUT_TILE) {
        return TC_LAYOUT_OK;
    }
    TCL_TRY(canonical_tile(cx, l, &l));
    return trivial_tile(cx, l, out);
}

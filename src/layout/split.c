/* split.c - thread axes split at a scope. */
#include "layout/internal.h"

/* Splitting thread axes at a scope: what undoes the fusing of canonicalize
 * (LAYOUT.md, "Splitting on CUDA"). */

static const struct split_rule {
    int axis;
    tc_scope_level at;
    int high, low;
    int64_t n;
} split_rules[] = {
    {TCL_tx, TC_SCOPE_WARP, TCL_warpid, TCL_laneid, 32},
    {TCL_tx, TC_SCOPE_WARPGROUP, TCL_wgid, TCL_tid_in_wg, 128},
    {TCL_tid_in_wg, TC_SCOPE_WARP, TCL_wid_in_wg, TCL_laneid, 32},
    {TCL_warpid, TC_SCOPE_WARP, TCL_wgid, TCL_wid_in_wg, 4},
};

static bool splits(const tc_axis *axis) {
    static const int cuda[] = {TCL_tx,   TCL_warpid,    TCL_laneid,
                               TCL_wgid, TCL_tid_in_wg, TCL_wid_in_wg};
    for (unsigned i = 0; i < sizeof cuda / sizeof *cuda; i++) {
        if (axis == &tcl_axes[cuda[i]]) {
            return true;
        }
    }
    return false;
}

/* An iterator by a rule: 0, 1 or 2 iterators. */
static tc_layout_result by_rule(tc_layout_ctx *cx, const struct split_rule *r,
                                tc_iter it, tc_iter out[2], int *n) {
    int64_t reach, a, b;
    const tc_axis *high = &tcl_axes[r->high], *low = &tcl_axes[r->low];
    TCL_TRY(tcl_mul(cx, it.extent, it.stride, &reach));
    *n = 1;
    if (reach < r->n) {
        out[0] = (tc_iter){it.extent, it.stride, low};
        return TC_LAYOUT_OK;
    }
    TCL_TRY(tcl_mod(cx, r->n, it.stride, &a));
    TCL_TRY(tcl_mod(cx, reach, r->n, &b));
    if (a == 0 && b == 0) {
        TCL_TRY(tcl_div(cx, r->n, it.stride, &a));
        TCL_TRY(tcl_div(cx, it.extent, a, &b));
        out[0] = (tc_iter){b, 1, high};
        out[1] = (tc_iter){a, it.stride, low};
        *n = 2;
        return TC_LAYOUT_OK;
    }
    TCL_TRY(tcl_mod(cx, it.stride, r->n, &a));
    *n = 0;
    if (a == 0) {
        TCL_TRY(tcl_div(cx, it.stride, r->n, &b));
        out[(*n)++] = (tc_iter){it.extent, b, high};
    }
    return TC_LAYOUT_OK;
}

static tc_layout_result split(tc_layout_ctx *cx, tc_scope_level at, tc_iter it,
                              tc_iter out[2], int *n) {
    const int rules = sizeof split_rules / sizeof *split_rules;
    for (int i = 0; i < rules; i++) {
        if (it.axis == &tcl_axes[split_rules[i].axis] &&
            at == split_rules[i].at) {
            return by_rule(cx, &split_rules[i], it, out, n);
        }
    }
    if (splits(it.axis)) {
        return tcl_fail(cx, "cannot_split_axis",
                        "axis %s cannot be split at the scope %s",
                        it.axis->name, tc_scope_name(at));
    }
    out[0] = it;
    *n = 1;
    return TC_LAYOUT_OK;
}

static tc_layout_result split_iters(tc_layout_ctx *cx, tc_scope_level at,
                                    const tc_iter *iters, int n,
                                    const tc_iter **out, int *nout) {
    tc_iter *list = TC_NEWN(cx->arena, tc_iter, 2 * n + 1);
    *nout = 0;
    for (int i = 0; i < n; i++) {
        int got;
        TCL_TRY(split(cx, at, iters[i], list + *nout, &got));
        *nout += got;
    }
    *out = list;
    return TC_LAYOUT_OK;
}

static tc_layout_result split_offset(tc_layout_ctx *cx, tc_scope_level at,
                                     tc_offset o, tcl_offsets *out) {
    tc_iter to[2];
    int64_t digit[2];
    int n;
    TCL_TRY(split(cx, at, (tc_iter){1, o.value, o.axis}, to, &n));
    if (n == 0) {
        return tcl_fail(cx, "cannot_split_axis",
                        "the offset %lld on axis %s cannot be split at the "
                        "scope %s",
                        (long long)o.value, o.axis->name, tc_scope_name(at));
    }
    if (n == 1) {
        tcl_offset_set(out, to[0].axis, to[0].stride);
        return TC_LAYOUT_OK;
    }
    TCL_TRY(tcl_split(cx, o.value, to, 2, digit));
    for (int i = 0; i < 2; i++) {
        TCL_TRY(tcl_mul(cx, digit[i], to[i].stride, &digit[i]));
        tcl_offset_set(out, to[i].axis, digit[i]);
    }
    return TC_LAYOUT_OK;
}

tc_layout_result tcl_split_axes(tc_layout_ctx *cx, const tc_layout *l,
                                tc_scope_level at, const tc_layout **out) {
    tc_layout *s = tcl_wrap(cx->arena, NULL, 0, NULL, 0, NULL, 0);
    tcl_offsets off = {TC_NEWN(cx->arena, tc_offset, 2 * l->noffset + 1), 0};
    TCL_TRY(split_iters(cx, at, l->shard, l->nshard, &s->shard, &s->nshard));
    TCL_TRY(split_iters(cx, at, l->replica, l->nreplica, &s->replica,
                        &s->nreplica));
    for (int i = 0; i < l->noffset; i++) {
        TCL_TRY(split_offset(cx, at, l->offset[i], &off));
    }
    s->offset = off.items;
    s->noffset = off.n;
    *out = s;
    return TC_LAYOUT_OK;
}

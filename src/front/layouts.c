/* layouts.c - layout constructors and the spec notation S[..] + R[..] + offset.
 *
 * As in TVM 0.25.0, python/tvm/tirx/layout.py: _SpecBuilder, _spec_to_iters,
 * _LayoutSpec, TileLayout.from_iters. */
#include "front/internal.h"

#include <string.h>

/* --- S[...] and R[...] ------------------------------------------------- */

typedef struct pair {
    const tc_value *extents, *strides; /* strides NULL: row-major */
    int nextents, nstrides;
} pair;

static void as_tuple(tc_eval_ctx *e, const tc_value *v, const tc_value **items,
                     int *n) {
    if (tc_value_is_sequence(v)) {
        *items = v->items;
        *n = v->nitems;
        return;
    }
    tc_value *one = TC_NEW(e->arena, tc_value);
    *one = *v;
    *items = one;
    *n = 1;
}

/* The subscript as Python passes it: a slice, a tuple, or one value. */
static bool subscript_key(tc_eval_ctx *e, const tc_node *n, tc_value *key) {
    if (n->items.n == 1 && n->items.items[0]->kind != TC_N_STAR) {
        return tc_eval_node(e, n->items.items[0], key);
    }
    tc_node tuple = {.kind = TC_N_TUPLE, .span = n->span, .items = n->items};
    return tc_eval_node(e, &tuple, key);
}

static bool stride_of(tc_eval_ctx *e, const tc_value *v, tc_span at,
                      tc_iter *it) {
    it->axis = tc_axis_m;
    switch (v->kind) {
    case TC_V_STRIDED:
        it->stride = v->i;
        it->axis = v->axis;
        return true;
    case TC_V_STRING:
        it->stride = 1;
        it->axis = tc_axis_get(e->arena, v->s);
        return true;
    case TC_V_TUPLE:
        if (v->nitems != 2) {
            return tc_front_fail(e, at, NULL,
                                 "a stride with an axis is (stride, \"axis\")");
        }
        return tc_want_int(e, &v->items[0], at, "the stride", &it->stride) &&
               tc_want_axis(e, &v->items[1], at, &it->axis);
    case TC_V_AXIS:
        return tc_front_fail(e, at,
                             tc_format(e->arena, "write 1 @ %s", v->axis->name),
                             "the stride before the axis is missing");
    default:
        return tc_want_int(e, v, at, "the stride", &it->stride);
    }
}

static bool spec_extent(tc_eval_ctx *e, const tc_value *v, tc_span at,
                        int64_t *out) {
    if (!tc_want_int(e, v, at, "the extent", out)) {
        return false;
    }
    return (*out >= INT32_MIN && *out <= INT32_MAX) ||
           tc_front_fail(e, at, NULL, "the extent %lld does not fit in 32 bits",
                         (long long)*out);
}

static bool row_major(tc_eval_ctx *e, tc_iter *it, int n, tc_span at) {
    int64_t stride = 1;
    for (int i = n - 1; i >= 0; i--) {
        it[i].stride = stride;
        it[i].axis = tc_axis_m;
        if (__builtin_mul_overflow(stride, it[i].extent, &stride)) {
            return tc_front_fail(e, at, NULL, "the layout is too large");
        }
    }
    return true;
}

static bool make_iters(tc_eval_ctx *e, const pair *p, tc_span at, tc_iter **out,
                       int *n) {
    *n = p->strides != NULL && p->nstrides < p->nextents ? p->nstrides
                                                         : p->nextents;
    tc_iter *it = *out = TC_NEWN(e->arena, tc_iter, *n > 0 ? *n : 1);
    for (int i = 0; i < *n; i++) {
        if (!spec_extent(e, &p->extents[i], at, &it[i].extent) ||
            (p->strides != NULL && !stride_of(e, &p->strides[i], at, &it[i]))) {
            return false;
        }
    }
    return p->strides != NULL || row_major(e, it, *n, at);
}

static bool spec_pair(tc_eval_ctx *e, const tc_value *key, tc_span at,
                      pair *p) {
    *p = (pair){0};
    if (key->kind != TC_V_SLICE) {
        as_tuple(e, key, &p->extents, &p->nextents);
        return true;
    }
    if (key->items[0].kind == TC_V_NONE || key->items[1].kind == TC_V_NONE) {
        return tc_front_fail(e, at, "write S[extents : strides]",
                             "the extents or the strides are missing");
    }
    if (key->items[2].kind != TC_V_NONE) {
        return tc_front_fail(e, at, "write S[extents : strides]",
                             "a spec has two parts, not three");
    }
    as_tuple(e, &key->items[0], &p->extents, &p->nextents);
    as_tuple(e, &key->items[1], &p->strides, &p->nstrides);
    return true;
}

bool tc_spec_subscript(tc_eval_ctx *e, bool replica, const tc_node *n,
                       tc_value *out) {
    enum { MAX_ITERS = 256 };
    tc_value key;
    pair p;
    tc_iter *it;
    int count;
    if (!subscript_key(e, n, &key) || !spec_pair(e, &key, n->span, &p) ||
        !make_iters(e, &p, n->span, &it, &count)) {
        return false;
    }
    if (count > MAX_ITERS) {
        return tc_front_fail(e, n->span, NULL, "more than %d iterators",
                             MAX_ITERS);
    }
    *out = (tc_value){
        .kind = TC_V_SPEC, .shard_given = !replica, .replica_given = replica};
    out->layout = replica
                      ? tc_layout_tile(e->arena, NULL, 0, it, count, NULL, 0)
                      : tc_layout_tile(e->arena, it, count, NULL, 0, NULL, 0);
    return true;
}

/* --- sums -------------------------------------------------------------- */

typedef struct offsets {
    tc_offset *items;
    int n, cap;
} offsets;

static bool add_offset(tc_eval_ctx *e, offsets *l, const tc_axis *axis,
                       int64_t v, tc_span at) {
    for (int i = 0; i < l->n; i++) {
        if (tc_axis_eq(l->items[i].axis, axis)) {
            return !__builtin_add_overflow(l->items[i].value, v,
                                           &l->items[i].value) ||
                   tc_front_fail(e, at, NULL, "the offset is too large");
        }
    }
    tc_offset o = {axis, v};
    TC_PUSH(e->arena, l->items, l->n, l->cap, o);
    return true;
}

/* The offsets that a term of a sum brings. */
static bool collect(tc_eval_ctx *e, offsets *l, const tc_value *v, tc_span at) {
    if (v->kind == TC_V_SPEC) {
        for (int i = 0; i < v->layout->noffset; i++) {
            if (!add_offset(e, l, v->layout->offset[i].axis,
                            v->layout->offset[i].value, at)) {
                return false;
            }
        }
        return true;
    }
    if (v->kind == TC_V_STRIDED) {
        return add_offset(e, l, v->axis, v->i, at);
    }
    int64_t i;
    return tc_want_int(e, v, at, "the offset", &i) &&
           add_offset(e, l, tc_axis_m, i, at);
}

bool tc_spec_add(tc_eval_ctx *e, const tc_value *a, const tc_value *b,
                 tc_span span, tc_value *out) {
    offsets l = {0};
    if (!collect(e, &l, a, span) || !collect(e, &l, b, span)) {
        return false;
    }
    /* The left shard wins, and the right replica. */
    const tc_value *shard = a->kind == TC_V_SPEC && a->shard_given   ? a
                            : b->kind == TC_V_SPEC && b->shard_given ? b
                                                                     : NULL;
    const tc_value *replica = b->kind == TC_V_SPEC && b->replica_given   ? b
                              : a->kind == TC_V_SPEC && a->replica_given ? a
                                                                         : NULL;
    *out = (tc_value){.kind = TC_V_SPEC,
                      .shard_given = shard != NULL,
                      .replica_given = replica != NULL};
    out->layout = tc_layout_tile(
        e->arena, shard != NULL ? shard->layout->shard : NULL,
        shard != NULL ? shard->layout->nshard : 0,
        replica != NULL ? replica->layout->replica : NULL,
        replica != NULL ? replica->layout->nreplica : 0, l.items, l.n);
    return true;
}

/* --- constructors ------------------------------------------------------ */

static bool refused(tc_eval_ctx *e, const tc_layout_ctx *cx, tc_span at) {
    return tc_front_fail(e, at, NULL, "%s",
                         cx->message != NULL ? cx->message : "no such layout");
}

static tc_layout_ctx layout_ctx(tc_eval_ctx *e) {
    return (tc_layout_ctx){.arena = e->arena,
                           .target_cuda = e->front->target_cuda};
}

bool tc_call_tile_layout(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    if (!tc_bind_args(e, args, "spec", 1, b)) {
        return false;
    }
    const tc_value *v = &b[0]->value;
    if (v->kind != TC_V_SPEC || (!v->shard_given && !v->replica_given)) {
        return tc_front_fail(e, b[0]->span, "write TileLayout(S[128, 32])",
                             "TileLayout takes a spec such as "
                             "S[(128, 32) : (32, 1)], and this is %s",
                             tc_value_kind_text(v));
    }
    *out = tc_value_layout(v->layout);
    return true;
}

static bool iter_list(tc_eval_ctx *e, const tc_arg *arg, tc_iter **out,
                      int *n) {
    *out = NULL;
    *n = 0;
    if (arg == NULL) {
        return true;
    }
    if (!tc_value_is_sequence(&arg->value)) {
        return tc_front_fail(e, arg->span, NULL, "a list of Iter is needed");
    }
    *out = TC_NEWN(e->arena, tc_iter, arg->value.nitems + 1);
    for (; *n < arg->value.nitems; ++*n) {
        const tc_value *v = &arg->value.items[*n];
        if (v->kind != TC_V_ITER) {
            return tc_front_fail(
                e, arg->span, "write Iter(extent, stride, \"axis\")",
                "item %d is %s, not an Iter", *n, tc_value_kind_text(v));
        }
        (*out)[*n] = v->iter;
    }
    return true;
}

static bool offset_dict(tc_eval_ctx *e, const tc_arg *arg, offsets *out) {
    if (arg == NULL || arg->value.kind == TC_V_NONE) {
        return true;
    }
    if (arg->value.kind != TC_V_DICT) {
        return tc_front_fail(e, arg->span, "write {\"m\": 4}",
                             "the offset is a dict from axis to integer");
    }
    for (int i = 0; i + 1 < arg->value.nitems; i += 2) {
        const tc_axis *axis;
        int64_t v;
        if (!tc_want_axis(e, &arg->value.items[i], arg->span, &axis) ||
            !tc_want_int(e, &arg->value.items[i + 1], arg->span, "the offset",
                         &v) ||
            !add_offset(e, out, axis, v, arg->span)) {
            return false;
        }
    }
    return true;
}

bool tc_call_from_iters(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[3];
    tc_iter *shard, *replica;
    int nshard, nreplica;
    offsets o = {0};
    if (!tc_bind_args(e, args, "shard,replica,offset", 0, b) ||
        !iter_list(e, b[0], &shard, &nshard) ||
        !iter_list(e, b[1], &replica, &nreplica) || !offset_dict(e, b[2], &o)) {
        return false;
    }
    *out = tc_value_layout(tc_layout_tile(e->arena, shard, nshard, replica,
                                          nreplica, o.items, o.n));
    return true;
}

bool tc_call_swizzle_layout(tc_eval_ctx *e, const tc_args *args,
                            tc_value *out) {
    const tc_arg *b[4];
    tc_swizzle sw = {.inner = true};
    const tc_layout *l;
    if (!tc_bind_args(e, args, "per_element,swizzle_len,atom_len,swizzle_inner",
                      3, b) ||
        !tc_want_int(e, &b[0]->value, b[0]->span, "per_element",
                     &sw.per_element) ||
        !tc_want_int(e, &b[1]->value, b[1]->span, "swizzle_len",
                     &sw.swizzle_len) ||
        !tc_want_int(e, &b[2]->value, b[2]->span, "atom_len", &sw.atom_len) ||
        (b[3] != NULL && !tc_want_bool(e, &b[3]->value, b[3]->span,
                                       "swizzle_inner", &sw.inner))) {
        return false;
    }
    tc_layout_ctx cx = layout_ctx(e);
    if (tc_layout_make_swizzle(&cx, sw, &l) != TC_LAYOUT_OK) {
        return refused(e, &cx, args->span);
    }
    *out = tc_value_layout(l);
    return true;
}

bool tc_call_compose_layout(tc_eval_ctx *e, const tc_args *args,
                            tc_value *out) {
    const tc_arg *b[2];
    const tc_layout *swizzle, *tile, *l;
    if (!tc_bind_args(e, args, "layout_A,layout_B", 2, b) ||
        !tc_want_layout(e, &b[0]->value, b[0]->span, &swizzle) ||
        !tc_want_layout(e, &b[1]->value, b[1]->span, &tile)) {
        return false;
    }
    if (swizzle->kind != TC_LAYOUT_SWIZZLE || tile->kind != TC_LAYOUT_TILE) {
        return tc_front_fail(
            e, args->span, "ComposeLayout(SwizzleLayout(...), TileLayout(...))",
            "ComposeLayout takes a swizzle and then a tile layout");
    }
    tc_layout_ctx cx = layout_ctx(e);
    if (tc_layout_compose(&cx, swizzle->swizzle, tile, &l) != TC_LAYOUT_OK) {
        return refused(e, &cx, args->span);
    }
    *out = tc_value_layout(l);
    return true;
}

bool tc_call_iter(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[3];
    *out = (tc_value){.kind = TC_V_ITER};
    return tc_bind_args(e, args, "extent,stride,axis", 3, b) &&
           tc_want_int(e, &b[0]->value, b[0]->span, "the extent",
                       &out->iter.extent) &&
           tc_want_int(e, &b[1]->value, b[1]->span, "the stride",
                       &out->iter.stride) &&
           tc_want_axis(e, &b[2]->value, b[2]->span, &out->iter.axis);
}

bool tc_call_axis_get(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    const char *name;
    if (!tc_bind_args(e, args, "name", 1, b) ||
        !tc_want_string(e, &b[0]->value, b[0]->span, "the axis's name",
                        &name)) {
        return false;
    }
    *out = tc_value_axis(tc_axis_get(e->arena, name));
    return true;
}

/* layout_ops.h - one function for each operation of the corpus: does what the
 * line asks and gives the answer as JSON. */
#ifndef LAYOUT_OPS_H
#define LAYOUT_OPS_H

#include "layout/algebra.h"
#include "layout_json.h"

/* One question: the receiver and the arguments. */
typedef struct ask {
    tc_layout_ctx *cx;
    const char *text;
    const tc_layout *self; /* NULL for `axis` and `helper` */
    const json_t *args;
    json_t *answer; /* set where the result is OK; NONE answers null */
} ask;

static const int64_t *ints_of(ask *q, const char *key, int *n) {
    json_t *list = json_object_get(q->args, key), *e;
    size_t i;
    *n = (int)json_array_size(list);
    int64_t *out = TC_NEWN(q->cx->arena, int64_t, *n + 1);
    json_array_foreach(list, i, e) {
        out[i] = json_integer_value(e);
    }
    return out;
}

static const int *small_of(ask *q, const char *key, int *n) {
    const int64_t *wide = ints_of(q, key, n);
    int *out = TC_NEWN(q->cx->arena, int, *n + 1);
    for (int i = 0; i < *n; i++) {
        out[i] = (int)wide[i];
    }
    return out;
}

static const tc_axis *axis_of(ask *q) {
    const char *s = json_string_value(json_object_get(q->args, "axis"));
    return s ? tc_axis_get(q->cx->arena, s) : NULL;
}

static tc_layout_result give(ask *q, tc_layout_result r, const tc_layout *l) {
    if (r == TC_LAYOUT_OK) {
        q->answer = layout_json(l);
    }
    return r;
}

static tc_layout_result give_bool(ask *q, tc_layout_result r, bool b) {
    if (r == TC_LAYOUT_OK) {
        q->answer = json_boolean(b);
    }
    return r;
}

static tc_layout_result do_axis(ask *q) {
    const tc_axis *x = axis_of(q);
    int thread = x->cls == TC_AXIS_THREAD;
    q->answer = json_pack("{s:b, s:b, s:s?, s:s?}", "memory",
                          x->cls == TC_AXIS_MEMORY, "thread", thread, "scope",
                          thread ? tc_scope_name(x->scope) : NULL, "subscope",
                          thread ? tc_scope_name(x->subscope) : NULL);
    return TC_LAYOUT_OK;
}

static tc_layout_result do_is_swizzle(ask *q) {
    return give_bool(q, TC_LAYOUT_OK, q->self->kind == TC_LAYOUT_SWIZZLE);
}

static tc_layout_result do_is_trivial(ask *q) {
    bool b = false;
    tc_layout_result r = tc_layout_is_trivial(q->cx, q->self, &b);
    return give_bool(q, r, b);
}

static tc_layout_result do_verify(ask *q) {
    bool b = false;
    tc_layout_result r = tc_layout_verify(q->cx, q->self, &b);
    return give_bool(q, r, b);
}

static tc_layout_result do_size(ask *q) {
    int64_t n = 0;
    tc_layout_result r = tc_layout_size(q->cx, q->self, axis_of(q), &n);
    q->answer = r == TC_LAYOUT_OK ? json_integer(n) : NULL;
    return r;
}

static tc_layout_result do_span(ask *q) {
    int64_t n = 0;
    tc_layout_result r = tc_layout_span(q->cx, q->self, axis_of(q), &n);
    q->answer = r == TC_LAYOUT_OK ? json_integer(n) : NULL;
    return r;
}

static tc_layout_result do_get_scope(ask *q) {
    tc_scope_level in, out;
    tc_layout_result r = tc_layout_get_scope(q->cx, q->self, &in, &out);
    if (r == TC_LAYOUT_OK) {
        q->answer = json_pack("[s, s]", tc_scope_name(in), tc_scope_name(out));
    }
    return r;
}

static tc_layout_result do_apply(ask *q) {
    int n, nshape, nout = 0;
    const int64_t *coord = ints_of(q, "coord", &n);
    const int64_t *shape = ints_of(q, "shape", &nshape);
    const tc_offset *out = NULL;
    if (json_object_get(q->args, "shape") == NULL) {
        shape = NULL;
    }
    tc_layout_result r =
        tc_layout_apply(q->cx, q->self, coord, n, shape, nshape, &out, &nout);
    q->answer = r == TC_LAYOUT_OK ? offsets_json(out, nout) : NULL;
    return r;
}

static tc_layout_result do_apply_table(ask *q) {
    json_t *table = json_object();
    for (int64_t x = 0; x < json_int(q->args, "size"); x++) {
        const tc_offset *out;
        int n;
        tc_layout_result r =
            tc_layout_apply(q->cx, q->self, &x, 1, NULL, 0, &out, &n);
        if (r != TC_LAYOUT_OK) {
            json_decref(table);
            return r;
        }
        for (int i = 0; i < n; i++) {
            const char *name = out[i].axis->name;
            if (json_object_get(table, name) == NULL) {
                json_object_set_new(table, name, json_array());
            }
            json_array_append_new(json_object_get(table, name),
                                  json_integer(out[i].value));
        }
    }
    q->answer = table;
    return TC_LAYOUT_OK;
}

static tc_layout_result do_canonicalize(ask *q) {
    const tc_layout *l = NULL;
    tc_layout_result r = tc_layout_canonicalize(q->cx, q->self, &l);
    return give(q, r, l);
}

static const tc_layout *other_of(ask *q, const char *key) {
    json_t *j = json_object_get(q->args, key);
    return layout_of(q->cx, json_object_get(j, "layout"));
}

static tc_layout_result do_equal(ask *q) {
    const tc_layout *a, *b;
    tc_layout_result r = tc_layout_canonicalize(q->cx, q->self, &a);
    if (r != TC_LAYOUT_OK) {
        return r;
    }
    r = tc_layout_canonicalize(q->cx, other_of(q, "other"), &b);
    return give_bool(q, r, r == TC_LAYOUT_OK && tc_layout_equal(a, b));
}

static tc_layout_result do_group(ask *q) {
    int n, *seps;
    const int64_t *shape = ints_of(q, "shape", &n);
    const tc_layout *l;
    tc_layout_result r = tc_layout_group(q->cx, q->self, shape, n, &l, &seps);
    if (r != TC_LAYOUT_OK) {
        return r;
    }
    json_t *list = json_array();
    for (int i = 0; i <= n; i++) {
        json_array_append_new(list, json_integer(seps[i]));
    }
    q->answer = json_pack("[o, o]", layout_json(l), list);
    return r;
}

static tc_layout_result do_slice(ask *q) {
    int n;
    const int64_t *shape = ints_of(q, "shape", &n);
    json_t *region = json_object_get(q->args, "region"), *e;
    int nregion = (int)json_array_size(region);
    int64_t(*pairs)[2] = tc_alloc(q->cx->arena, sizeof *pairs * (nregion + 1u));
    size_t i;
    const tc_layout *l = NULL;
    json_array_foreach(region, i, e) {
        pairs[i][0] = json_integer_value(json_array_get(e, 0));
        pairs[i][1] = json_integer_value(json_array_get(e, 1));
    }
    tc_layout_result r = tc_layout_slice(
        q->cx, q->self, shape, n, (const int64_t(*)[2])pairs, nregion, &l);
    return give(q, r, l);
}

static tc_layout_result do_permute_dims(ask *q) {
    int n;
    const int *perm = small_of(q, "perm", &n);
    const tc_layout *l = NULL;
    tc_layout_result r = tc_layout_permute_dims(q->cx, q->self, perm, n, &l);
    return give(q, r, l);
}

static tc_layout_result do_permute_by_groups(ask *q) {
    int n, nseps;
    const int *perm = small_of(q, "perm", &n);
    const int *seps = small_of(q, "seps", &nseps);
    const tc_layout *l = NULL;
    tc_layout_result r =
        tc_layout_permute_by_groups(q->cx, q->self, seps, nseps, perm, n, &l);
    return give(q, r, l);
}

/* --- algebra.h: two layouts and two shapes, or one layout rewritten --------*/

typedef tc_layout_result binary(tc_layout_ctx *, const tc_layout *,
                                const tc_layout *, const int64_t *, int,
                                const int64_t *, int, const tc_layout **);

static tc_layout_result do_binary(ask *q, binary *f, const char *other,
                                  const char *shape1, const char *shape2) {
    int n1, n2;
    const int64_t *s1 = ints_of(q, shape1, &n1);
    const int64_t *s2 = ints_of(q, shape2, &n2);
    const tc_layout *l = NULL;
    tc_layout_result r =
        f(q->cx, q->self, other_of(q, other), s1, n1, s2, n2, &l);
    return give(q, r, l);
}

static tc_layout_result do_tile(ask *q) {
    return do_binary(q, tc_layout_tile_by, "outer", "outer_shape",
                     "inner_shape");
}

static tc_layout_result do_direct_sum(ask *q) {
    return do_binary(q, tc_layout_direct_sum, "left", "left_shape",
                     "right_shape");
}

static tc_layout_result do_is_tile_inner(ask *q) {
    return do_binary(q, tc_layout_is_tile_inner, "whole", "tiled_shape",
                     "shape");
}

static tc_layout_result do_is_tile_outer(ask *q) {
    return do_binary(q, tc_layout_is_tile_outer, "whole", "tiled_shape",
                     "shape");
}

static tc_layout_result do_is_direct_sum_left(ask *q) {
    return do_binary(q, tc_layout_is_direct_sum_left, "whole",
                     "interleaved_shape", "shape");
}

static tc_layout_result do_is_direct_sum_right(ask *q) {
    return do_binary(q, tc_layout_is_direct_sum_right, "whole",
                     "interleaved_shape", "shape");
}

static tc_layout_result do_tile_to(ask *q) {
    int n1, n2;
    const int64_t *to = ints_of(q, "to_shape", &n1);
    const int64_t *now = ints_of(q, "current_shape", &n2);
    const tc_layout *l = NULL;
    tc_layout_result r = tc_layout_tile_to(q->cx, q->self, to, n1, now, n2, &l);
    return give(q, r, l);
}

static tc_layout_result do_storage(ask *q) {
    const tc_layout *l = NULL;
    tc_layout_result r = tc_layout_storage(q->cx, q->self, &l);
    return give(q, r, l);
}

static tc_layout_result do_pack(ask *q) {
    const tc_layout *l = NULL;
    tc_layout_result r =
        tc_layout_pack(q->cx, q->self, json_int(q->args, "num"), &l);
    return give(q, r, l);
}

static tc_layout_result do_unpack(ask *q) {
    const tc_layout *l = NULL;
    tc_layout_result r =
        tc_layout_unpack(q->cx, q->self, json_int(q->args, "num"), &l);
    return give(q, r, l);
}

static tc_layout_result do_broadcast(ask *q) {
    const tc_layout *l = NULL;
    tc_layout_result r =
        tc_layout_broadcast(q->cx, q->self, json_int(q->args, "num"),
                            json_int(q->args, "position"), axis_of(q), &l);
    return give(q, r, l);
}

static tc_layout_result do_to_psum(ask *q) {
    const tc_layout *l = NULL;
    tc_layout_result r = tc_layout_to_psum(q->cx, q->self, &l);
    return give(q, r, l);
}

static tc_layout_result do_is_trainium(ask *q) {
    bool b = false;
    tc_layout_result r = tc_layout_is_trainium(q->cx, q->self, &b);
    return give_bool(q, r, b);
}

static tc_layout_result do_apply_to_shape(ask *q) {
    int n, nshape, nout = 0;
    const int64_t *coord = ints_of(q, "coord", &n), *out = NULL;
    const int64_t *shape = ints_of(q, "shape", &nshape);
    tc_layout_result r = tc_layout_apply_to_shape(q->cx, q->self, coord, n,
                                                  shape, nshape, &out, &nout);
    if (r == TC_LAYOUT_OK) {
        q->answer = json_array();
        for (int i = 0; i < nout; i++) {
            json_array_append_new(q->answer, json_integer(out[i]));
        }
    }
    return r;
}

#endif

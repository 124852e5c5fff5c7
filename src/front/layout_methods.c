/* layout_methods.c - what the methods of layout_methods.def do: take their
 * arguments, ask the algebra, and turn its answer into a value. */
#include "front/layout_call.h"

#include <string.h>

/* --- small helpers ------------------------------------------------------- */

static bool answer_bool(tc_method_call *m, tc_layout_result r, bool b,
                        tc_value *out) {
    *out = tc_value_bool(b);
    return r == TC_LAYOUT_OK || tc_method_refused(m);
}

static bool answer_int(tc_method_call *m, tc_layout_result r, int64_t i,
                       tc_value *out) {
    *out = tc_value_int(i);
    return r == TC_LAYOUT_OK || tc_method_refused(m);
}

static tc_value int_list(tc_method_call *m, const int64_t *ints, int n) {
    tc_value *items = TC_NEWN(m->e->arena, tc_value, n + 1);
    for (int i = 0; i < n; i++) {
        items[i] = tc_value_int(ints[i]);
    }
    return tc_value_items(TC_V_LIST, items, n);
}

static bool want_num(tc_method_call *m, int i, const char *what, int64_t *out) {
    return tc_want_int(m->e, &m->b[i]->value, m->b[i]->span, what, out);
}

/* Indices of iterators and groups. */
static bool want_small(tc_method_call *m, int i, const char *what,
                       const int **out, int *n) {
    const int64_t *wide;
    if (!tc_want_ints(m->e, m->b[i], what, &wide, n)) {
        return false;
    }
    int *small = TC_NEWN(m->e->arena, int, *n + 1);
    for (int k = 0; k < *n; k++) {
        if (wide[k] < INT32_MIN || wide[k] > INT32_MAX) {
            return tc_front_fail(m->e, m->b[i]->span, NULL,
                                 "%s, entry %d, is %lld: that is no index",
                                 what, k, (long long)wide[k]);
        }
        small[k] = (int)wide[k];
    }
    *out = small;
    return true;
}

/* An axis's name, or NULL where none is given. */
static bool want_axis_name(tc_method_call *m, int i, const tc_axis **out) {
    *out = NULL;
    return m->b[i] == NULL || m->b[i]->value.kind == TC_V_NONE ||
           tc_want_axis(m->e, &m->b[i]->value, m->b[i]->span, out);
}

/* --- apply --------------------------------------------------------------- */

/* The coordinates that stand alone, and shape=. */
static bool apply_args(tc_method_call *m, const int64_t **coord, int *n,
                       const int64_t **shape, int *nshape) {
    const tc_args *args = m->args;
    int64_t *c = TC_NEWN(m->e->arena, int64_t, args->npositional + 1);
    *coord = c;
    *n = args->npositional;
    *shape = NULL;
    *nshape = 0;
    for (int i = 0; i < *n; i++) {
        if (!tc_want_int(m->e, &args->items[i].value, args->items[i].span,
                         "a coordinate", &c[i])) {
            return false;
        }
    }
    for (int i = *n; i < args->n; i++) {
        const tc_arg *a = &args->items[i];
        if (strcmp(a->name, "shape") != 0) {
            return tc_front_fail(m->e, a->span, "shape=[128, 32]",
                                 "apply has no argument '%s'", a->name);
        }
        if (a->value.kind != TC_V_NONE &&
            !tc_want_ints(m->e, a, "the shape", shape, nshape)) {
            return false;
        }
    }
    return true;
}

static tc_value offsets_value(tc_method_call *m, const tc_offset *at, int n) {
    tc_value *items = TC_NEWN(m->e->arena, tc_value, 2 * n + 1);
    for (int i = 0; i < n; i++) {
        items[2 * i] = tc_value_string(at[i].axis->name);
        items[2 * i + 1] = tc_value_int(at[i].value);
    }
    return tc_value_items(TC_V_DICT, items, 2 * n);
}

static bool m_apply(tc_method_call *m, tc_value *out) {
    const int64_t *coord, *shape;
    const tc_offset *at;
    int n, nshape, nat = 0;
    for (int i = 0; i < m->args->npositional; i++) {
        const tc_value *v = &m->args->items[i].value;
        if (v->kind == TC_V_EXPR || v->kind == TC_V_BUFFER) {
            return tc_apply_runtime(m->e, m->self, m->args, out);
        }
    }
    if (!apply_args(m, &coord, &n, &shape, &nshape)) {
        return false;
    }
    if (tc_layout_apply(&m->cx, m->self, coord, n, shape, nshape, &at, &nat) !=
        TC_LAYOUT_OK) {
        return tc_method_refused(m);
    }
    *out = offsets_value(m, at, nat);
    return true;
}

static bool m_apply_to_shape(tc_method_call *m, tc_value *out) {
    const int64_t *coord, *shape, *each;
    int n, nshape, neach;
    if (!tc_want_ints(m->e, m->b[0], "the coordinate", &coord, &n) ||
        !tc_want_ints(m->e, m->b[1], "the shape", &shape, &nshape)) {
        return false;
    }
    if (tc_layout_apply_to_shape(&m->cx, m->self, coord, n, shape, nshape,
                                 &each, &neach) != TC_LAYOUT_OK) {
        return tc_method_refused(m);
    }
    *out = int_list(m, each, neach);
    return true;
}

/* apply(0), apply(1), ... apply(size - 1): for each axis the list of values. */
static bool m_apply_table(tc_method_call *m, tc_value *out) {
    int64_t size;
    const tc_offset *at;
    tc_value *dict = NULL, **lists = NULL;
    int nat = 0;
    if (!want_num(m, 0, "the size", &size)) {
        return false;
    }
    if (size < 0 || size > TC_MAX_ITEMS) {
        return tc_front_fail(m->e, m->b[0]->span, NULL,
                             "the size is %lld: 0 to %d can be listed",
                             (long long)size, TC_MAX_ITEMS);
    }
    for (int64_t x = 0; x < size; x++) {
        if (tc_layout_apply(&m->cx, m->self, &x, 1, NULL, 0, &at, &nat) !=
            TC_LAYOUT_OK) {
            return tc_method_refused(m);
        }
        if (dict == NULL) {
            dict = TC_NEWN(m->e->arena, tc_value, 2 * nat + 1);
            lists = TC_NEWN(m->e->arena, tc_value *, nat + 1);
        }
        for (int i = 0; i < nat; i++) {
            if (x == 0) {
                lists[i] = TC_NEWN(m->e->arena, tc_value, (int)size);
                dict[2 * i] = tc_value_string(at[i].axis->name);
                dict[2 * i + 1] =
                    tc_value_items(TC_V_LIST, lists[i], (int)size);
            }
            lists[i][x] = tc_value_int(at[i].value);
        }
    }
    *out = tc_value_items(TC_V_DICT, dict, 2 * nat);
    return true;
}

/* --- numbers ------------------------------------------------------------- */

static bool m_size(tc_method_call *m, tc_value *out) {
    const tc_axis *axis;
    int64_t n = 0;
    if (!want_axis_name(m, 0, &axis)) {
        return false;
    }
    tc_layout_result r = tc_layout_size(&m->cx, m->self, axis, &n);
    return answer_int(m, r, n, out);
}

static bool m_span(tc_method_call *m, tc_value *out) {
    const tc_axis *axis;
    int64_t n = 0;
    if (!want_axis_name(m, 0, &axis)) {
        return false;
    }
    tc_layout_result r = tc_layout_span(&m->cx, m->self, axis, &n);
    return answer_int(m, r, n, out);
}

/* --- one layout, one layout ---------------------------------------------- */

static bool m_canonicalize(tc_method_call *m, tc_value *out) {
    const tc_layout *l = NULL;
    tc_layout_result r = tc_layout_canonicalize(&m->cx, m->self, &l);
    return tc_method_answer(m, r, l, out);
}

static bool m_canonically_equals(tc_method_call *m, tc_value *out) {
    const tc_layout *a, *b, *other;
    if (!tc_want_layout(m->e, &m->b[0]->value, m->b[0]->span, &other)) {
        return false;
    }
    if (tc_layout_canonicalize(&m->cx, m->self, &a) != TC_LAYOUT_OK ||
        tc_layout_canonicalize(&m->cx, other, &b) != TC_LAYOUT_OK) {
        return tc_method_refused(m);
    }
    *out = tc_value_bool(tc_layout_equal(a, b));
    return true;
}

static bool m_storage(tc_method_call *m, tc_value *out) {
    const tc_layout *l = NULL;
    tc_layout_result r = tc_layout_storage(&m->cx, m->self, &l);
    return tc_method_answer(m, r, l, out);
}

static bool m_to_psum(tc_method_call *m, tc_value *out) {
    const tc_layout *l = NULL;
    tc_layout_result r = tc_layout_to_psum(&m->cx, m->self, &l);
    return tc_method_answer(m, r, l, out);
}

static bool m_pack(tc_method_call *m, tc_value *out) {
    const tc_layout *l = NULL;
    int64_t num;
    if (!want_num(m, 0, "the number", &num)) {
        return false;
    }
    tc_layout_result r = tc_layout_pack(&m->cx, m->self, num, &l);
    return tc_method_answer(m, r, l, out);
}

static bool m_unpack(tc_method_call *m, tc_value *out) {
    const tc_layout *l = NULL;
    int64_t num;
    if (!want_num(m, 0, "the number", &num)) {
        return false;
    }
    tc_layout_result r = tc_layout_unpack(&m->cx, m->self, num, &l);
    return tc_method_answer(m, r, l, out);
}

static bool m_broadcast(tc_method_call *m, tc_value *out) {
    const tc_axis *axis = tc_axis_m;
    const tc_layout *l = NULL;
    int64_t num, position = -1;
    if (!want_num(m, 0, "the number", &num) ||
        (m->b[1] != NULL && !want_num(m, 1, "the position", &position)) ||
        (m->b[2] != NULL &&
         !tc_want_axis(m->e, &m->b[2]->value, m->b[2]->span, &axis))) {
        return false;
    }
    tc_layout_result r =
        tc_layout_broadcast(&m->cx, m->self, num, position, axis, &l);
    return tc_method_answer(m, r, l, out);
}

static bool m_permute_dims(tc_method_call *m, tc_value *out) {
    const tc_layout *l = NULL;
    const int *perm;
    int n;
    if (!want_small(m, 0, "the permutation", &perm, &n)) {
        return false;
    }
    tc_layout_result r = tc_layout_permute_dims(&m->cx, m->self, perm, n, &l);
    return tc_method_answer(m, r, l, out);
}

static bool m_permute_by_groups(tc_method_call *m, tc_value *out) {
    const tc_layout *l = NULL;
    const int *seps, *perm;
    int nseps, n;
    if (!want_small(m, 0, "the list of separators", &seps, &nseps) ||
        !want_small(m, 1, "the permutation", &perm, &n)) {
        return false;
    }
    tc_layout_result r =
        tc_layout_permute_by_groups(&m->cx, m->self, seps, nseps, perm, n, &l);
    return tc_method_answer(m, r, l, out);
}

static bool m_tile_to(tc_method_call *m, tc_value *out) {
    const tc_layout *l = NULL;
    const int64_t *to, *now;
    int nto, nnow;
    if (!tc_want_ints(m->e, m->b[0], "the shape to tile to", &to, &nto) ||
        !tc_want_ints(m->e, m->b[1], "the current shape", &now, &nnow)) {
        return false;
    }
    tc_layout_result r =
        tc_layout_tile_to(&m->cx, m->self, to, nto, now, nnow, &l);
    return tc_method_answer(m, r, l, out);
}

/* --- group and slice ----------------------------------------------------- */

static bool m_group(tc_method_call *m, tc_value *out) {
    const tc_layout *l;
    const int64_t *shape;
    int n, *seps;
    if (!tc_want_ints(m->e, m->b[0], "the shape", &shape, &n)) {
        return false;
    }
    if (tc_layout_group(&m->cx, m->self, shape, n, &l, &seps) != TC_LAYOUT_OK) {
        return tc_method_refused(m);
    }
    tc_value *pair = TC_NEWN(m->e->arena, tc_value, 2);
    tc_value *list = TC_NEWN(m->e->arena, tc_value, n + 1);
    for (int i = 0; i <= n; i++) {
        list[i] = tc_value_int(seps[i]);
    }
    pair[0] = tc_value_layout(l);
    pair[1] = tc_value_items(TC_V_LIST, list, n + 1);
    *out = tc_value_items(TC_V_LIST, pair, 2);
    return true;
}

/* A region: a pair (begin, end) for each dimension. */
static bool want_region(tc_method_call *m, const tc_arg *arg,
                        int64_t (**out)[2], int *n) {
    const tc_value *v = &arg->value;
    if (!tc_value_is_sequence(v)) {
        return tc_front_fail(m->e, arg->span, "write [(0, 64), (0, 32)]",
                             "the region is a list of pairs (begin, end), and "
                             "this is %s",
                             tc_value_kind_text(v));
    }
    *n = v->nitems;
    *out = tc_alloc(m->e->arena, sizeof **out * (size_t)(*n + 1));
    for (int i = 0; i < *n; i++) {
        const tc_value *p = &v->items[i];
        if (!tc_value_is_sequence(p) || p->nitems != 2) {
            return tc_front_fail(m->e, arg->span, "write [(0, 64), (0, 32)]",
                                 "entry %d of the region is no pair "
                                 "(begin, end)",
                                 i);
        }
        if (!tc_want_int(m->e, &p->items[0], arg->span, "a begin",
                         &(*out)[i][0]) ||
            !tc_want_int(m->e, &p->items[1], arg->span, "an end",
                         &(*out)[i][1])) {
            return false;
        }
    }
    return true;
}

static bool m_slice(tc_method_call *m, tc_value *out) {
    const tc_layout *l = NULL;
    const int64_t *shape;
    int64_t(*region)[2] = NULL;
    int n, nregion = 0;
    if (!tc_want_ints(m->e, m->b[0], "the shape", &shape, &n) ||
        !want_region(m, m->b[1], &region, &nregion)) {
        return false;
    }
    tc_layout_result r = tc_layout_slice(
        &m->cx, m->self, shape, n, (const int64_t(*)[2])region, nregion, &l);
    return tc_method_answer(m, r, l, out);
}

/* --- questions ----------------------------------------------------------- */

static bool m_is_trivial(tc_method_call *m, tc_value *out) {
    bool b = false;
    tc_layout_result r = tc_layout_is_trivial(&m->cx, m->self, &b);
    return answer_bool(m, r, b, out);
}

static bool m_is_swizzle(tc_method_call *m, tc_value *out) {
    bool b = m->self->kind == TC_LAYOUT_SWIZZLE;
    return answer_bool(m, TC_LAYOUT_OK, b, out);
}

static bool m_is_trainium(tc_method_call *m, tc_value *out) {
    bool b = false;
    tc_layout_result r = tc_layout_is_trainium(&m->cx, m->self, &b);
    return answer_bool(m, r, b, out);
}

static bool m_verify_well_formed(tc_method_call *m, tc_value *out) {
    bool b = false;
    tc_layout_result r = tc_layout_verify(&m->cx, m->self, &b);
    return answer_bool(m, r, b, out);
}

static bool m_get_scope(tc_method_call *m, tc_value *out) {
    tc_scope_level inner, outer;
    tc_layout_result r = tc_layout_get_scope(&m->cx, m->self, &inner, &outer);
    if (r == TC_LAYOUT_FAILED) {
        return tc_method_refused(m);
    }
    *out = tc_value_none();
    if (r == TC_LAYOUT_OK) {
        tc_value *pair = TC_NEWN(m->e->arena, tc_value, 2);
        pair[0] = tc_value_string(tc_scope_name(inner));
        pair[1] = tc_value_string(tc_scope_name(outer));
        *out = tc_value_items(TC_V_LIST, pair, 2);
    }
    return true;
}

const tc_method_row tc_layout_methods[] = {
#define LAYOUT_METHOD(name, arguments, required, function)                     \
    {name, arguments, required, function, NULL},
#define LAYOUT_BINARY(name, arguments, function)                               \
    {name, arguments, 3, NULL, function},
#include "front/layout_methods.def"
};
const int tc_nlayout_methods =
    sizeof tc_layout_methods / sizeof *tc_layout_methods;

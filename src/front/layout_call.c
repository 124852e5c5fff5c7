/* layout_call.c - attributes and method calls of layouts and axes. */
#include "front/layout_call.h"

#include <string.h>

/* --- arguments ----------------------------------------------------------- */

bool tc_want_ints(tc_eval_ctx *e, const tc_arg *arg, const char *what,
                  const int64_t **out, int *n) {
    enum { MOST = 1024 };
    const tc_value *v = &arg->value;
    if (!tc_value_is_sequence(v)) {
        return tc_front_fail(e, arg->span, "write [128, 32]",
                             "%s must be a list or tuple of integers, and this "
                             "is %s",
                             what, tc_value_kind_text(v));
    }
    if (v->nitems > MOST) {
        return tc_front_fail(e, arg->span, NULL,
                             "%s has %d entries: more than %d", what, v->nitems,
                             MOST);
    }
    int64_t *ints = TC_NEWN(e->arena, int64_t, v->nitems + 1);
    for (int i = 0; i < v->nitems; i++) {
        const char *entry = tc_format(e->arena, "%s, entry %d,", what, i);
        if (!tc_want_int(e, &v->items[i], arg->span, entry, &ints[i])) {
            return false;
        }
    }
    *out = ints;
    *n = v->nitems;
    return true;
}

/* --- answers ------------------------------------------------------------- */

bool tc_method_refused(tc_method_call *m) {
    return tc_front_fail(m->e, m->args->span, NULL, "%s",
                         m->cx.message != NULL ? m->cx.message
                                               : "no such layout");
}

bool tc_method_answer(tc_method_call *m, tc_layout_result r, const tc_layout *l,
                      tc_value *out) {
    if (r == TC_LAYOUT_FAILED) {
        return tc_method_refused(m);
    }
    *out = r == TC_LAYOUT_OK ? tc_value_layout(l) : tc_value_none();
    return true;
}

/* --- methods of layouts -------------------------------------------------- */

static bool call_binary(tc_method_call *m, const tc_method_row *row,
                        tc_value *out) {
    const tc_layout *other, *l = NULL;
    const int64_t *s1, *s2;
    int n1, n2;
    if (!tc_want_layout(m->e, &m->b[0]->value, m->b[0]->span, &other) ||
        !tc_want_ints(m->e, m->b[1], "the first shape", &s1, &n1) ||
        !tc_want_ints(m->e, m->b[2], "the second shape", &s2, &n2)) {
        return false;
    }
    tc_layout_result r =
        row->binary(&m->cx, m->self, other, s1, n1, s2, n2, &l);
    return tc_method_answer(m, r, l, out);
}

static const tc_method_row *find_method(const char *name) {
    for (int i = 0; i < tc_nlayout_methods; i++) {
        if (strcmp(tc_layout_methods[i].name, name) == 0) {
            return &tc_layout_methods[i];
        }
    }
    return NULL;
}

static bool call_layout(tc_eval_ctx *e, const tc_layout *self,
                        const tc_method_row *row, const tc_args *args,
                        tc_value *out) {
    tc_method_call m = {
        .e = e,
        .cx = {.arena = e->arena, .target_cuda = e->front->target_cuda},
        .self = self,
        .args = args};
    if (row->arguments != NULL &&
        !tc_bind_args(e, args, row->arguments, row->required, m.b)) {
        return false;
    }
    return row->binary != NULL ? call_binary(&m, row, out) : row->run(&m, out);
}

/* --- attributes ---------------------------------------------------------- */

static tc_value iters_value(tc_eval_ctx *e, const tc_iter *it, int n) {
    tc_value *items = TC_NEWN(e->arena, tc_value, n + 1);
    for (int i = 0; i < n; i++) {
        items[i] = (tc_value){.kind = TC_V_ITER, .iter = it[i]};
    }
    return tc_value_items(TC_V_LIST, items, n);
}

static tc_value offset_value(tc_eval_ctx *e, const tc_layout *l) {
    tc_value *items = TC_NEWN(e->arena, tc_value, 2 * l->noffset + 1);
    for (int i = 0; i < l->noffset; i++) {
        items[2 * i] = tc_value_axis(l->offset[i].axis);
        items[2 * i + 1] = tc_value_int(l->offset[i].value);
    }
    return tc_value_items(TC_V_DICT, items, 2 * l->noffset);
}

static bool tile_attr(tc_eval_ctx *e, const tc_layout *l, const char *s,
                      tc_value *out) {
    if (strcmp(s, "shard") == 0) {
        *out = iters_value(e, l->shard, l->nshard);
    } else if (strcmp(s, "replica") == 0) {
        *out = iters_value(e, l->replica, l->nreplica);
    } else if (strcmp(s, "offset") == 0) {
        *out = offset_value(e, l);
    } else {
        return false;
    }
    return true;
}

static bool swizzle_attr(tc_swizzle sw, const char *s, tc_value *out) {
    if (strcmp(s, "per_element") == 0) {
        *out = tc_value_int(sw.per_element);
    } else if (strcmp(s, "swizzle_len") == 0) {
        *out = tc_value_int(sw.swizzle_len);
    } else if (strcmp(s, "atom_len") == 0) {
        *out = tc_value_int(sw.atom_len);
    } else if (strcmp(s, "swizzle_inner") == 0) {
        *out = tc_value_bool(sw.inner);
    } else {
        return false;
    }
    return true;
}

static bool compose_attr(tc_eval_ctx *e, const tc_layout *l, const char *s,
                         tc_value *out) {
    if (strcmp(s, "swizzle") == 0) {
        tc_layout *part = TC_NEW(e->arena, tc_layout);
        *part = (tc_layout){.kind = TC_LAYOUT_SWIZZLE, .swizzle = l->swizzle};
        *out = tc_value_layout(part);
    } else if (strcmp(s, "tile_layout") == 0) {
        *out = tc_value_layout(tc_layout_tile_part(e->arena, l));
    } else {
        return false;
    }
    return true;
}

static bool layout_attr(tc_eval_ctx *e, const tc_layout *l, const char *s,
                        tc_value *out) {
    switch (l->kind) {
    case TC_LAYOUT_TILE:
        return tile_attr(e, l, s, out);
    case TC_LAYOUT_SWIZZLE:
        return swizzle_attr(l->swizzle, s, out);
    default:
        return compose_attr(e, l, s, out);
    }
}

/* --- axes ---------------------------------------------------------------- */

static bool no_class(tc_eval_ctx *e, const tc_axis *a, tc_span at) {
    return tc_front_fail(e, at, NULL,
                         "the axis '%s' was made by its name alone: it is "
                         "neither a thread nor a memory axis",
                         a->name);
}

static tc_value scope_value(const tc_axis *a, tc_scope_level s) {
    return a->cls == TC_AXIS_THREAD ? tc_value_string(tc_scope_name(s))
                                    : tc_value_none();
}

typedef bool (*axis_method)(tc_eval_ctx *e, const tc_axis *a, tc_value *out);

static bool a_is_thread(tc_eval_ctx *e, const tc_axis *a, tc_value *out) {
    (void)e;
    *out = tc_value_bool(a->cls == TC_AXIS_THREAD);
    return true;
}

static bool a_is_memory(tc_eval_ctx *e, const tc_axis *a, tc_value *out) {
    (void)e;
    *out = tc_value_bool(a->cls == TC_AXIS_MEMORY);
    return true;
}

static bool a_get_scope(tc_eval_ctx *e, const tc_axis *a, tc_value *out) {
    (void)e;
    *out = scope_value(a, a->scope);
    return true;
}

static bool a_get_subscope(tc_eval_ctx *e, const tc_axis *a, tc_value *out) {
    (void)e;
    *out = scope_value(a, a->subscope);
    return true;
}

static bool a_describe(tc_eval_ctx *e, const tc_axis *a, tc_value *out) {
    static const struct {
        const char *key;
        axis_method value;
    } entries[] = {
        {"thread", a_is_thread},
        {"memory", a_is_memory},
        {"scope", a_get_scope},
        {"subscope", a_get_subscope},
    };
    enum { N = sizeof entries / sizeof *entries };
    tc_value *items = TC_NEWN(e->arena, tc_value, 2 * N);
    for (int i = 0; i < N; i++) {
        items[2 * i] = tc_value_string(entries[i].key);
        entries[i].value(e, a, &items[2 * i + 1]);
    }
    *out = tc_value_items(TC_V_DICT, items, 2 * N);
    return true;
}

static const struct {
    const char *name;
    axis_method run;
} axis_methods[] = {
#define AXIS_METHOD(name, function) {name, function},
#include "front/layout_methods.def"
};
enum { NAXIS_METHODS = sizeof axis_methods / sizeof *axis_methods };

static axis_method find_axis_method(const char *name) {
    for (int i = 0; i < NAXIS_METHODS; i++) {
        if (strcmp(axis_methods[i].name, name) == 0) {
            return axis_methods[i].run;
        }
    }
    return NULL;
}

/* --- what eval.c asks ---------------------------------------------------- */

static const char *const tile_attrs[] = {"shard", "replica", "offset", NULL};
static const char *const swizzle_attrs[] = {"per_element", "swizzle_len",
                                            "atom_len", "swizzle_inner", NULL};
static const char *const compose_attrs[] = {"swizzle", "tile_layout", NULL};
static const char *const axis_attrs[] = {"name", NULL};

static const char *const *attrs_of(const tc_value *v) {
    if (v->kind == TC_V_AXIS) {
        return axis_attrs;
    }
    switch (v->layout->kind) {
    case TC_LAYOUT_TILE:
        return tile_attrs;
    case TC_LAYOUT_SWIZZLE:
        return swizzle_attrs;
    default:
        return compose_attrs;
    }
}

void tc_layout_members(const tc_value *v,
                       void (*fn)(void *user, const char *name), void *user) {
    for (const char *const *s = attrs_of(v); *s != NULL; s++) {
        fn(user, *s);
    }
    for (int i = 0; v->kind == TC_V_AXIS && i < NAXIS_METHODS; i++) {
        fn(user, axis_methods[i].name);
    }
    for (int i = 0; v->kind == TC_V_LAYOUT && i < tc_nlayout_methods; i++) {
        fn(user, tc_layout_methods[i].name);
    }
}

typedef struct axis_names {
    const char *items[64];
    int n;
} axis_names;

static void add_name(void *user, const char *name) {
    axis_names *l = user;
    if (l->n < 64) {
        l->items[l->n++] = name;
    }
}

static const char *kind_text(const tc_value *v) {
    static const char *const kind_names[] = {
        [TC_LAYOUT_TILE] = "a TileLayout",
        [TC_LAYOUT_SWIZZLE] = "a SwizzleLayout",
        [TC_LAYOUT_COMPOSE] = "a ComposeLayout",
    };
    return v->kind == TC_V_AXIS ? "an axis" : kind_names[v->layout->kind];
}

static bool unknown_member(tc_eval_ctx *e, const tc_value *v, const char *name,
                           tc_span at) {
    axis_names l = {.n = 0};
    tc_layout_members(v, add_name, &l);
    return tc_front_fail(e, at, tc_did_you_mean(e, name, l.items, l.n),
                         "%s has no '%s'", kind_text(v), name);
}

bool tc_layout_attr(tc_eval_ctx *e, const tc_value *v, const char *name,
                    tc_span at, tc_value *out) {
    if (v->kind == TC_V_AXIS && strcmp(name, "name") == 0) {
        *out = tc_value_string(v->axis->name);
        return true;
    }
    if (v->kind == TC_V_LAYOUT && layout_attr(e, v->layout, name, out)) {
        return true;
    }
    bool method = v->kind == TC_V_AXIS ? find_axis_method(name) != NULL
                                       : find_method(name) != NULL;
    if (method) {
        return tc_front_fail(e, at, tc_format(e->arena, "write %s(...)", name),
                             "'%s' is a method: call it", name);
    }
    return unknown_member(e, v, name, at);
}

bool tc_call_layout_method(tc_eval_ctx *e, const tc_value *v, const char *name,
                           tc_span at, const tc_args *args, tc_value *out) {
    const tc_arg *none[1];
    if (v->kind == TC_V_LAYOUT) {
        const tc_method_row *row = find_method(name);
        return row != NULL ? call_layout(e, v->layout, row, args, out)
                           : unknown_member(e, v, name, at);
    }
    axis_method run = find_axis_method(name);
    if (run == NULL) {
        return unknown_member(e, v, name, at);
    }
    if (!tc_bind_args(e, args, "", 0, none)) {
        return false;
    }
    return v->axis->cls != TC_AXIS_UNKNOWN ? run(e, v->axis, out)
                                           : no_class(e, v->axis, at);
}

/* eval.c - expressions: names, attributes, subscripts, calls, displays. */
#include "base/cancel.h"
#include "front/internal.h"
#include "front/python.h"

#include <string.h>

/* A name that a block before this one had for itself. */
static const char *closed_hint(tc_eval_ctx *e, const char *word) {
    for (int i = 0; e->body != NULL && i < e->body->nclosed; i++) {
        if (tc_env_own(e->body->closed[i], word) != NULL) {
            return tc_format(e->arena,
                             "'%s' was known inside an earlier block only: "
                             "assign it before that block",
                             word);
        }
    }
    return NULL;
}

static bool name(tc_eval_ctx *e, const tc_node *n, tc_value *out) {
    const tc_value *v = tc_env_get(e->env, n->s);
    if (v != NULL) {
        *out = *v;
        return true;
    }
    if (tc_builtin_value(e->arena, n->s, out)) {
        return true;
    }
    if (tc_python_name(e, n->s, out)) {
        return true;
    }
    const char *hint = closed_hint(e, n->s);
    return tc_front_fail(e, n->span,
                         hint != NULL ? hint : tc_nearest_name(e, n->s, ""),
                         "'%s' is not defined", n->s);
}

/* --- displays ---------------------------------------------------------- */

typedef struct items {
    tc_value *items;
    int n, cap;
} items;

static bool add_item(tc_eval_ctx *e, items *l, const tc_value *v, tc_span at) {
    if (l->n >= TC_MAX_ITEMS) {
        return tc_front_fail(e, at, NULL, "more than %d items", TC_MAX_ITEMS);
    }
    TC_PUSH(e->arena, l->items, l->n, l->cap, *v);
    return true;
}

static bool star_items(tc_eval_ctx *e, const tc_node *n, bool pairs, items *l) {
    tc_value v;
    if (!tc_eval_node(e, n->a, &v)) {
        return false;
    }
    if (pairs ? v.kind != TC_V_DICT : !tc_value_is_sequence(&v)) {
        return tc_front_fail(
            e, n->span, NULL, "'%s' needs a %s, and this is %s",
            pairs ? "**" : "*", pairs ? "dict" : "tuple or a list",
            tc_value_kind_text(&v));
    }
    for (int i = 0; i < v.nitems; i++) {
        if (!add_item(e, l, &v.items[i], n->span)) {
            return false;
        }
    }
    return true;
}

static bool display(tc_eval_ctx *e, const tc_node *n, tc_value_kind kind,
                    tc_value *out) {
    items l = {0};
    for (int i = 0; i < n->items.n; i++) {
        const tc_node *item = n->items.items[i];
        tc_value v;
        if (item->kind == TC_N_STAR) {
            bool pairs = kind == TC_V_DICT; /* it stands there twice */
            if (!star_items(e, item, pairs, &l)) {
                return false;
            }
            i += pairs;
            continue;
        }
        if (!tc_eval_node(e, item, &v) || !add_item(e, &l, &v, item->span)) {
            return false;
        }
    }
    *out = tc_value_items(kind, l.items, l.n);
    return true;
}

static bool slice(tc_eval_ctx *e, const tc_node *n, tc_value *out) {
    tc_value *parts = TC_NEWN(e->arena, tc_value, 3);
    const tc_node *nodes[3] = {n->a, n->b, n->c};
    for (int i = 0; i < 3; i++) {
        parts[i] = tc_value_none();
        if (nodes[i] != NULL && !tc_eval_node(e, nodes[i], &parts[i])) {
            return false;
        }
    }
    *out = tc_value_items(TC_V_SLICE, parts, 3);
    return true;
}

/* --- attributes -------------------------------------------------------- */

static tc_value shape_value(tc_eval_ctx *e, const tc_buffer *b) {
    tc_value *v = TC_NEWN(e->arena, tc_value, b->rank);
    for (int i = 0; i < b->rank; i++) {
        v[i] = tc_value_int(b->shape[i]);
    }
    return tc_value_items(TC_V_TUPLE, v, b->rank);
}

static tc_value data_value(tc_eval_ctx *e, tc_buffer *b, tc_span at) {
    tc_expr **zero = TC_NEWN(e->arena, tc_expr *, b->rank);
    for (int i = 0; i < b->rank; i++) {
        zero[i] = tc_int(e->arena, 0);
    }
    tc_expr *x = tc_addr(e->arena, b, zero, b->rank);
    x->span = at;
    return tc_value_expr(x);
}

static const char *const buffer_members[] = {
    "shape", "dtype", "data", "layout", "name", "ptr_to", "view", "scope",
};
enum { NBUFFER_MEMBERS = sizeof buffer_members / sizeof *buffer_members };

static bool buffer_attr(tc_eval_ctx *e, tc_buffer *b, const tc_node *n,
                        tc_value *out) {
    if (strcmp(n->s, "shape") == 0) {
        *out = shape_value(e, b);
    } else if (strcmp(n->s, "dtype") == 0) {
        *out = tc_value_string(tc_dtypes[b->type].name);
    } else if (strcmp(n->s, "name") == 0) {
        *out = tc_value_string(b->name != NULL ? b->name : "");
    } else if (strcmp(n->s, "data") == 0) {
        *out = data_value(e, b, n->span);
    } else if (strcmp(n->s, "allocated_addr") == 0 && b->allocated_addr) {
        tc_value *one = TC_NEW(e->arena, tc_value);
        *one = tc_value_expr(b->allocated_addr);
        *out = tc_value_items(TC_V_TUPLE, one, 1);
    } else if (strcmp(n->s, "layout") == 0 && b->layout != NULL) {
        *out = tc_value_layout(b->layout);
    } else {
        for (int i = 0; i < NBUFFER_MEMBERS; i++) {
            if (strcmp(buffer_members[i], n->s) == 0) {
                return tc_front_fail(e, n->name_span, NULL,
                                     "'%s' is a method: call it, %s(...)", n->s,
                                     n->s);
            }
        }
        return tc_front_fail(
            e, n->name_span,
            tc_did_you_mean(e, n->s, buffer_members, NBUFFER_MEMBERS),
            "a buffer has no '%s'", n->s);
    }
    return true;
}

static bool small_attr(tc_eval_ctx *e, const tc_value *v, const tc_node *n,
                       tc_value *out) {
    const char *s = n->s;
    if (v->kind == TC_V_SLICE) {
        int i = strcmp(s, "start") == 0  ? 0
                : strcmp(s, "stop") == 0 ? 1
                : strcmp(s, "step") == 0 ? 2
                                         : -1;
        if (i >= 0) {
            *out = v->items[i];
            return true;
        }
    }
    if (v->kind == TC_V_ITER && strcmp(s, "extent") == 0) {
        *out = tc_value_int(v->iter.extent);
        return true;
    }
    if (v->kind == TC_V_ITER && strcmp(s, "stride") == 0) {
        *out = tc_value_int(v->iter.stride);
        return true;
    }
    if (v->kind == TC_V_ITER && strcmp(s, "axis") == 0) {
        *out = tc_value_axis(v->iter.axis);
        return true;
    }
    if (v->kind == TC_V_EXPR && strcmp(s, "dtype") == 0) {
        *out = tc_value_string(tc_dtypes[v->expr->type].name);
        return true;
    }
    if (v->kind == TC_V_LAYOUT || v->kind == TC_V_AXIS) {
        return tc_layout_attr(e, v, s, n->name_span, out);
    }
    if (v->kind == TC_V_FOREIGN) {
        *out = tc_value_foreign(e, v->s, s);
        return true;
    }
    if (tc_python_attr(e, v, s, out)) {
        return true;
    }
    return tc_front_fail(e, n->name_span, NULL, "%s has no '%s'",
                         tc_value_kind_text(v), s);
}

static bool attribute(tc_eval_ctx *e, const tc_node *n, tc_value *out) {
    tc_value base;
    if (!tc_eval_node(e, n->a, &base)) {
        return false;
    }
    if (base.kind == TC_V_NAMESPACE) {
        return tc_front_member(e, base.s, n->s, n->name_span, out);
    }
    if (base.kind == TC_V_BUFFER && !base.buffer->scalar) {
        return buffer_attr(e, base.buffer, n, out);
    }
    if (base.kind == TC_V_OBJECT) {
        return tc_object_attr(e, base.object, n, out);
    }
    return small_attr(e, &base, n, out);
}

/* --- subscripts -------------------------------------------------------- */

static bool dict_index(tc_eval_ctx *e, const tc_value *base,
                       const tc_value *key, tc_span span, tc_value *out) {
    for (int i = 0; i + 1 < base->nitems; i += 2) {
        int budget = 1000;
        if (tc_value_equal(&base->items[i], key, &budget)) {
            *out = base->items[i + 1];
            return true;
        }
    }
    return tc_front_fail(e, span, NULL, "the dict has no such key");
}

static bool subscript(tc_eval_ctx *e, const tc_node *n, tc_value *out) {
    tc_value base, index;
    if (!tc_eval_node(e, n->a, &base)) {
        return false;
    }
    if (base.kind == TC_V_NAMESPACE &&
        (strcmp(base.s, "S") == 0 || strcmp(base.s, "R") == 0)) {
        return tc_spec_subscript(e, base.s[0] == 'R', n, out);
    }
    if (base.kind == TC_V_BUFFER) {
        return tc_buffer_subscript(e, base.buffer, n, out);
    }
    if (base.kind == TC_V_FOREIGN) {
        *out = base;
        return true;
    }
    bool sequence = tc_value_is_sequence(&base) || base.kind == TC_V_STRING;
    if (!sequence && base.kind != TC_V_DICT) {
        return tc_front_fail(e, n->span, NULL, "%s cannot be indexed",
                             tc_value_kind_text(&base));
    }
    if (n->items.n != 1) {
        return tc_front_fail(e, n->span, NULL, "one index is needed, not %d",
                             n->items.n);
    }
    if (!tc_eval_node(e, n->items.items[0], &index)) {
        return false;
    }
    if (base.kind == TC_V_DICT) {
        return dict_index(e, &base, &index, n->span, out);
    }
    return index.kind == TC_V_SLICE
               ? tc_sequence_slice(e, &base, &index, n->span, out)
               : tc_sequence_index(e, &base, &index, n->span, out);
}

/* --- operators --------------------------------------------------------- */

static bool logical_runtime(tc_eval_ctx *e, tc_token_op op, const tc_value *a,
                            const tc_node *n, tc_value *out) {
    tc_value b;
    tc_expr *x, *y;
    if (!tc_eval_node(e, n->b, &b) ||
        !tc_want_condition(e, a, n->a->span, &x) ||
        !tc_want_condition(e, &b, n->b->span, &y)) {
        return false;
    }
    *out = tc_value_expr(
        tc_binary(e->arena, op == TC_OP_AND ? TC_AND : TC_OR, x, y));
    return true;
}

/* and, or: the operand that decides, as in Python. */
static bool logical(tc_eval_ctx *e, const tc_node *n, tc_value *out) {
    tc_value a;
    bool truth;
    if (!tc_eval_node(e, n->a, &a)) {
        return false;
    }
    if (a.kind == TC_V_FOREIGN) {
        *out = a;
        return true;
    }
    if (!tc_truth_of(&a, &truth)) {
        return logical_runtime(e, n->op, &a, n, out);
    }
    if (truth == (n->op == TC_OP_OR)) {
        *out = a;
        return true;
    }
    return tc_eval_node(e, n->b, out);
}

static bool binary(tc_eval_ctx *e, const tc_node *n, tc_value *out) {
    tc_value a, b;
    if (n->op == TC_OP_AND || n->op == TC_OP_OR) {
        return logical(e, n, out);
    }
    return tc_eval_node(e, n->a, &a) && tc_eval_node(e, n->b, &b) &&
           tc_arith_binary(e, n->op, &a, &b, n->span, out);
}

static bool conditional(tc_eval_ctx *e, const tc_node *n, tc_value *out) {
    tc_value c, a, b;
    tc_expr *cx, *ax, *bx;
    bool truth;
    if (!tc_eval_node(e, n->a, &c)) {
        return false;
    }
    if (tc_truth_of(&c, &truth)) {
        return tc_eval_node(e, truth ? n->b : n->c, out);
    }
    if (c.kind == TC_V_FOREIGN) {
        *out = c;
        return true;
    }
    if (!tc_eval_node(e, n->b, &a) || !tc_eval_node(e, n->c, &b) ||
        !tc_want_condition(e, &c, n->a->span, &cx) ||
        !tc_want_expr(e, &a, n->b->span, "the first choice", &ax) ||
        !tc_want_expr(e, &b, n->c->span, "the second choice", &bx)) {
        return false;
    }
    *out = tc_value_expr(tc_select(e->arena, cx, ax, bx));
    return true;
}

/* --- calls ------------------------------------------------------------- */

static bool push_arg(tc_eval_ctx *e, tc_args *args, int *cap, const char *name,
                     const tc_value *v, tc_span span) {
    if (args->n >= TC_MAX_ITEMS) {
        return tc_front_fail(e, span, NULL, "too many arguments");
    }
    tc_arg arg = {name, *v, span};
    TC_PUSH(e->arena, args->items, args->n, *cap, arg);
    return true;
}

static bool star_args(tc_eval_ctx *e, const tc_node *n, tc_args *args,
                      int *cap) {
    items l = {0};
    if (!star_items(e, n, false, &l)) {
        return false;
    }
    for (int i = 0; i < l.n; i++) {
        if (!push_arg(e, args, cap, NULL, &l.items[i], n->span)) {
            return false;
        }
    }
    return true;
}

/* **d: its keys are names. */
static bool double_star(tc_eval_ctx *e, const tc_kwarg *k, tc_args *args,
                        int *cap) {
    tc_value v;
    if (!tc_eval_node(e, k->value, &v)) {
        return false;
    }
    for (int i = 0; v.kind == TC_V_DICT && i + 1 < v.nitems; i += 2) {
        if (v.items[i].kind != TC_V_STRING) {
            v.kind = TC_V_NONE;
        } else if (!push_arg(e, args, cap, v.items[i].s, &v.items[i + 1],
                             k->span)) {
            return false;
        }
    }
    return v.kind == TC_V_DICT ||
           tc_front_fail(e, k->span, NULL,
                         "'**' needs a dict whose keys are names");
}

bool tc_eval_arguments(tc_eval_ctx *e, const tc_node *n, tc_args *args) {
    int cap = 0;
    tc_value v;
    for (int i = 0; i < n->items.n; i++) {
        const tc_node *item = n->items.items[i];
        bool ok = item->kind == TC_N_STAR
                      ? star_args(e, item, args, &cap)
                      : tc_eval_node(e, item, &v) &&
                            push_arg(e, args, &cap, NULL, &v, item->span);
        if (!ok) {
            return false;
        }
    }
    args->npositional = args->n;
    for (int i = 0; i < n->nkwargs; i++) {
        const tc_kwarg *k = &n->kwargs[i];
        if (k->name == NULL) {
            if (!double_star(e, k, args, &cap)) {
                return false;
            }
            continue;
        }
        if (!tc_eval_node(e, k->value, &v) ||
            !push_arg(e, args, &cap, k->name, &v, k->span)) {
            return false;
        }
    }
    return true;
}

static bool buffer_method_call(tc_eval_ctx *e, const tc_node *n,
                               tc_buffer *buffer, tc_value *out) {
    tc_args args = {.function = n->a->s, .span = n->span};
    return tc_eval_arguments(e, n, &args) &&
           tc_call_buffer_method(e, buffer, n->a->s, n->a->name_span, &args,
                                 out);
}

static bool layout_method_call(tc_eval_ctx *e, const tc_node *n,
                               const tc_value *base, tc_value *out) {
    tc_args args = {.function = n->a->s, .span = n->span};
    return tc_eval_arguments(e, n, &args) &&
           tc_call_layout_method(e, base, n->a->s, n->a->name_span, &args, out);
}

static bool object_method_call(tc_eval_ctx *e, const tc_node *n,
                               tc_object *object, tc_value *out) {
    tc_args args = {.function = n->a->s, .span = n->span};
    return tc_eval_arguments(e, n, &args) &&
           tc_call_object_method(e, object, n->a->s, n->a->name_span, &args,
                                 out);
}

static bool call(tc_eval_ctx *e, const tc_node *n, tc_value *out) {
    tc_value callee;
    if (n->a->kind == TC_N_ATTR) {
        tc_value base;
        if (!tc_eval_node(e, n->a->a, &base)) {
            return false;
        }
        if (base.kind == TC_V_BUFFER && !base.buffer->scalar) {
            return buffer_method_call(e, n, base.buffer, out);
        }
        if (base.kind == TC_V_LAYOUT || base.kind == TC_V_AXIS) {
            return layout_method_call(e, n, &base, out);
        }
        if (tc_plain_python(&base)) {
            return tc_python_method_call(e, n, &base, out);
        }
        if (base.kind == TC_V_OBJECT) {
            return object_method_call(e, n, base.object, out);
        }
        bool ok =
            base.kind == TC_V_NAMESPACE
                ? tc_front_member(e, base.s, n->a->s, n->a->name_span, &callee)
                : small_attr(e, &base, n->a, &callee);
        if (!ok) {
            return false;
        }
    } else if (!tc_eval_node(e, n->a, &callee)) {
        return false;
    }
    tc_args args = {.function =
                        callee.kind == TC_V_NAMESPACE ? callee.s : "this value",
                    .span = n->span};
    tc_name found;
    /* Say what is missing before the arguments are looked at. */
    if (callee.kind == TC_V_NAMESPACE && tc_name_find(callee.s, &found) &&
        found.kind == TC_NAME_LATER) {
        return tc_front_fail(e, n->a->span, NULL, "'%s' is not built yet",
                             callee.s);
    }
    if (callee.kind == TC_V_FOREIGN) {
        return tc_foreign_call(e, n, &callee, out);
    }
    return tc_eval_arguments(e, n, &args) &&
           tc_call_value(e, &callee, &args, out);
}

/* --- all of them ------------------------------------------------------- */

static bool unary(tc_eval_ctx *e, const tc_node *n, tc_value *out) {
    tc_value a;
    return tc_eval_node(e, n->a, &a) &&
           tc_arith_unary(e, n->op, &a, n->span, out);
}

static bool evaluate(tc_eval_ctx *e, const tc_node *n, tc_value *out) {
    switch (n->kind) {
    case TC_N_INT:
        *out = tc_value_int(n->i);
        return true;
    case TC_N_FLOAT:
        *out = tc_value_float(n->f);
        return true;
    case TC_N_STRING:
        *out = tc_value_string(n->s);
        return true;
    case TC_N_BOOL:
        *out = tc_value_bool(n->i != 0);
        return true;
    case TC_N_NONE:
        *out = tc_value_none();
        return true;
    case TC_N_NAME:
        return name(e, n, out);
    case TC_N_ATTR:
        return attribute(e, n, out);
    case TC_N_CALL:
        return call(e, n, out);
    case TC_N_SUBSCRIPT:
        return subscript(e, n, out);
    case TC_N_SLICE:
        return slice(e, n, out);
    case TC_N_TUPLE:
        return display(e, n, TC_V_TUPLE, out);
    case TC_N_LIST:
        return display(e, n, TC_V_LIST, out);
    case TC_N_DICT:
        return display(e, n, TC_V_DICT, out);
    case TC_N_UNARY:
        return unary(e, n, out);
    case TC_N_BINARY:
        return binary(e, n, out);
    case TC_N_IFEXP:
        return conditional(e, n, out);
    case TC_N_COMP:
        return tc_comprehension(e, n, out);
    case TC_N_FSTRING:
        return tc_fstring(e, n, out);
    case TC_N_LAMBDA:
        return tc_python_value(e, n, out);
    case TC_N_ELLIPSIS:
        *out = tc_value_foreign(e, "Ellipsis", "");
        return true;
    default:
        return tc_front_fail(e, n->span, NULL, "this cannot stand here");
    }
}

enum { MOST_BYTES = 512 << 20 }; /* of memory that a program may take */

bool tc_eval_node(tc_eval_ctx *e, const tc_node *n, tc_value *out) {
    if (e->depth >= TC_MAX_DEPTH) {
        return tc_front_fail(e, n->span, NULL, "nested more than %d deep",
                             TC_MAX_DEPTH);
    }
    if (tc_cancelled()) {
        return tc_diag_cancelled(e->front->diags, "the program was evaluated");
    }
    if (tc_arena_bytes(e->arena) > MOST_BYTES) {
        return tc_front_fail(e, n->span, NULL,
                             "what comes before this takes more than %d MB",
                             MOST_BYTES >> 20);
    }
    e->depth++;
    *out = tc_value_none();
    bool ok = evaluate(e, n, out);
    e->depth--;
    return ok;
}

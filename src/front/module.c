/* module.c - module-level statements: assignments, imports, definitions. */
#include "front/internal.h"

#include <string.h>

static bool unpack(tc_eval_ctx *e, const tc_node *target, const tc_value *v,
                   tc_span at);

static bool bind_one(tc_eval_ctx *e, const tc_node *target, const tc_value *v,
                     tc_span at) {
    switch (target->kind) {
    case TC_N_NAME:
        tc_env_set(e->env, target->s, v);
        return true;
    case TC_N_TUPLE:
    case TC_N_LIST:
        return unpack(e, target, v, at);
    default:
        return tc_front_fail(e, target->span, NULL,
                             "only names can be assigned to here");
    }
}

static bool unpack(tc_eval_ctx *e, const tc_node *target, const tc_value *v,
                   tc_span at) {
    int n = target->items.n;
    if (!tc_value_is_sequence(v)) {
        return tc_front_fail(e, at, NULL, "%s cannot be unpacked into %d names",
                             tc_value_kind_text(v), n);
    }
    if (v->nitems != n) {
        return tc_front_fail(e, at, NULL, "%d values for %d names", v->nitems,
                             n);
    }
    for (int i = 0; i < n; i++) {
        if (!bind_one(e, target->items.items[i], &v->items[i], at)) {
            return false;
        }
    }
    return true;
}

/* a = b = value: every target gets it. */
static bool assign(tc_eval_ctx *e, const tc_node *n) {
    tc_value v;
    const tc_node *value = n->b;
    while (value->kind == TC_N_ASSIGN) {
        value = value->b;
    }
    if (!tc_eval_node(e, value, &v)) {
        return false;
    }
    for (const tc_node *at = n; at->kind == TC_N_ASSIGN; at = at->b) {
        if (!bind_one(e, at->a, &v, value->span)) {
            return false;
        }
    }
    return true;
}

static bool augmented(tc_eval_ctx *e, const tc_node *n) {
    tc_value a, b;
    return tc_eval_node(e, n->a, &a) && tc_eval_node(e, n->b, &b) &&
           tc_arith_binary(e, n->op, &a, &b, n->span, &a) &&
           bind_one(e, n->a, &a, n->span);
}

/* True for @T.prim_func and @T.prim_func(...). */
static bool is_prim_func(tc_eval_ctx *e, const tc_node *decorator, bool *yes) {
    tc_value v;
    const tc_node *f = decorator->kind == TC_N_CALL ? decorator->a : decorator;
    if (!tc_eval_node(e, f, &v)) {
        return false;
    }
    *yes = v.kind == TC_V_NAMESPACE && strcmp(v.s, "T.prim_func") == 0;
    return true;
}

static bool define(tc_eval_ctx *e, const tc_node *n) {
    bool yes = false;
    if (n->items.n == 0) {
        return tc_front_fail(e, n->name_span, "put @T.prim_func above it",
                             "a function needs the decorator @T.prim_func");
    }
    for (int i = 0; i < n->items.n; i++) {
        if (!is_prim_func(e, n->items.items[i], &yes)) {
            return false;
        }
        if (!yes) {
            return tc_front_fail(e, n->items.items[i]->span, "@T.prim_func",
                                 "this decorator is not built yet");
        }
    }
    tc_func *f;
    if (!tc_build_func(e, n, &f)) {
        return false;
    }
    tc_value v = {.kind = TC_V_FUNC, .func = f};
    tc_env_set(e->env, n->s, &v);
    e->last_func = f;
    return true;
}

static bool check_assert(tc_eval_ctx *e, const tc_node *n) {
    tc_value v;
    bool truth;
    if (!tc_eval_node(e, n->a, &v)) {
        return false;
    }
    return (tc_truth_of(&v, &truth) && truth) ||
           tc_front_fail(e, n->span, NULL, "the assertion does not hold");
}

static bool if_statement(tc_eval_ctx *e, const tc_node *n);

static bool statement(tc_eval_ctx *e, const tc_node *n, tc_value *last,
                      bool *has_value) {
    tc_value v;
    *has_value = false;
    switch (n->kind) {
    case TC_N_EXPR:
        if (!tc_eval_node(e, n->a, &v)) {
            return false;
        }
        *last = v;
        *has_value = true;
        return true;
    case TC_N_ASSIGN:
        return assign(e, n);
    case TC_N_AUGASSIGN:
        return augmented(e, n);
    case TC_N_ANNASSIGN:
        return n->c == NULL ||
               (tc_eval_node(e, n->c, &v) && bind_one(e, n->a, &v, n->span));
    case TC_N_DEF:
        return define(e, n);
    case TC_N_IMPORT:
    case TC_N_IMPORTFROM:
        return tc_front_import(e, n);
    case TC_N_PASS:
        return true;
    case TC_N_ASSERT:
        return check_assert(e, n);
    case TC_N_IF:
        return if_statement(e, n);
    case TC_N_FOR:
    case TC_N_WHILE:
        return tc_front_fail(e, n->span, "loops stand inside a prim_func",
                             "loops outside of a prim_func are not built yet");
    default:
        return tc_front_fail(e, n->span, NULL,
                             "this statement stands inside a prim_func only");
    }
}

static bool statements(tc_eval_ctx *e, const tc_node_list *stmts,
                       tc_value *last, bool *has_value) {
    *has_value = false;
    for (int i = 0; i < stmts->n; i++) {
        if (!statement(e, stmts->items[i], last, has_value)) {
            return false;
        }
    }
    return true;
}

static bool if_statement(tc_eval_ctx *e, const tc_node *n) {
    tc_value v;
    bool truth, has_value;
    if (!tc_eval_node(e, n->a, &v)) {
        return false;
    }
    if (!tc_truth_of(&v, &truth)) {
        return tc_front_fail(e, n->a->span, NULL,
                             "the condition has no value yet");
    }
    return statements(e, truth ? &n->body : &n->orelse, &v, &has_value);
}

bool tc_front_run(tc_front *f, tc_env *env, const tc_node_list *stmts,
                  tc_value *last_value, bool *has_value, tc_func **last_func) {
    tc_eval_ctx e = {.front = f, .arena = f->arena, .env = env};
    tc_value last = tc_value_none();
    bool given = false;
    bool ok = statements(&e, stmts, &last, &given);
    if (last_value != NULL) {
        *last_value = last;
    }
    if (has_value != NULL) {
        *has_value = ok && given;
    }
    if (last_func != NULL) {
        *last_func = e.last_func;
    }
    return ok;
}

bool tc_front_eval(tc_front *f, tc_env *env, const tc_node *expr,
                   tc_value *out) {
    tc_eval_ctx e = {.front = f, .arena = f->arena, .env = env};
    return tc_eval_node(&e, expr, out);
}

/* method_call.c - calls written x.name(...) where x is a value of plain Python,
 * and calls of what a module has that is not here. */
#include "base/cancel.h"
#include "front/internal.h"
#include "front/python.h"

/* Nothing is said of what a call to a module that is not here is given. */
bool tc_foreign_call(tc_eval_ctx *e, const tc_node *n, const tc_value *callee,
                     tc_value *out) {
    tc_args args = {.function = callee->s, .span = n->span};
    tc_diags quiet = {0}, *loud = e->front->diags;
    bool real = tc_foreign_is_known(callee->s);
    e->front->diags = real ? loud : &quiet;
    bool ok = tc_eval_arguments(e, n, &args);
    e->front->diags = loud;
    if (!ok && (real || tc_cancelled())) {
        return false;
    }
    return tc_python_call(e, callee, &args, out);
}

/* Of which plain Python knows the methods. */
bool tc_plain_python(const tc_value *v) {
    switch (v->kind) {
    case TC_V_STRING:
    case TC_V_LIST:
    case TC_V_TUPLE:
    case TC_V_DICT:
    case TC_V_INT:
    case TC_V_BOOL:
    case TC_V_FLOAT:
    case TC_V_CLASS:
    case TC_V_FOREIGN:
        return true;
    default:
        return false;
    }
}

/* self.name(...): the object comes first. */
static bool object_call(tc_eval_ctx *e, const tc_node *n, const tc_value *self,
                        tc_value *out) {
    tc_value callee;
    tc_args args = {.function = n->a->s, .span = n->span};
    if (!tc_python_attr(e, self, n->a->s, &callee)) {
        return tc_front_fail(e, n->a->name_span, NULL, "it has no '%s'",
                             n->a->s);
    }
    if (callee.kind == TC_V_FOREIGN) {
        return tc_foreign_call(e, n, &callee, out);
    }
    tc_node with_self = *n;
    tc_node me = {.kind = TC_N_NAME, .s = "self", .span = n->a->span};
    tc_env *env = e->env;
    tc_node **items = TC_NEWN(e->arena, tc_node *, n->items.n + 1);
    bool method = callee.kind == TC_V_PYTHON && tc_python_is_method(&callee);
    items[0] = &me;
    for (int i = 0; i < n->items.n; i++) {
        items[i + method] = n->items.items[i];
    }
    with_self.items = (tc_node_list){items, n->items.n + method, 0};
    if (method) { /* `self` of the caller is the same or not looked at */
        e->env = tc_env_child(e->arena, env);
        me.s = "self of this call";
        tc_env_set(e->env, me.s, self);
    }
    bool ok = tc_eval_arguments(e, &with_self, &args) &&
              tc_call_value(e, &callee, &args, out);
    e->env = env;
    return ok;
}

bool tc_python_method_call(tc_eval_ctx *e, const tc_node *n, tc_value *base,
                           tc_value *out) {
    tc_args args = {.function = n->a->s, .span = n->span};
    bool known, changed;
    if (base->kind == TC_V_FOREIGN) {
        tc_value callee = tc_value_foreign(e, base->s, n->a->s);
        return tc_foreign_call(e, n, &callee, out);
    }
    if (base->kind == TC_V_CLASS) {
        return object_call(e, n, base, out);
    }
    if (!tc_eval_arguments(e, n, &args) ||
        !tc_python_method(e, base, n->a->s, &args, &known, &changed, out)) {
        return false;
    }
    if (!known) {
        return tc_front_fail(e, n->a->name_span, NULL, "%s has no '%s'",
                             tc_value_kind_text(base), n->a->s);
    }
    return !changed || tc_python_bind(e, n->a->a, base, n->span);
}

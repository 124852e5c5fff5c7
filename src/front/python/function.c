/* function.c - functions, lambdas and classes of plain Python. */
#include "front/python.h"

#include <string.h>

/* --- making them ------------------------------------------------------- */

/* The values of the parameters that have one, now. */
static bool defaults(tc_eval_ctx *e, const tc_node *def, const tc_value **out) {
    tc_value *v = TC_NEWN(e->arena, tc_value, def->nparams + 1);
    for (int i = 0; i < def->nparams; i++) {
        const tc_node *value = def->params[i].default_value;
        if (value != NULL && !tc_eval_node(e, value, &v[i])) {
            return false;
        }
    }
    *out = v;
    return true;
}

bool tc_python_value(tc_eval_ctx *e, const tc_node *def, tc_value *out) {
    tc_python *f = TC_NEW(e->arena, tc_python);
    f->def = def;
    f->scope = e->env == e->globals ? NULL : e->env;
    *out = (tc_value){.kind = TC_V_PYTHON, .python = f};
    return defaults(e, def, &f->defaults);
}

static bool is_static(const tc_node *def) {
    for (int i = 0; i < def->items.n; i++) {
        const tc_node *d = def->items.items[i];
        if (d->kind == TC_N_NAME && strcmp(d->s, "staticmethod") == 0) {
            return true;
        }
    }
    return false;
}

static bool is_inline(tc_eval_ctx *e, const tc_node *def) {
    tc_diags quiet = {0}, *loud = e->front->diags;
    tc_value v;
    bool yes = false;
    e->front->diags = &quiet;
    for (int i = 0; i < def->items.n; i++) {
        const tc_node *d = def->items.items[i];
        d = d->kind == TC_N_CALL ? d->a : d;
        yes |= tc_eval_node(e, d, &v) && v.kind == TC_V_NAMESPACE &&
               (strcmp(v.s, "T.inline") == 0 || strcmp(v.s, "T.macro") == 0);
    }
    e->front->diags = loud;
    return yes;
}

/* Parameters that only a kernel has: T.handle. */
static bool like_a_kernel(const tc_node *def) {
    for (int i = 0; i < def->nparams; i++) {
        const tc_node *type = def->params[i].annotation;
        if (type != NULL && type->kind == TC_N_ATTR &&
            strcmp(type->s, "handle") == 0) {
            return true;
        }
    }
    return false;
}

static bool function(tc_eval_ctx *e, const tc_node *def, bool in_class,
                     const char *class_name) {
    tc_value v;
    if (def->items.n == 0 && like_a_kernel(def)) {
        return tc_front_fail(e, def->name_span, "put @T.prim_func above it",
                             "a kernel needs the decorator @T.prim_func");
    }
    if (!tc_python_value(e, def, &v)) {
        return false;
    }
    tc_python *f = TC_NEW(e->arena, tc_python);
    *f = *v.python;
    f->inlined = is_inline(e, def);
    f->bound = in_class && !is_static(def);
    v.python = f;
    tc_env_set(e->env, def->s, &v);
    if (e->env == e->globals || in_class) {
        tc_test_note(e, def, &v, class_name);
    }
    return true;
}

/* Its statements have names of their own, which are its attributes. */
static bool class_statement(tc_eval_ctx *e, const tc_node *n) {
    tc_python *c = TC_NEW(e->arena, tc_python);
    tc_env *outer = e->env;
    c->def = n;
    c->scope = tc_env_child(e->arena, outer);
    tc_value v = {.kind = TC_V_CLASS, .python = c};
    bool ok = true;
    e->env = c->scope;
    for (int i = 0; ok && i < n->body.n; i++) {
        const tc_node *one = n->body.items[i];
        tc_node_list alone = {n->body.items + i, 1, 1};
        bool failed = false;
        bool plain = one->kind == TC_N_DEF && !tc_is_prim_func(e, one, &failed);
        ok = !failed && (plain ? function(e, one, true, n->s)
                               : tc_python_block(e, &alone, NULL, NULL));
    }
    e->env = outer;
    tc_env_set(e->env, n->s, &v);
    for (int i = 0; i < e->python->ntests; i++) {
        tc_test_def *t = &e->python->tests[i];
        if (t->class_name != NULL && strcmp(t->class_name, n->s) == 0) {
            t->object = v;
        }
    }
    return ok;
}

bool tc_python_define(tc_eval_ctx *e, const tc_node *n) {
    return n->kind == TC_N_CLASS ? class_statement(e, n)
                                 : function(e, n, false, NULL);
}

bool tc_python_is_method(const tc_value *v) {
    return v->python->bound;
}

bool tc_python_attr(tc_eval_ctx *e, const tc_value *v, const char *name,
                    tc_value *out) {
    if (v->kind == TC_V_CLASS) {
        const tc_value *found = tc_env_own(v->python->scope, name);
        *out = found != NULL ? *found
                             : tc_value_foreign(e, v->python->def->s, name);
        return true;
    }
    if (v->kind == TC_V_PYTHON && strcmp(name, "__name__") == 0) {
        *out = tc_value_string(v->python->def->s);
        return true;
    }
    if (v->kind != TC_V_DTYPE) {
        return false;
    }
    int bits = tc_dtypes[v->dtype].bits;
    if (strcmp(name, "bits") == 0) {
        *out = tc_value_int(bits);
    } else if (strcmp(name, "lanes") == 0) {
        *out = tc_value_int(1);
    } else if (strcmp(name, "itemsize") == 0) {
        *out = tc_value_int((bits + 7) / 8);
    } else {
        return false;
    }
    return true;
}

/* --- calling them ------------------------------------------------------ */

static const tc_arg *named(const tc_args *args, const char *name, bool *taken) {
    for (int i = args->npositional; i < args->n; i++) {
        if (strcmp(args->items[i].name, name) == 0) {
            taken[i] = true;
            return &args->items[i];
        }
    }
    return NULL;
}

static tc_value rest_of(tc_eval_ctx *e, const tc_args *args, int from) {
    int n = args->npositional > from ? args->npositional - from : 0;
    tc_value *items = TC_NEWN(e->arena, tc_value, n + 1);
    for (int i = 0; i < n; i++) {
        items[i] = args->items[from + i].value;
    }
    return tc_value_items(TC_V_TUPLE, items, n);
}

static tc_value names_left(tc_eval_ctx *e, const tc_args *args, bool *taken) {
    tc_value *items = TC_NEWN(e->arena, tc_value, 2 * args->n + 2);
    int n = 0;
    for (int i = args->npositional; i < args->n; i++) {
        if (!taken[i]) {
            taken[i] = true;
            items[n++] = tc_value_string(args->items[i].name);
            items[n++] = args->items[i].value;
        }
    }
    return tc_value_items(TC_V_DICT, items, n);
}

/* Gives the parameters their values in scope. */
static bool bind(tc_eval_ctx *e, const tc_python *f, const tc_args *args,
                 tc_env *scope) {
    const tc_node *def = f->def;
    bool *taken = TC_NEWN(e->arena, bool, args->n + 1);
    int next = 0;
    for (int i = 0; i < def->nparams; i++) {
        const tc_param *p = &def->params[i];
        tc_value v;
        if (p->kind == '*') {
            v = rest_of(e, args, next);
            next = args->npositional;
        } else if (p->kind == '2') {
            v = names_left(e, args, taken);
        } else if (p->kind == 0 && next < args->npositional) {
            v = args->items[next++].value;
        } else {
            const tc_arg *given = named(args, p->name, taken);
            if (given == NULL && p->default_value == NULL) {
                return tc_front_fail(e, args->span, NULL,
                                     "%s needs the argument '%s'", def->s,
                                     p->name);
            }
            v = given != NULL ? given->value : f->defaults[i];
        }
        tc_env_set(scope, p->name, &v);
    }
    if (next < args->npositional) {
        return tc_front_fail(e, args->items[next].span, NULL,
                             "%s takes %d argument%s, not %d", def->s, next,
                             next == 1 ? "" : "s", args->npositional);
    }
    for (int i = args->npositional; i < args->n; i++) {
        if (!taken[i]) {
            return tc_front_fail(e, args->items[i].span, NULL,
                                 "%s has no argument '%s'", def->s,
                                 args->items[i].name);
        }
    }
    return true;
}

static bool run(tc_eval_ctx *e, const tc_python *f, tc_env *scope,
                tc_value *out) {
    tc_eval_ctx inner = *e;
    inner.env = scope;
    inner.depth = e->depth + 10; /* what a call takes of the stack */
    *out = tc_value_none();
    if (inner.depth > TC_MAX_DEPTH) {
        return tc_front_fail(e, f->def->span, NULL,
                             "%s calls itself without end", f->def->s);
    }
    if (f->def->kind == TC_N_LAMBDA) {
        return tc_eval_node(&inner, f->def->a, out);
    }
    if (f->inlined && e->body != NULL) {
        return tc_inline_body(e, &f->def->body, scope);
    }
    if (!tc_python_block(&inner, &f->def->body, NULL, NULL)) {
        return false;
    }
    if (e->python->flow == TC_FLOW_RETURN) {
        e->python->flow = TC_FLOW_ON;
        *out = e->python->result;
    }
    return true;
}

bool tc_python_call(tc_eval_ctx *e, const tc_value *callee, const tc_args *args,
                    tc_value *out) {
    if (callee->kind == TC_V_FOREIGN) {
        return tc_call_foreign(e, callee->s, args, out);
    }
    if (callee->kind == TC_V_CLASS) { /* its objects share what it has */
        *out = *callee;
        return true;
    }
    const tc_python *f = callee->python;
    tc_env *scope =
        tc_env_child(e->arena, f->scope != NULL ? f->scope : e->globals);
    return bind(e, f, args, scope) && run(e, f, scope, out);
}

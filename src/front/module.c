/* module.c - sources as a whole, and the kernels in them. */
#include "front/python.h"

#include <string.h>

/* True for @T.prim_func and @T.prim_func(...). */
static bool is_prim_func(tc_eval_ctx *e, const tc_node *decorator,
                         tc_value *v) {
    const tc_node *f = decorator->kind == TC_N_CALL ? decorator->a : decorator;
    return tc_eval_node(e, f, v) && v->kind == TC_V_NAMESPACE &&
           strcmp(v->s, "T.prim_func") == 0;
}

bool tc_is_prim_func(tc_eval_ctx *e, const tc_node *def, bool *failed) {
    bool yes = false;
    *failed = false;
    for (int i = 0; i < def->items.n && !yes; i++) {
        tc_value v = {0};
        int errors = e->front->diags->errors;
        yes = is_prim_func(e, def->items.items[i], &v);
        *failed = !yes && e->front->diags->errors > errors;
        if (*failed) {
            return false;
        }
    }
    for (int i = 0; yes && i < def->items.n; i++) {
        tc_value v = {0};
        if (!is_prim_func(e, def->items.items[i], &v) &&
            v.kind != TC_V_FOREIGN) {
            tc_front_fail(e, def->items.items[i]->span, "@T.prim_func",
                          "this decorator is not built yet");
            *failed = true;
            return false;
        }
    }
    return yes;
}

/* What is wrong with a kernel is told, wherever it stands. */
bool tc_define_prim_func(tc_eval_ctx *e, const tc_node *def) {
    tc_py *py = e->python;
    tc_diags *now = e->front->diags;
    tc_func *f;
    e->front->diags = py->searching ? now : py->loud;
    bool ok = tc_build_func(e, def, &f);
    e->front->diags = now;
    if (!ok) {
        py->kernel_failed = true;
        return false;
    }
    tc_value v = {.kind = TC_V_FUNC, .func = f};
    tc_env_set(e->env, def->s, &v);
    py->last_func = f;
    py->funcs++;
    py->steps = 0;
    if (py->testing) {
        py->after = true;
        e->front->diags = &py->quiet;
    }
    return true;
}

/* What only the host does was passed over. */
static void tell_passed(tc_eval_ctx *e) {
    const tc_py *py = e->python;
    if (py->passed_name != NULL && py->ntests == 0) {
        tc_diag_report(e->front->diags, TC_NOTE, py->passed, NULL,
                       "'%s' is not here: what the host does is passed over",
                       py->passed_name);
    }
}

bool tc_front_keeps_tree(const tc_source *src) {
    return strstr(src->text, "def ") != NULL ||
           strstr(src->text, "lambda") != NULL ||
           strstr(src->text, "class ") != NULL;
}

static bool module(tc_eval_ctx *e, const tc_node_list *stmts, tc_value *last,
                   bool *given) {
    tc_py *py = e->python;
    tc_tests *tests = e->front->tests;
    if (!tc_python_block(e, stmts, last, given)) {
        return false;
    }
    if (py->flow == TC_FLOW_BREAK || py->flow == TC_FLOW_CONTINUE) {
        return tc_front_fail(e, stmts->items[0]->span, NULL,
                             "'break' or 'continue' outside of a loop");
    }
    py->flow = TC_FLOW_ON;
    return tests == NULL || (tests->wanted == NULL && py->last_func != NULL) ||
           tc_tests_run(e, tests);
}

bool tc_front_run(tc_front *f, tc_env *env, const tc_node_list *stmts,
                  tc_value *last_value, bool *has_value, tc_func **last_func) {
    tc_py py = {.loud = f->diags};
    tc_eval_ctx e = {.front = f,
                     .arena = f->arena,
                     .env = env,
                     .globals = env,
                     .python = &py};
    tc_value last = tc_value_none();
    bool given = false;
    bool ok = module(&e, stmts, &last, &given);
    if (ok) {
        tell_passed(&e);
    }
    if (last_value != NULL) {
        *last_value = last;
    }
    if (has_value != NULL) {
        *has_value = ok && given;
    }
    if (last_func != NULL) {
        *last_func = py.last_func;
    }
    return ok;
}

bool tc_front_eval(tc_front *f, tc_env *env, const tc_node *expr,
                   tc_value *out) {
    tc_py py = {.loud = f->diags};
    tc_eval_ctx e = {.front = f,
                     .arena = f->arena,
                     .env = env,
                     .globals = env,
                     .python = &py};
    return tc_eval_node(&e, expr, out);
}

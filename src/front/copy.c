/* copy.c - Tx[.scope].copy and copy_async. */
#include "front/internal.h"

#include <string.h>

static tc_scope_level scope_of(const char *dotted) {
    static const struct {
        const char *prefix;
        tc_scope_level scope;
    } table[] = {
        {"Tx.cta.", TC_SCOPE_CTA},
        {"Tx.wg.", TC_SCOPE_WARPGROUP},
        {"Tx.warpgroup.", TC_SCOPE_WARPGROUP},
        {"Tx.warp.", TC_SCOPE_WARP},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strncmp(dotted, table[i].prefix, strlen(table[i].prefix)) == 0) {
            return table[i].scope;
        }
    }
    return TC_SCOPE_THREAD;
}

/* Keywords other than dst, src, workspace and dispatch configure the copy. */
static bool config(tc_eval_ctx *e, const tc_arg *arg, tc_copy *c, int *cap) {
    tc_config k = {.name = arg->name, .span = arg->span};
    if (arg->value.kind == TC_V_NONE) {
        return true;
    }
    if (!tc_want_expr(e, &arg->value, arg->span, arg->name, &k.value)) {
        return false;
    }
    TC_PUSH(e->arena, c->config, c->nconfig, *cap, k);
    return true;
}

static bool keyword(tc_eval_ctx *e, const tc_arg *arg, const tc_arg **named,
                    tc_copy *c, int *cap) {
    static const char *const names[] = {"dst", "src", "workspace", "dispatch"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(arg->name, names[i]) == 0) {
            if (named[i] != NULL) {
                return tc_front_fail(e, arg->span, NULL,
                                     "argument '%s' is given twice", names[i]);
            }
            named[i] = arg;
            return true;
        }
    }
    const char *near = tc_diag_nearest(arg->name, names, 4);
    if (near != NULL) {
        return tc_front_fail(e, arg->span,
                             tc_format(e->arena, "did you mean '%s'?", near),
                             "a copy has no argument '%s'", arg->name);
    }
    return config(e, arg, c, cap);
}

static bool bind_copy(tc_eval_ctx *e, const tc_args *args, tc_copy *c,
                      const tc_arg **named) {
    int cap = 0;
    if (args->npositional > 4) {
        return tc_front_fail(e, args->items[4].span, NULL,
                             "%s takes dst, src, workspace and dispatch",
                             args->function);
    }
    for (int i = 0; i < args->npositional; i++) {
        named[i] = &args->items[i];
    }
    for (int i = args->npositional; i < args->n; i++) {
        if (!keyword(e, &args->items[i], named, c, &cap)) {
            return false;
        }
    }
    if (named[0] == NULL || named[1] == NULL) {
        return tc_front_fail(
            e, args->span,
            tc_format(e->arena, "%s(dst[...], src[...])", args->function),
            "%s needs '%s'", args->function, named[0] == NULL ? "dst" : "src");
    }
    return true;
}

static bool want_workspace(tc_eval_ctx *e, const tc_arg *arg) {
    return arg == NULL || arg->value.kind == TC_V_NONE ||
           (arg->value.kind == TC_V_DICT && arg->value.nitems == 0) ||
           tc_front_fail(e, arg->span, NULL,
                         "the argument 'workspace' is not built yet");
}

bool tc_call_copy(tc_eval_ctx *e, const char *dotted, const tc_args *args,
                  tc_value *out) {
    const tc_arg *named[4] = {NULL};
    tc_copy *c = TC_NEW(e->arena, tc_copy);
    const char *last = strrchr(dotted, '.') + 1;
    c->op = strcmp(last, "copy_async") == 0 ? TC_COPY_ASYNC : TC_COPY;
    c->scope = scope_of(dotted);
    *out = tc_value_none();
    if (!e->body->entered) {
        return tc_front_fail(e, args->span,
                             "put T.device_entry() above the kernel's code",
                             "%s stands before T.device_entry()", dotted);
    }
    if (!bind_copy(e, args, c, named) ||
        !tc_want_region(e, &named[0]->value, named[0]->span, "dst", &c->dst) ||
        !tc_want_region(e, &named[1]->value, named[1]->span, "src", &c->src) ||
        !want_workspace(e, named[2])) {
        return false;
    }
    if (named[3] != NULL && named[3]->value.kind != TC_V_NONE &&
        !tc_want_string(e, &named[3]->value, named[3]->span, "dispatch",
                        &c->forced)) {
        return false;
    }
    tc_stmt *s = tc_emit_stmt(e, TC_S_COPY, args->span);
    s->copy = c;
    return true;
}

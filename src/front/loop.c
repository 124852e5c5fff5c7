/* loop.c - for loops: range, T.serial, T.unroll, T.grid. */
#include "front/internal.h"

#include <string.h>

enum { MAX_LOOPS = 8 };

typedef struct one_loop {
    tc_expr *start, *extent; /* of the loop variable */
    int64_t step;
} one_loop;

typedef struct loops {
    one_loop items[MAX_LOOPS];
    int n;
    tc_loop kind;
} loops;

static bool want_bound(tc_eval_ctx *e, const tc_arg *arg, tc_expr **out) {
    if (!tc_want_expr(e, &arg->value, arg->span, "a loop bound", out)) {
        return false;
    }
    tc_dtype_class c = tc_dtypes[(*out)->type].cls;
    return c == TC_CLASS_INT || c == TC_CLASS_UINT ||
           tc_front_fail(e, arg->span, NULL,
                         "a loop bound must be an integer, not %s",
                         tc_dtypes[(*out)->type].name);
}

/* start, stop, step to start and trip count. */
static bool trip_count(tc_eval_ctx *e, tc_expr *start, tc_expr *stop,
                       const tc_arg *step, one_loop *out) {
    out->start = start;
    out->step = 1;
    if (step != NULL && step->value.kind != TC_V_NONE &&
        !tc_want_int(e, &step->value, step->span, "the step", &out->step)) {
        return false;
    }
    if (out->step < 1 || out->step > INT32_MAX) {
        return tc_front_fail(e, step->span, "count upwards",
                             "the step of a loop is %lld: it must be positive",
                             (long long)out->step);
    }
    tc_arena *a = e->arena;
    tc_expr *n = tc_binary(a, TC_SUB, stop, start);
    if (out->step > 1) {
        n = tc_binary(a, TC_ADD, n, tc_int(a, out->step - 1));
        n = tc_binary(a, TC_FLOORDIV, n, tc_int(a, out->step));
    }
    out->extent = n;
    return true;
}

static bool bounded(tc_eval_ctx *e, const tc_arg *const *b, int step_at,
                    loops *out) {
    tc_expr *start = tc_int(e->arena, 0), *stop;
    out->n = 1;
    if (!want_bound(e, b[0], &stop)) {
        return false;
    }
    if (b[1] != NULL && b[1]->value.kind != TC_V_NONE) {
        start = stop;
        if (!want_bound(e, b[1], &stop)) {
            return false;
        }
    }
    return trip_count(e, start, stop, b[step_at], &out->items[0]);
}

/* T.serial(start, stop, *, annotations, step, unroll), T.unroll(...). */
static bool serial(tc_eval_ctx *e, const tc_args *args, loops *out) {
    const tc_arg *b[5];
    if (!tc_bind_args(e, args, "start,stop,annotations,step,unroll", 1, b)) {
        return false;
    }
    for (int i = 2; i < 5; i += 2) {
        if (b[i] != NULL && b[i]->value.kind != TC_V_NONE) {
            return tc_front_fail(e, b[i]->span, NULL,
                                 "the argument '%s' is not built yet",
                                 i == 2 ? "annotations" : "unroll");
        }
    }
    return bounded(e, b, 3, out);
}

static bool grid(tc_eval_ctx *e, const tc_args *args, loops *out) {
    if (!tc_no_keywords(e, args)) {
        return false;
    }
    if (args->n < 1 || args->n > MAX_LOOPS) {
        return tc_front_fail(e, args->span, NULL,
                             "T.grid takes 1 to %d extents", MAX_LOOPS);
    }
    out->n = args->n;
    for (int i = 0; i < args->n; i++) {
        out->items[i] = (one_loop){tc_int(e->arena, 0), NULL, 1};
        if (!want_bound(e, &args->items[i], &out->items[i].extent)) {
            return false;
        }
    }
    return true;
}

static bool call_arguments(tc_eval_ctx *e, const tc_node *call, tc_args *args) {
    args->items = TC_NEWN(e->arena, tc_arg, call->items.n + call->nkwargs + 1);
    args->span = call->span;
    for (int i = 0; i < call->items.n; i++) {
        const tc_node *n = call->items.items[i];
        tc_arg *arg = &args->items[args->n++];
        arg->span = n->span;
        if (!tc_eval_node(e, n, &arg->value)) {
            return false;
        }
    }
    args->npositional = args->n;
    for (int i = 0; i < call->nkwargs; i++) {
        const tc_kwarg *k = &call->kwargs[i];
        if (k->name == NULL) {
            return tc_front_fail(e, k->span, NULL,
                                 "'**' arguments are not built");
        }
        tc_arg *arg = &args->items[args->n++];
        arg->name = k->name;
        arg->span = k->span;
        if (!tc_eval_node(e, k->value, &arg->value)) {
            return false;
        }
    }
    return true;
}

static bool not_a_loop(tc_eval_ctx *e, const tc_node *n) {
    return tc_front_fail(e, n->span, "range, T.serial, T.unroll or T.grid",
                         "a for of a kernel goes over a range");
}

static bool read_loops(tc_eval_ctx *e, const tc_node *n, loops *out) {
    tc_value callee;
    tc_args args = {0};
    const tc_arg *b[3];
    if (n->kind != TC_N_CALL) {
        return not_a_loop(e, n);
    }
    if (!tc_eval_node(e, n->a, &callee)) {
        return false;
    }
    args.function = callee.kind == TC_V_NAMESPACE ? callee.s : "";
    bool range = strcmp(args.function, "range") == 0;
    bool is_grid = strcmp(args.function, "T.grid") == 0;
    bool unroll = strcmp(args.function, "T.unroll") == 0;
    if (!range && !is_grid && !unroll &&
        strcmp(args.function, "T.serial") != 0) {
        tc_name found;
        if (tc_name_find(args.function, &found) &&
            found.kind == TC_NAME_LATER) {
            return tc_front_fail(e, n->a->span, NULL, "'%s' is not built yet",
                                 args.function);
        }
        return not_a_loop(e, n);
    }
    out->kind = unroll ? TC_LOOP_UNROLL : TC_LOOP_SERIAL;
    if (!call_arguments(e, n, &args)) {
        return false;
    }
    if (is_grid) {
        return grid(e, &args, out);
    }
    if (range) {
        return tc_bind_args(e, &args, "start,stop,step", 1, b) &&
               bounded(e, b, 2, out);
    }
    return serial(e, &args, out);
}

/* The range of the variable, where both ends are known. */
static void set_range(tc_var *v, const one_loop *l) {
    int64_t start, extent;
    if (tc_expr_const(l->start, &start) && tc_expr_const(l->extent, &extent) &&
        extent > 0 && !__builtin_add_overflow(start, extent, &v->hi)) {
        v->lo = start;
    } else {
        v->lo = v->hi = 0;
    }
}

/* Opens one loop; the value that its name has inside. */
static tc_stmt *open_loop(tc_eval_ctx *e, one_loop *l, const char *name,
                          tc_span span, tc_loop kind, tc_value *value) {
    tc_stmt *s = tc_emit_stmt(e, TC_S_FOR, span);
    tc_expr *start = l->start;
    bool stepped = l->step > 1;
    if (stepped) {
        l->start = tc_int(e->arena, 0);
    }
    s->var = TC_NEW(e->arena, tc_var);
    s->var->name = name;
    s->var->type = l->extent->type;
    s->var->span = span;
    set_range(s->var, l);
    s->begin = tc_cast(e->arena, s->var->type, l->start);
    s->extent = l->extent;
    s->loop = kind;
    tc_expr *x = tc_var_ref(e->arena, s->var);
    if (stepped) { /* start + i * step */
        x = tc_binary(e->arena, TC_MUL, x, tc_int(e->arena, l->step));
        x = tc_binary(e->arena, TC_ADD, start, x);
    }
    *value = tc_value_expr(x);
    return s;
}

static bool loop_names(tc_eval_ctx *e, const tc_node *target, int n,
                       const tc_node **names) {
    bool tuple = target->kind == TC_N_TUPLE || target->kind == TC_N_LIST;
    int have = tuple ? target->items.n : 1;
    if (have != n) {
        return tc_front_fail(e, target->span, NULL,
                             "%d loop variable%s for %d range%s", have,
                             have == 1 ? "" : "s", n, n == 1 ? "" : "s");
    }
    for (int i = 0; i < n; i++) {
        names[i] = tuple ? target->items.items[i] : target;
        if (names[i]->kind != TC_N_NAME) {
            return tc_front_fail(e, names[i]->span, NULL,
                                 "a loop variable is a plain name");
        }
        for (int k = 0; k < i; k++) {
            if (strcmp(names[k]->s, names[i]->s) == 0) {
                return tc_front_fail(e, names[i]->span, NULL,
                                     "'%s' names two loops", names[i]->s);
            }
        }
    }
    return true;
}

bool tc_body_for(tc_eval_ctx *e, const tc_node *n) {
    loops l = {0};
    const tc_node *names[MAX_LOOPS];
    if (n->orelse.n > 0) {
        return tc_front_fail(e, n->span, NULL, "a for of a kernel has no else");
    }
    if (!read_loops(e, n->b, &l) || !loop_names(e, n->a, l.n, names)) {
        return false;
    }
    tc_block *outer = e->body->block;
    tc_env *env = e->env;
    tc_env *inside = tc_env_child(e->arena, env);
    tc_stmt *s = NULL;
    for (int i = 0; i < l.n; i++) {
        tc_value v;
        s = open_loop(e, &l.items[i], names[i]->s, n->span, l.kind, &v);
        e->body->block = &s->body;
        tc_env_set(inside, names[i]->s, &v);
    }
    e->env = inside;
    e->body->loops++;
    bool ok = tc_run_body_block(e, &n->body, &s->body, false);
    e->body->loops--;
    TC_PUSH(e->arena, e->body->closed, e->body->nclosed, e->body->closed_cap,
            inside);
    e->env = env;
    e->body->block = outer;
    return ok;
}

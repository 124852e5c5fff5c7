/* call.c - binding arguments, and Python's own functions. */
#include "front/internal.h"

#include <math.h>
#include <string.h>

/* --- binding ----------------------------------------------------------- */

enum { MAX_PARAMS = 24 };

/* Splits "a,b,c" into out; gives the count. */
static int split_names(tc_arena *a, const char *names, const char **out) {
    int n = 0;
    while (*names != '\0' && n < MAX_PARAMS) {
        const char *comma = strchr(names, ',');
        size_t len = comma != NULL ? (size_t)(comma - names) : strlen(names);
        out[n++] = tc_strndup(a, names, len);
        names += len + (comma != NULL);
    }
    return n;
}

static int index_of(const char *const *names, int n, const char *name) {
    for (int i = 0; i < n; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool bind_keywords(tc_eval_ctx *e, const tc_args *args,
                          const char *const *params, int n,
                          const tc_arg **out) {
    for (int i = args->npositional; i < args->n; i++) {
        const tc_arg *arg = &args->items[i];
        int at = index_of(params, n, arg->name);
        if (at < 0) {
            return tc_front_fail(
                e, arg->span, tc_did_you_mean(e, arg->name, params, n),
                "%s has no argument '%s'", args->function, arg->name);
        }
        if (out[at] != NULL) {
            return tc_front_fail(e, arg->span, NULL,
                                 "argument '%s' of %s is given twice",
                                 arg->name, args->function);
        }
        out[at] = arg;
    }
    return true;
}

bool tc_bind_args(tc_eval_ctx *e, const tc_args *args, const char *names,
                  int required, const tc_arg **out) {
    const char *params[MAX_PARAMS];
    int n = split_names(e->arena, names, params);
    memset(out, 0, sizeof *out * (size_t)n);
    if (args->npositional > n) {
        return tc_front_fail(e, args->items[n].span, NULL,
                             "%s takes %d argument%s, not %d", args->function,
                             n, n == 1 ? "" : "s", args->npositional);
    }
    for (int i = 0; i < args->npositional; i++) {
        out[i] = &args->items[i];
    }
    if (!bind_keywords(e, args, params, n, out)) {
        return false;
    }
    for (int i = 0; i < required; i++) {
        if (out[i] == NULL) {
            return tc_front_fail(e, args->span, NULL,
                                 "%s needs the argument '%s'", args->function,
                                 params[i]);
        }
    }
    return true;
}

bool tc_no_keywords(tc_eval_ctx *e, const tc_args *args) {
    return args->n == args->npositional ||
           tc_front_fail(e, args->items[args->npositional].span, NULL,
                         "%s has no argument '%s'", args->function,
                         args->items[args->npositional].name);
}

/* --- dispatch ---------------------------------------------------------- */

/* T.int32(0), T.float16(x): a constant or a cast; T.int32() names the type. */
static bool call_dtype(tc_eval_ctx *e, tc_dtype t, const tc_args *args,
                       tc_value *out) {
    const tc_arg *b[1];
    tc_expr *x;
    if (!tc_bind_args(e, args, "expr", 0, b)) {
        return false;
    }
    if (b[0] == NULL || t == TC_HANDLE || t == TC_VOID) {
        *out = (tc_value){.kind = TC_V_DTYPE, .dtype = t};
        return true;
    }
    if (!tc_want_expr(e, &b[0]->value, b[0]->span, "the value", &x)) {
        return false;
    }
    if (x->type == TC_HANDLE) {
        return tc_front_fail(e, b[0]->span, NULL, "this is not a number");
    }
    tc_expr *cast = tc_cast(e->arena, t, x);
    if (x->kind == TC_E_INT && cast->kind == TC_E_CAST) {
        return tc_front_fail(e, b[0]->span, NULL, "%lld does not fit in %s",
                             (long long)x->i, tc_dtypes[t].name);
    }
    *out = tc_value_expr(cast);
    return true;
}

static bool call_named(tc_eval_ctx *e, const char *dotted, const tc_args *args,
                       tc_value *out) {
    tc_name found;
    tc_op op;
    if (!tc_name_find(dotted, &found) || found.kind == TC_NAME_LATER) {
        return tc_front_fail(e, args->span, NULL, "'%s' is not built yet",
                             dotted);
    }
    if (found.body_only && !tc_need_body(e, dotted, args->span)) {
        return false;
    }
    if (found.kind == TC_NAME_OP && tc_op_find(dotted, &op)) {
        return tc_call_intrinsic(e, op, args, out);
    }
    if (found.kind == TC_NAME_CALL) {
        return found.fn != NULL ? found.fn(e, args, out)
                                : tc_call_copy(e, dotted, args, out);
    }
    return tc_front_fail(e, args->span, NULL, "'%s' cannot be called", dotted);
}

bool tc_call_value(tc_eval_ctx *e, const tc_value *callee, const tc_args *args,
                   tc_value *out) {
    if (callee->kind == TC_V_DTYPE) {
        tc_args named = *args;
        named.function =
            tc_format(e->arena, "T.%s", tc_dtypes[callee->dtype].name);
        return call_dtype(e, callee->dtype, &named, out);
    }
    if (callee->kind == TC_V_PYTHON || callee->kind == TC_V_CLASS ||
        callee->kind == TC_V_FOREIGN) {
        return tc_python_call(e, callee, args, out);
    }
    if (callee->kind == TC_V_NAMESPACE) {
        return call_named(e, callee->s, args, out);
    }
    return tc_front_fail(e, args->span, NULL, "%s cannot be called",
                         tc_value_kind_text(callee));
}

/* --- Python's functions ------------------------------------------------ */

bool tc_call_len(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    if (!tc_bind_args(e, args, "object", 1, b)) {
        return false;
    }
    const tc_value *v = &b[0]->value;
    if (v->kind == TC_V_STRING) {
        *out = tc_value_int((int64_t)strlen(v->s));
        return true;
    }
    if (v->kind == TC_V_DICT || tc_value_is_sequence(v)) {
        *out = tc_value_int(v->kind == TC_V_DICT ? v->nitems / 2 : v->nitems);
        return true;
    }
    return tc_front_fail(e, b[0]->span, NULL, "%s has no length",
                         tc_value_kind_text(v));
}

static bool range_bounds(tc_eval_ctx *e, const tc_args *args, int64_t *bounds) {
    const tc_arg *b[3];
    if (!tc_bind_args(e, args, "start,stop,step", 1, b)) {
        return false;
    }
    bounds[0] = 0;
    bounds[2] = 1;
    for (int i = 0; i < 3; i++) {
        int at = i == 0 && b[1] == NULL ? 1 : i; /* range(stop) */
        if (b[i] != NULL && !tc_want_int(e, &b[i]->value, b[i]->span,
                                         "a bound of range", &bounds[at])) {
            return false;
        }
    }
    return bounds[2] != 0 ||
           tc_front_fail(e, b[2]->span, NULL, "the step of range is 0");
}

bool tc_call_range(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    int64_t r[3];
    tc_value *items = NULL;
    int n = 0, cap = 0;
    if (!range_bounds(e, args, r)) {
        return false;
    }
    for (int64_t i = r[0]; r[2] > 0 ? i < r[1] : i > r[1];) {
        if (n >= TC_MAX_ITEMS) {
            return tc_front_fail(e, args->span, NULL, "more than %d items",
                                 TC_MAX_ITEMS);
        }
        TC_PUSH(e->arena, items, n, cap, tc_value_int(i));
        if (__builtin_add_overflow(i, r[2], &i)) {
            break;
        }
    }
    *out = tc_value_items(TC_V_LIST, items, n);
    return true;
}

bool tc_call_slice(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[3];
    if (!tc_no_keywords(e, args) ||
        !tc_bind_args(e, args, "start,stop,step", 1, b)) {
        return false;
    }
    tc_value *parts = TC_NEWN(e->arena, tc_value, 3);
    for (int i = 0; i < 3; i++) {
        parts[i] = b[i] != NULL ? b[i]->value : tc_value_none();
    }
    if (b[1] == NULL) { /* slice(stop) */
        parts[1] = parts[0];
        parts[0] = tc_value_none();
    }
    *out = tc_value_items(TC_V_SLICE, parts, 3);
    return true;
}

static bool as_sequence(tc_eval_ctx *e, const tc_args *args, tc_value_kind kind,
                        tc_value *out) {
    const tc_arg *b[1];
    if (!tc_bind_args(e, args, "iterable", 0, b)) {
        return false;
    }
    if (b[0] == NULL) {
        *out = tc_value_items(kind, NULL, 0);
        return true;
    }
    if (b[0]->value.kind == TC_V_FOREIGN) {
        *out = b[0]->value;
        return true;
    }
    const tc_value *items;
    int n;
    if (!tc_iterate(e, &b[0]->value, b[0]->span, &items, &n)) {
        return false;
    }
    *out = tc_value_items(kind, items, n);
    return true;
}

bool tc_call_list(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return as_sequence(e, args, TC_V_LIST, out);
}

bool tc_call_tuple(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return as_sequence(e, args, TC_V_TUPLE, out);
}

bool tc_call_int(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    if (!tc_bind_args(e, args, "x", 1, b)) {
        return false;
    }
    const tc_value *v = &b[0]->value;
    *out = tc_value_int(0);
    if (v->kind == TC_V_FLOAT) {
        if (!(fabs(v->f) < 9.2e18)) {
            return tc_front_fail(e, b[0]->span, NULL,
                                 "the result does not fit in 64 bits");
        }
        out->i = (int64_t)v->f;
        return true;
    }
    return tc_want_int(e, v, b[0]->span, "the argument of int", &out->i);
}

bool tc_call_float(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    if (!tc_bind_args(e, args, "x", 1, b)) {
        return false;
    }
    const tc_value *v = &b[0]->value;
    if (!tc_value_is_number(v)) {
        return tc_front_fail(e, b[0]->span, NULL,
                             "a number is needed, and this is %s",
                             tc_value_kind_text(v));
    }
    *out = tc_value_float(v->kind == TC_V_FLOAT ? v->f : (double)v->i);
    return true;
}

bool tc_call_bool(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    bool truth;
    if (!tc_bind_args(e, args, "x", 1, b)) {
        return false;
    }
    if (!tc_truth_of(&b[0]->value, &truth)) {
        return tc_front_fail(e, b[0]->span, NULL,
                             "its value is only known when the kernel runs");
    }
    *out = tc_value_bool(truth);
    return true;
}

bool tc_call_str(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    if (!tc_bind_args(e, args, "object", 1, b)) {
        return false;
    }
    if (b[0]->value.kind == TC_V_STRING) {
        *out = b[0]->value;
        return true;
    }
    tc_buf text = TC_BUF_INIT;
    tc_value_print(&text, &b[0]->value);
    *out = tc_value_string(tc_buf_finish(&text, e->arena));
    return true;
}

bool tc_call_abs(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    if (!tc_bind_args(e, args, "x", 1, b)) {
        return false;
    }
    tc_value v = b[0]->value;
    if (v.kind == TC_V_FLOAT) {
        *out = tc_value_float(fabs(v.f));
        return true;
    }
    if (!tc_want_int(e, &v, b[0]->span, "the argument of abs", &v.i)) {
        return false;
    }
    *out = tc_value_int(v.i);
    return v.i >= 0 || tc_arith_unary(e, TC_OP_NEG, out, args->span, out);
}

/* min, max: of several arguments or of one sequence. */
static bool extreme(tc_eval_ctx *e, const tc_args *args, tc_token_op better,
                    tc_value *out) {
    const tc_value *single = args->n == 1 ? &args->items[0].value : NULL;
    bool sequence = single != NULL && tc_value_is_sequence(single);
    int n = sequence ? single->nitems : args->n;
    if (!tc_no_keywords(e, args)) {
        return false;
    }
    if (n == 0 || (single != NULL && !sequence)) {
        return tc_front_fail(e, args->span, NULL,
                             "%s needs two values, or a sequence",
                             args->function);
    }
    for (int i = 0; i < n; i++) {
        tc_value v = sequence ? single->items[i] : args->items[i].value;
        tc_value yes = tc_value_bool(i == 0);
        if (v.kind == TC_V_EXPR || v.kind == TC_V_BUFFER) {
            return tc_front_fail(
                e, args->span,
                tc_format(e->arena, "write T.%s(a, b)", args->function),
                "%s works on constants only", args->function);
        }
        if (i > 0 && !tc_arith_binary(e, better, &v, out, args->span, &yes)) {
            return false;
        }
        if (yes.i) {
            *out = v;
        }
    }
    return true;
}

bool tc_call_min(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return extreme(e, args, TC_OP_LT, out);
}

bool tc_call_max(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return extreme(e, args, TC_OP_GT, out);
}

bool tc_call_sum(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    if (!tc_bind_args(e, args, "iterable", 1, b)) {
        return false;
    }
    if (!tc_value_is_sequence(&b[0]->value)) {
        return tc_front_fail(e, b[0]->span, NULL,
                             "a tuple or a list is needed, and this is %s",
                             tc_value_kind_text(&b[0]->value));
    }
    *out = tc_value_int(0);
    for (int i = 0; i < b[0]->value.nitems; i++) {
        if (!tc_arith_binary(e, TC_OP_ADD, out, &b[0]->value.items[i],
                             args->span, out)) {
            return false;
        }
    }
    return true;
}

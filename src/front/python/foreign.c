/* foreign.c - what modules have that are not here, and the few functions of
 * them that are computed all the same, because programs are made with them. */
#include "front/python.h"

#include <math.h>
#include <string.h>

tc_value tc_value_foreign(tc_eval_ctx *e, const char *of, const char *name) {
    enum { LONG = 60 };
    tc_value v = {.kind = TC_V_FOREIGN, .s = of};
    if (name[0] != '\0' && strlen(of) + strlen(name) < LONG) {
        v.s = tc_format(e->arena, "%s.%s", of, name);
    }
    return v;
}

bool tc_python_name(tc_eval_ctx *e, const char *name, tc_value *out) {
    static const char *const names[] = {"ArithmeticError",
                                        "AssertionError",
                                        "AttributeError",
                                        "Exception",
                                        "ImportError",
                                        "IndexError",
                                        "KeyError",
                                        "NotImplementedError",
                                        "OSError",
                                        "RuntimeError",
                                        "StopIteration",
                                        "TypeError",
                                        "ValueError",
                                        "bytes",
                                        "callable",
                                        "chr",
                                        "classmethod",
                                        "complex",
                                        "frozenset",
                                        "globals",
                                        "hash",
                                        "hex",
                                        "id",
                                        "input",
                                        "iter",
                                        "locals",
                                        "next",
                                        "object",
                                        "open",
                                        "ord",
                                        "property",
                                        "staticmethod",
                                        "super",
                                        "type",
                                        "vars",
                                        "__file__"};
    if (strcmp(name, "__name__") == 0) {
        *out = tc_value_string("__main__");
        return true;
    }
    for (size_t i = 0; e->body == NULL && i < sizeof names / sizeof *names;
         i++) {
        if (strcmp(names[i], name) == 0) {
            *out = tc_value_foreign(e, names[i], "");
            return true;
        }
    }
    return false;
}

static bool is_foreign(const tc_value *v) {
    if (v->kind == TC_V_FOREIGN) {
        return true;
    }
    for (int i = 0; tc_value_is_sequence(v) && i < v->nitems; i++) {
        if (v->items[i].kind == TC_V_FOREIGN) {
            return true;
        }
    }
    return false;
}

/* --- functions --------------------------------------------------------- */

static bool product(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    const tc_value *items;
    int n;
    if (!tc_bind_args(e, args, "iterable", 1, b) ||
        !tc_iterate(e, &b[0]->value, b[0]->span, &items, &n)) {
        return false;
    }
    *out = tc_value_int(1);
    for (int i = 0; i < n; i++) {
        if (!tc_arith_binary(e, TC_OP_MUL, out, &items[i], args->span, out)) {
            return false;
        }
    }
    return true;
}

static bool reduce(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[3];
    const tc_value *items;
    int n, from = 0;
    if (!tc_bind_args(e, args, "function,iterable,initial", 2, b) ||
        !tc_iterate(e, &b[1]->value, b[1]->span, &items, &n)) {
        return false;
    }
    if (b[2] == NULL && n == 0) {
        return tc_front_fail(e, args->span, NULL, "reduce of nothing");
    }
    *out = b[2] != NULL ? b[2]->value : items[from++];
    for (int i = from; i < n; i++) {
        tc_arg two[2] = {{NULL, *out, args->span},
                         {NULL, items[i], args->span}};
        tc_args call = {"the function", args->span, two, 2, 2};
        if (!tc_call_value(e, &b[0]->value, &call, out)) {
            return false;
        }
    }
    return true;
}

static bool as_double(tc_eval_ctx *e, const tc_args *args, double *x) {
    const tc_arg *b[1];
    if (!tc_bind_args(e, args, "x", 1, b)) {
        return false;
    }
    const tc_value *v = &b[0]->value;
    *x = v->kind == TC_V_FLOAT ? v->f : (double)v->i;
    return tc_value_is_number(v) ||
           tc_front_fail(e, b[0]->span, NULL,
                         "a number is needed, and this is %s",
                         tc_value_kind_text(v));
}

static bool rounded(tc_eval_ctx *e, const tc_args *args, double (*fn)(double),
                    tc_value *out) {
    double x;
    if (!as_double(e, args, &x)) {
        return false;
    }
    *out = tc_value_int(0);
    if (!(fabs(x) < 9e18)) {
        return tc_front_fail(e, args->span, NULL,
                             "the result does not fit in 64 bits");
    }
    out->i = (int64_t)fn(x);
    return true;
}

static bool ceiling(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return rounded(e, args, ceil, out);
}

static bool lowest(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return rounded(e, args, floor, out);
}

static bool log_2(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    double x = 1;
    bool ok = as_double(e, args, &x) &&
              (x > 0 || tc_front_fail(e, args->span, NULL, "log2 of %g", x));
    *out = tc_value_float(log2(x));
    return ok;
}

static bool square_root(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    double x = 0;
    bool ok = as_double(e, args, &x);
    *out = tc_value_float(sqrt(x));
    return ok;
}

static bool divisor(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    *out = tc_value_int(0);
    for (int i = 0; i < args->n; i++) {
        int64_t a = out->i, b;
        if (!tc_want_int(e, &args->items[i].value, args->items[i].span,
                         "an argument of gcd", &b)) {
            return false;
        }
        while (b != 0) {
            int64_t r = b == -1 ? 0 : a % b;
            a = b;
            b = r;
        }
        out->i = a == INT64_MIN ? a : a < 0 ? -a : a;
    }
    return true;
}

/* itertools.product of sequences. */
static bool products(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    tc_value *all = TC_NEW(e->arena, tc_value);
    int n = 1;
    all[0] = tc_value_items(TC_V_TUPLE, NULL, 0);
    for (int k = 0; k < args->n; k++) {
        const tc_value *items;
        int count;
        if (!tc_no_keywords(e, args) ||
            !tc_iterate(e, &args->items[k].value, args->items[k].span, &items,
                        &count)) {
            return false;
        }
        if (count > 0 && n > TC_MAX_ITEMS / count) {
            return tc_front_fail(e, args->span, NULL, "more than %d items",
                                 TC_MAX_ITEMS);
        }
        tc_value *longer = TC_NEWN(e->arena, tc_value, n * count + 1);
        for (int i = 0; i < n * count; i++) {
            tc_value one = tc_value_items(TC_V_TUPLE, &items[i % count], 1);
            if (!tc_arith_binary(e, TC_OP_ADD, &all[i / count], &one,
                                 args->span, &longer[i])) {
                return false;
            }
        }
        all = longer;
        n *= count;
    }
    *out = tc_value_items(TC_V_LIST, all, n);
    return true;
}

static bool data_type(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    *out = (tc_value){.kind = TC_V_DTYPE};
    return tc_bind_args(e, args, "dtype", 1, b) &&
           tc_want_dtype(e, &b[0]->value, b[0]->span, &out->dtype);
}

/* pytest.param(value, ..., id=, marks=) */
static bool param(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    tc_value *items = TC_NEWN(e->arena, tc_value, args->npositional + 1);
    for (int i = 0; i < args->npositional; i++) {
        items[i] = args->items[i].value;
    }
    *out = tc_value_items(TC_V_CASE, items, args->npositional);
    for (int i = args->npositional; i < args->n; i++) {
        const tc_arg *a = &args->items[i];
        if (strcmp(a->name, "id") == 0 && a->value.kind == TC_V_STRING) {
            out->s = a->value.s;
        }
    }
    return true;
}

static bool skip(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    *out = tc_value_none();
    e->python->skipped = args->n > 0 && args->items[0].value.kind == TC_V_STRING
                             ? args->items[0].value.s
                             : "it skips itself";
    e->python->flow = TC_FLOW_SKIP;
    return true;
}

static const struct {
    const char *name;
    tc_builtin_fn fn;
} functions[] = {
    {"math.prod", product},
    {"numpy.prod", product},
    {"functools.reduce", reduce},
    {"math.ceil", ceiling},
    {"math.floor", lowest},
    {"math.log2", log_2},
    {"math.sqrt", square_root},
    {"math.gcd", divisor},
    {"itertools.product", products},
    {"tvm.DataType", data_type},
    {"tvm.runtime.DataType", data_type},
    {"tvm.DataType.DataType", data_type},
    {"pytest.param", param},
    {"pytest.skip", skip},
};

static tc_builtin_fn find(const char *dotted) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, dotted) == 0) {
            return functions[i].fn;
        }
    }
    return NULL;
}

bool tc_foreign_is_known(const char *dotted) {
    return find(dotted) != NULL;
}

bool tc_call_foreign(tc_eval_ctx *e, const char *dotted, const tc_args *args,
                     tc_value *out) {
    tc_builtin_fn fn = find(dotted);
    bool all_here = true;
    for (int i = 0; i < args->n; i++) {
        all_here &= !is_foreign(&args->items[i].value);
    }
    if (fn != NULL && (all_here || fn == param)) {
        return fn(e, args, out);
    }
    size_t n = strlen(dotted);
    bool called = n > 2 && strcmp(dotted + n - 2, "()") == 0;
    *out =
        (tc_value){.kind = TC_V_FOREIGN,
                   .s = called ? dotted : tc_format(e->arena, "%s()", dotted)};
    return true;
}

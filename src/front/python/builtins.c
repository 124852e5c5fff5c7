/* builtins.c - Python's own functions on sequences, names and types. */
#include "front/python.h"

#include <math.h>
#include <string.h>

typedef struct value_list {
    tc_value *items;
    int n, cap;
} value_list;

static bool one_iterable(tc_eval_ctx *e, const tc_args *args,
                         const tc_value **items, int *n) {
    const tc_arg *b[1];
    return tc_bind_args(e, args, "iterable", 1, b) &&
           tc_iterate(e, &b[0]->value, b[0]->span, items, n);
}

static bool call_one(tc_eval_ctx *e, const tc_value *fn, const tc_value *given,
                     int n, tc_span span, tc_value *out) {
    tc_arg items[8];
    for (int i = 0; i < n; i++) {
        items[i] = (tc_arg){NULL, given[i], span};
    }
    tc_args args = {"the function", span, items, n, n};
    return tc_call_value(e, fn, &args, out);
}

bool tc_call_enumerate(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[2];
    const tc_value *items;
    int n;
    int64_t start = 0;
    if (!tc_bind_args(e, args, "iterable,start", 1, b) ||
        !tc_iterate(e, &b[0]->value, b[0]->span, &items, &n) ||
        (b[1] != NULL && !tc_want_int(e, &b[1]->value, b[1]->span,
                                      "the first number", &start))) {
        return false;
    }
    tc_value *all = TC_NEWN(e->arena, tc_value, n + 1);
    for (int i = 0; i < n; i++) {
        tc_value *pair = TC_NEWN(e->arena, tc_value, 2);
        pair[0] = tc_value_int(start + i);
        pair[1] = items[i];
        all[i] = tc_value_items(TC_V_TUPLE, pair, 2);
    }
    *out = tc_value_items(TC_V_LIST, all, n);
    return true;
}

/* The i-th elements of several sequences, up to the shortest. */
static bool together(tc_eval_ctx *e, const tc_args *args, int from,
                     const tc_value ***lists, int *count, int *shortest) {
    *count = args->npositional - from;
    *lists = TC_NEWN(e->arena, const tc_value *, *count + 1);
    *shortest = *count > 0 ? TC_MAX_ITEMS : 0;
    for (int i = 0; i < *count; i++) {
        const tc_arg *a = &args->items[from + i];
        int n;
        if (!tc_iterate(e, &a->value, a->span, &(*lists)[i], &n)) {
            return false;
        }
        *shortest = n < *shortest ? n : *shortest;
    }
    return true;
}

bool tc_call_zip(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_value **lists;
    int count, n;
    if (!together(e, args, 0, &lists, &count, &n)) {
        return false;
    }
    tc_value *all = TC_NEWN(e->arena, tc_value, n + 1);
    for (int i = 0; i < n; i++) {
        tc_value *row = TC_NEWN(e->arena, tc_value, count);
        for (int k = 0; k < count; k++) {
            row[k] = lists[k][i];
        }
        all[i] = tc_value_items(TC_V_TUPLE, row, count);
    }
    *out = tc_value_items(TC_V_LIST, all, n);
    return true;
}

bool tc_call_map(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_value **lists;
    int count, n;
    if (args->npositional < 2 || args->npositional > 8) {
        return tc_front_fail(e, args->span, NULL,
                             "map needs a function and a list");
    }
    if (!together(e, args, 1, &lists, &count, &n)) {
        return false;
    }
    tc_value *all = TC_NEWN(e->arena, tc_value, n + 1), row[8];
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < count; k++) {
            row[k] = lists[k][i];
        }
        if (!call_one(e, &args->items[0].value, row, count, args->span,
                      &all[i])) {
            return false;
        }
    }
    *out = tc_value_items(TC_V_LIST, all, n);
    return true;
}

bool tc_call_filter(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[2];
    const tc_value *items;
    value_list l = {0};
    int n;
    if (!tc_bind_args(e, args, "function,iterable", 2, b) ||
        !tc_iterate(e, &b[1]->value, b[1]->span, &items, &n)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        tc_value v = items[i];
        bool yes = false;
        if (b[0]->value.kind != TC_V_NONE &&
            !call_one(e, &b[0]->value, &items[i], 1, args->span, &v)) {
            return false;
        }
        if (tc_truth_of(&v, &yes) && yes) {
            TC_PUSH(e->arena, l.items, l.n, l.cap, items[i]);
        }
    }
    *out = tc_value_items(TC_V_LIST, l.items, l.n);
    return true;
}

bool tc_call_dict(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    value_list l = {0};
    for (int i = 0; i < args->npositional; i++) {
        const tc_value *v = &args->items[i].value;
        bool pairs = tc_value_is_sequence(v);
        if (v->kind != TC_V_DICT && !pairs) {
            return tc_front_fail(e, args->items[i].span, NULL,
                                 "a dict cannot be made of %s",
                                 tc_value_kind_text(v));
        }
        for (int k = 0; k < v->nitems; k++) {
            const tc_value *one = &v->items[k];
            if (!pairs) {
                TC_PUSH(e->arena, l.items, l.n, l.cap, *one);
                continue;
            }
            if (!tc_value_is_sequence(one) || one->nitems != 2) {
                return tc_front_fail(e, args->items[i].span, NULL,
                                     "a dict is made of pairs");
            }
            TC_PUSH(e->arena, l.items, l.n, l.cap, one->items[0]);
            TC_PUSH(e->arena, l.items, l.n, l.cap, one->items[1]);
        }
    }
    for (int i = args->npositional; i < args->n; i++) {
        TC_PUSH(e->arena, l.items, l.n, l.cap,
                tc_value_string(args->items[i].name));
        TC_PUSH(e->arena, l.items, l.n, l.cap, args->items[i].value);
    }
    *out = tc_value_items(TC_V_DICT, l.items, l.n);
    return true;
}

/* print(x) at the prompt shows x; several are shown as a tuple. In a file what
 * the host prints is passed over, but for the last line. */
bool tc_call_print(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    if (e->body != NULL) {
        return tc_front_fail(e, args->span, NULL,
                             "'print' in a kernel is not built yet");
    }
    *out = tc_value_foreign(e, "print", "");
    tc_value *items = TC_NEWN(e->arena, tc_value, args->npositional + 1);
    for (int i = 0; i < args->npositional; i++) {
        items[i] = args->items[i].value;
        if (items[i].kind == TC_V_FOREIGN) {
            return true;
        }
    }
    if (args->npositional == 1) {
        *out = items[0];
    } else if (args->npositional > 1) {
        *out = tc_value_items(TC_V_TUPLE, items, args->npositional);
    }
    return true;
}

static bool less(tc_eval_ctx *e, const tc_value *a, const tc_value *b,
                 tc_span span, bool *yes) {
    tc_value v;
    if (tc_value_is_sequence(a) && tc_value_is_sequence(b)) {
        for (int i = 0; i < a->nitems && i < b->nitems; i++) {
            int budget = 1000;
            if (!tc_value_equal(&a->items[i], &b->items[i], &budget)) {
                return less(e, &a->items[i], &b->items[i], span, yes);
            }
        }
        *yes = a->nitems < b->nitems;
        return true;
    }
    return tc_arith_binary(e, TC_OP_LT, a, b, span, &v) &&
           (*yes = v.i != 0, true);
}

/* sorted(x, key=, reverse=): by insertion, which keeps the order of equals. */
bool tc_call_sorted(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[3];
    const tc_value *items;
    int n;
    bool reverse = false;
    if (!tc_bind_args(e, args, "iterable,key,reverse", 1, b) ||
        !tc_iterate(e, &b[0]->value, b[0]->span, &items, &n) ||
        (b[2] != NULL &&
         !tc_want_bool(e, &b[2]->value, b[2]->span, "reverse", &reverse))) {
        return false;
    }
    if (n > 2000) {
        return tc_front_fail(e, args->span, NULL, "more than 2000 to sort");
    }
    tc_value *keys = TC_NEWN(e->arena, tc_value, n + 1);
    tc_value *all = TC_NEWN(e->arena, tc_value, n + 1);
    for (int i = 0; i < n; i++) {
        tc_value key = items[i];
        if (b[1] != NULL && b[1]->value.kind != TC_V_NONE &&
            !call_one(e, &b[1]->value, &items[i], 1, args->span, &key)) {
            return false;
        }
        int at = i;
        for (; at > 0; at--) {
            bool before;
            if (!less(e, reverse ? &keys[at - 1] : &key,
                      reverse ? &key : &keys[at - 1], args->span, &before)) {
                return false;
            }
            if (!before) {
                break;
            }
            keys[at] = keys[at - 1];
            all[at] = all[at - 1];
        }
        keys[at] = key;
        all[at] = items[i];
    }
    *out = tc_value_items(TC_V_LIST, all, n);
    return true;
}

bool tc_call_reversed(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_value *items;
    int n;
    if (!one_iterable(e, args, &items, &n)) {
        return false;
    }
    tc_value *all = TC_NEWN(e->arena, tc_value, n + 1);
    for (int i = 0; i < n; i++) {
        all[i] = items[n - 1 - i];
    }
    *out = tc_value_items(TC_V_LIST, all, n);
    return true;
}

static bool quantified(tc_eval_ctx *e, const tc_args *args, bool until,
                       tc_value *out) {
    const tc_value *items;
    int n;
    if (!one_iterable(e, args, &items, &n)) {
        return false;
    }
    *out = tc_value_bool(!until);
    for (int i = 0; i < n; i++) {
        bool truth;
        if (!tc_truth_of(&items[i], &truth)) {
            return tc_front_fail(e, args->span, NULL,
                                 "the condition has no value yet");
        }
        if (truth == until) {
            *out = tc_value_bool(until);
            return true;
        }
    }
    return true;
}

bool tc_call_any(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return quantified(e, args, true, out);
}

bool tc_call_all(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return quantified(e, args, false, out);
}

bool tc_call_set(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_value *items;
    value_list l = {0};
    int n = 0;
    if (args->n > 0 && !one_iterable(e, args, &items, &n)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        bool there = false;
        for (int k = 0; k < l.n && !there; k++) {
            int budget = 1000;
            there = tc_value_equal(&l.items[k], &items[i], &budget);
        }
        if (!there) {
            TC_PUSH(e->arena, l.items, l.n, l.cap, items[i]);
        }
    }
    *out = tc_value_items(TC_V_LIST, l.items, l.n);
    return true;
}

/* --- types ------------------------------------------------------------- */

static bool is_a(const tc_value *v, const char *type) {
    static const struct {
        const char *type;
        tc_value_kind kind;
    } table[] = {
        {"int", TC_V_INT},     {"int", TC_V_BOOL},   {"bool", TC_V_BOOL},
        {"float", TC_V_FLOAT}, {"str", TC_V_STRING}, {"tuple", TC_V_TUPLE},
        {"list", TC_V_LIST},   {"dict", TC_V_DICT},  {"slice", TC_V_SLICE}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].kind == v->kind && strcmp(table[i].type, type) == 0) {
            return true;
        }
    }
    if (v->kind != TC_V_LAYOUT) {
        return false;
    }
    const char *own = v->layout->kind == TC_LAYOUT_TILE      ? "TileLayout"
                      : v->layout->kind == TC_LAYOUT_SWIZZLE ? "SwizzleLayout"
                                                             : "ComposeLayout";
    return strcmp(type, own) == 0 || strcmp(type, "Layout") == 0;
}

bool tc_call_isinstance(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[2];
    if (!tc_bind_args(e, args, "object,type", 2, b)) {
        return false;
    }
    const tc_value *t = &b[1]->value;
    bool several = tc_value_is_sequence(t), yes = false;
    for (int i = 0; i < (several ? t->nitems : 1); i++) {
        const tc_value *one = several ? &t->items[i] : t;
        yes |= one->kind == TC_V_NAMESPACE && is_a(&b[0]->value, one->s);
    }
    *out = tc_value_bool(yes);
    return true;
}

static bool member(tc_eval_ctx *e, const tc_args *args, bool ask,
                   tc_value *out) {
    const tc_arg *b[3];
    const char *name;
    if (!tc_bind_args(e, args, "object,name,default", 2, b) ||
        !tc_want_string(e, &b[1]->value, b[1]->span, "the name", &name)) {
        return false;
    }
    tc_node holder = {
        .kind = TC_N_NAME, .span = b[0]->span, .s = "object of getattr"};
    tc_node attr = {.kind = TC_N_ATTR,
                    .span = args->span,
                    .a = &holder,
                    .s = name,
                    .name_span = b[1]->span};
    tc_env *outer = e->env;
    tc_diags quiet = {0}, *loud = e->front->diags;
    e->env = tc_env_child(e->arena, outer);
    tc_env_set(e->env, holder.s, &b[0]->value);
    e->front->diags = ask || b[2] != NULL ? &quiet : loud;
    bool ok = tc_eval_node(e, &attr, out);
    e->front->diags = loud;
    e->env = outer;
    if (ask) {
        *out = tc_value_bool(ok);
    } else if (!ok && b[2] != NULL) {
        *out = b[2]->value;
    }
    return ok || ask || b[2] != NULL;
}

bool tc_call_getattr(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return member(e, args, false, out);
}

bool tc_call_hasattr(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return member(e, args, true, out);
}

bool tc_call_repr(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    if (!tc_bind_args(e, args, "object", 1, b)) {
        return false;
    }
    tc_buf text = TC_BUF_INIT;
    tc_value_print(&text, &b[0]->value);
    *out = tc_value_string(tc_buf_finish(&text, e->arena));
    return true;
}

/* --- numbers ----------------------------------------------------------- */

bool tc_call_divmod(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[2];
    tc_value *pair = TC_NEWN(e->arena, tc_value, 2);
    *out = tc_value_items(TC_V_TUPLE, pair, 2);
    return tc_bind_args(e, args, "a,b", 2, b) &&
           tc_arith_binary(e, TC_OP_FLOORDIV, &b[0]->value, &b[1]->value,
                           args->span, &pair[0]) &&
           tc_arith_binary(e, TC_OP_MOD, &b[0]->value, &b[1]->value, args->span,
                           &pair[1]);
}

bool tc_call_round(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[2];
    int64_t digits = 0;
    if (!tc_bind_args(e, args, "number,ndigits", 1, b) ||
        (b[1] != NULL &&
         !tc_want_int(e, &b[1]->value, b[1]->span, "ndigits", &digits))) {
        return false;
    }
    const tc_value *v = &b[0]->value;
    *out = *v;
    if (v->kind != TC_V_FLOAT) {
        return tc_want_int(e, v, b[0]->span, "the argument of round", &out->i);
    }
    double scale = pow(10, (double)digits);
    double r = nearbyint(v->f * scale) / scale;
    *out = b[1] != NULL ? tc_value_float(r) : tc_value_int((int64_t)r);
    return fabs(r) < 9e18 || b[1] != NULL ||
           tc_front_fail(e, b[0]->span, NULL,
                         "the result does not fit in 64 bits");
}

bool tc_call_pow(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[2];
    return tc_bind_args(e, args, "base,exp", 2, b) &&
           tc_arith_binary(e, TC_OP_POW, &b[0]->value, &b[1]->value, args->span,
                           out);
}

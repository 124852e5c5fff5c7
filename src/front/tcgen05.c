/* tcgen05.c - T.ptx.tcgen05.*: tensor memory, its loads, stores and copies
 * (python/tvm/backend/cuda/op.py; PTX ISA 9.7.16). The IR has every argument,
 * in the order in which TVM keeps them. */
#include "front/internal.h"

#include <string.h>

/* How scripts spell the arguments; `required` come first. */
static const struct tcgen05_call {
    tc_op op;
    const char *names;
    int required;
} spellings[] = {
    {TC_OPC_PTX_TCGEN05_ALLOC, "dst_ptr,n_cols,cta_group", 2},
    {TC_OPC_PTX_TCGEN05_DEALLOC, "taddr,n_cols,cta_group", 2},
    {TC_OPC_PTX_TCGEN05_RELINQUISH, "cta_group", 0},
    {TC_OPC_PTX_TCGEN05_WAIT_LD, "", 0},
    {TC_OPC_PTX_TCGEN05_WAIT_ST, "", 0},
    {TC_OPC_PTX_TCGEN05_CP,
     "taddr,src_desc,shape,cta_group,multicast,decompress,row,col", 3},
    {TC_OPC_PTX_TCGEN05_COMMIT, "bar,cta_group,cta_mask,pred", 1},
    {TC_OPC_PTX_TCGEN05_FENCE_BEFORE, "", 0},
    {TC_OPC_PTX_TCGEN05_FENCE_AFTER, "", 0},
    {TC_OPC_PTX_TCGEN05_DESC, "desc,addr,ldo,sdo,swizzle", 5},
};

static const char *const cp_shapes[] = {"32x128b", "4x256b", "128x128b",
                                        "128x256b", "64x128b"};
static const char *const casts[] = {"", "warpx4", "warpx2::02_13",
                                    "warpx2::01_23"};
static const char *const decompressions[] = {"", "b8x16.b4x16_p64",
                                             "b8x16.b6x16_p32"};
static const char *const ld_shapes[] = {"16x32bx2", "16x64b", "16x128b",
                                        "16x256b", "32x32b"};

/* --- arguments by kind: a missing one gets its default ---------------------*/

static bool group(tc_eval_ctx *e, const tc_arg *arg, tc_expr **out) {
    static const int groups[] = {1, 2};
    *out = tc_int(e->arena, 1);
    return arg == NULL || tc_want_constant(e, arg, "cta_group", groups, 2, out);
}

static bool number(tc_eval_ctx *e, const tc_arg *arg, const char *what,
                   tc_expr **out) {
    *out = tc_int(e->arena, 0);
    if (arg == NULL) {
        return true;
    }
    if (!tc_want_expr(e, &arg->value, arg->span, what, out)) {
        return false;
    }
    tc_dtype_class c = tc_dtypes[(*out)->type].cls;
    return c == TC_CLASS_INT || c == TC_CLASS_UINT ||
           tc_front_fail(e, arg->span, NULL, "%s must be an integer, not %s",
                         what, tc_dtypes[(*out)->type].name);
}

static bool choice(tc_eval_ctx *e, const tc_arg *arg, const char *what,
                   const char *const *choices, int n, tc_expr **out) {
    const char *s = "";
    if (arg != NULL && !tc_want_string(e, &arg->value, arg->span, what, &s)) {
        return false;
    }
    tc_buf list = TC_BUF_INIT;
    for (int i = 0; i < n; i++) {
        if (strcmp(choices[i], s) == 0) {
            *out = tc_string(e->arena, choices[i]);
            tc_buf_free(&list);
            return true;
        }
        tc_buf_printf(&list, "%s\"%s\"",
                      i == 0      ? ""
                      : i + 1 < n ? ", "
                                  : " or ",
                      choices[i]);
    }
    const char *text = tc_buf_finish(&list, e->arena);
    return tc_front_fail(e, arg->span, NULL, "%s is \"%s\": it must be %s",
                         what, s, text);
}

/* --- ld and st -------------------------------------------------------------*/

typedef struct ldst {
    const tc_arg *row, *col, *shape, *num, *pack;
} ldst;

static bool keywords(tc_eval_ctx *e, const tc_args *args, bool load, ldst *k) {
    const char *const names[] = {"shape", "num", "row", "col",
                                 load ? "pack" : "unpack"};
    const tc_arg **into[] = {&k->shape, &k->num, &k->row, &k->col, &k->pack};
    for (int i = args->npositional; i < args->n; i++) {
        const tc_arg *arg = &args->items[i];
        int at = 0;
        while (at < 5 && strcmp(names[at], arg->name) != 0) {
            at++;
        }
        if (at == 5 || *into[at] != NULL) {
            return tc_front_fail(
                e, arg->span, tc_did_you_mean(e, arg->name, names, 5),
                at < 5 ? "argument '%s' is given twice"
                       : "%s has no argument '%s'",
                at < 5 ? arg->name : args->function, arg->name);
        }
        *into[at] = arg;
    }
    if (k->shape == NULL || k->num == NULL || args->npositional < 1) {
        return tc_front_fail(
            e, args->span,
            tc_format(e->arena, "%s(addr, r[0], shape=\"32x32b\", num=1)",
                      args->function),
            "%s needs %s", args->function,
            args->npositional < 1 ? "an address"
            : k->shape == NULL    ? "'shape'"
                                  : "'num'");
    }
    return true;
}

/* Registers: elements of a buffer, which ld writes. */
static bool registers(tc_eval_ctx *e, const tc_args *args, tc_expr **x) {
    for (int i = 1; i < args->npositional; i++) {
        const tc_arg *arg = &args->items[i];
        if (!tc_want_expr(e, &arg->value, arg->span, "the register",
                          &x[i - 1])) {
            return false;
        }
        if (x[i - 1]->kind != TC_E_LOAD) {
            return tc_front_fail(e, arg->span, "write r[0], r[1], ...",
                                 "register %d must be an element of a buffer",
                                 i - 1);
        }
    }
    return true;
}

static bool call_ldst(tc_eval_ctx *e, tc_op op, const tc_args *args,
                      tc_value *out) {
    ldst k = {0};
    bool load = op == TC_OPC_PTX_TCGEN05_LD, pack = false;
    int64_t num;
    if (args->npositional > 129) {
        return tc_front_fail(e, args->span, NULL,
                             "%s takes at most 128 registers, not %d",
                             args->function, args->npositional - 1);
    }
    tc_expr **x = TC_NEWN(e->arena, tc_expr *, args->npositional + 6);
    if (!keywords(e, args, load, &k) ||
        !number(e, &args->items[0], "the address", &x[0]) ||
        !number(e, k.row, "row", &x[1]) || !number(e, k.col, "col", &x[2]) ||
        !choice(e, k.shape, "shape", ld_shapes, 5, &x[3]) ||
        !tc_want_int(e, &k.num->value, k.num->span, "num", &num) ||
        (k.pack != NULL &&
         !tc_want_bool(e, &k.pack->value, k.pack->span, "pack", &pack)) ||
        !registers(e, args, x + 6)) {
        return false;
    }
    x[4] = tc_int(e->arena, num);
    x[5] = tc_int_t(e->arena, TC_BOOL, pack);
    *out =
        tc_value_expr(tc_call(e->arena, op, TC_VOID, x, args->npositional + 5));
    return true;
}

/* --- the others ------------------------------------------------------------*/

static bool check_cast(tc_eval_ctx *e, const tc_args *args, tc_expr *const *x) {
    const char *shape = x[2]->s, *cast = x[4]->s;
    bool one = strcmp(shape, "32x128b") == 0;
    bool two = strcmp(shape, "64x128b") == 0;
    const char *need = one   ? "\"warpx4\""
                       : two ? "\"warpx2::02_13\" or \"warpx2::01_23\""
                             : "\"\"";
    bool ok = one   ? strcmp(cast, "warpx4") == 0
              : two ? strncmp(cast, "warpx2", 6) == 0
                    : cast[0] == '\0';
    return ok || tc_front_fail(e, args->span, NULL,
                               "shape %s needs multicast=%s, not \"%s\"", shape,
                               need, cast);
}

static bool cp(tc_eval_ctx *e, const tc_args *args, const tc_arg *const *b,
               tc_expr **x) {
    return number(e, b[0], "taddr", &x[0]) &&
           number(e, b[1], "src_desc", &x[1]) &&
           choice(e, b[2], "shape", cp_shapes, 5, &x[2]) &&
           group(e, b[3], &x[3]) &&
           choice(e, b[4], "multicast", casts, 4, &x[4]) &&
           choice(e, b[5], "decompress", decompressions, 3, &x[5]) &&
           number(e, b[6], "row", &x[6]) && number(e, b[7], "col", &x[7]) &&
           check_cast(e, args, x);
}

static bool commit(tc_eval_ctx *e, const tc_arg *const *b, tc_expr **x) {
    return tc_want_pointer(e, b[0], "bar", &x[0]) && group(e, b[1], &x[1]) &&
           number(e, b[2], "cta_mask", &x[2]) &&
           (b[3] == NULL || b[3]->value.kind == TC_V_NONE ||
            number(e, b[3], "pred", &x[3]));
}

static bool descriptor(tc_eval_ctx *e, const tc_arg *const *b, tc_expr **x) {
    return tc_want_pointer(e, b[0], "desc", &x[0]) &&
           tc_want_pointer(e, b[1], "addr", &x[1]) &&
           number(e, b[2], "ldo", &x[2]) && number(e, b[3], "sdo", &x[3]) &&
           number(e, b[4], "swizzle", &x[4]);
}

static bool arguments(tc_eval_ctx *e, tc_op op, const tc_args *args,
                      const tc_arg *const *b, tc_expr **x) {
    switch (op) {
    case TC_OPC_PTX_TCGEN05_ALLOC:
        return tc_want_pointer(e, b[0], "dst_ptr", &x[0]) &&
               number(e, b[1], "n_cols", &x[1]) && group(e, b[2], &x[2]);
    case TC_OPC_PTX_TCGEN05_DEALLOC:
        return number(e, b[0], "taddr", &x[0]) &&
               number(e, b[1], "n_cols", &x[1]) && group(e, b[2], &x[2]);
    case TC_OPC_PTX_TCGEN05_RELINQUISH:
        return group(e, b[0], &x[0]);
    case TC_OPC_PTX_TCGEN05_CP:
        return cp(e, args, b, x);
    case TC_OPC_PTX_TCGEN05_COMMIT:
        return commit(e, b, x);
    case TC_OPC_PTX_TCGEN05_DESC:
        return descriptor(e, b, x);
    default:
        return true;
    }
}

bool tc_call_tcgen05(tc_eval_ctx *e, tc_op op, const tc_args *args,
                     tc_value *out) {
    const tc_arg *b[8] = {NULL};
    tc_expr *x[8] = {NULL};
    const struct tcgen05_call *s = spellings;
    int n = 0;
    if (op == TC_OPC_PTX_TCGEN05_LD || op == TC_OPC_PTX_TCGEN05_ST) {
        return call_ldst(e, op, args, out);
    }
    while (s->op != op && s + 1 < spellings + sizeof spellings / sizeof *s) {
        s++;
    }
    if (!tc_bind_args(e, args, s->names, s->required, b) ||
        !arguments(e, op, args, b, x)) {
        return false;
    }
    while (n < 8 && x[n] != NULL) {
        n++;
    }
    *out = tc_value_expr(tc_call(e->arena, op, TC_VOID, x, n));
    return true;
}

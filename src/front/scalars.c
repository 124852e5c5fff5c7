/* scalars.c - values the kernel computes: T.min, T.cast, T.if_then_else, ... */
#include "front/internal.h"

bool tc_call_meta_var(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    if (!tc_bind_args(e, args, "value", 1, b)) {
        return false;
    }
    *out = b[0]->value;
    out->meta = true;
    return true;
}

static bool two_exprs(tc_eval_ctx *e, const tc_args *args, tc_expr **x,
                      tc_expr **y) {
    const tc_arg *b[2];
    return tc_bind_args(e, args, "a,b", 2, b) &&
           tc_want_expr(e, &b[0]->value, b[0]->span, "the first operand", x) &&
           tc_want_expr(e, &b[1]->value, b[1]->span, "the second operand", y);
}

static bool is_number(tc_eval_ctx *e, const tc_expr *x, tc_span at) {
    return (x->type != TC_HANDLE && x->type != TC_VOID) ||
           tc_front_fail(e, at, NULL, "this works on numbers only");
}

static bool extreme(tc_eval_ctx *e, const tc_args *args, tc_binop op,
                    tc_value *out) {
    tc_expr *x, *y;
    if (!two_exprs(e, args, &x, &y) || !is_number(e, x, args->span) ||
        !is_number(e, y, args->span)) {
        return false;
    }
    *out = tc_value_expr(tc_binary(e->arena, op, x, y));
    return true;
}

bool tc_call_t_min(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return extreme(e, args, TC_MIN, out);
}

bool tc_call_t_max(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return extreme(e, args, TC_MAX, out);
}

/* T.floordiv(a, b) is a // b on run-time values, and so on. */
static bool operation(tc_eval_ctx *e, const tc_args *args, tc_token_op op,
                      tc_value *out) {
    tc_expr *x, *y;
    if (!two_exprs(e, args, &x, &y)) {
        return false;
    }
    tc_value a = tc_value_expr(x), b = tc_value_expr(y);
    return tc_arith_binary(e, op, &a, &b, args->span, out);
}

bool tc_call_floordiv(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return operation(e, args, TC_OP_FLOORDIV, out);
}

bool tc_call_floormod(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return operation(e, args, TC_OP_MOD, out);
}

/* (a + b - 1) // b */
bool tc_call_ceildiv(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    tc_expr *x, *y;
    if (!two_exprs(e, args, &x, &y)) {
        return false;
    }
    tc_value a = tc_value_expr(x), b = tc_value_expr(y);
    tc_value one = tc_value_int(1), sum;
    return tc_arith_binary(e, TC_OP_ADD, &a, &b, args->span, &sum) &&
           tc_arith_binary(e, TC_OP_SUB, &sum, &one, args->span, &sum) &&
           tc_arith_binary(e, TC_OP_FLOORDIV, &sum, &b, args->span, out);
}

bool tc_call_shift_left(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return operation(e, args, TC_OP_SHL, out);
}

bool tc_call_shift_right(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return operation(e, args, TC_OP_SHR, out);
}

bool tc_call_bitwise_and(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return operation(e, args, TC_OP_BITAND, out);
}

bool tc_call_bitwise_or(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return operation(e, args, TC_OP_BITOR, out);
}

bool tc_call_bitwise_xor(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return operation(e, args, TC_OP_BITXOR, out);
}

bool tc_call_bitwise_not(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    tc_expr *x;
    if (!tc_bind_args(e, args, "x", 1, b) ||
        !tc_want_expr(e, &b[0]->value, b[0]->span, "the operand", &x)) {
        return false;
    }
    tc_value v = tc_value_expr(x);
    return tc_arith_unary(e, TC_OP_INVERT, &v, args->span, out);
}

bool tc_call_cast(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[2];
    tc_expr *x;
    tc_dtype type;
    if (!tc_bind_args(e, args, "value,dtype", 2, b) ||
        !tc_want_expr(e, &b[0]->value, b[0]->span, "the value", &x) ||
        !tc_want_dtype(e, &b[1]->value, b[1]->span, &type) ||
        !is_number(e, x, args->span)) {
        return false;
    }
    if (type == TC_HANDLE) {
        return tc_front_fail(e, b[1]->span, NULL, "a cast to a pointer");
    }
    *out = tc_value_expr(tc_cast(e->arena, type, x));
    return true;
}

bool tc_call_if_then_else(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[3];
    tc_expr *c, *x, *y;
    if (!tc_bind_args(e, args, "cond,t,f", 3, b) ||
        !tc_want_condition(e, &b[0]->value, b[0]->span, &c) ||
        !tc_want_expr(e, &b[1]->value, b[1]->span, "the first choice", &x) ||
        !tc_want_expr(e, &b[2]->value, b[2]->span, "the second choice", &y) ||
        !is_number(e, x, args->span) || !is_number(e, y, args->span)) {
        return false;
    }
    *out = tc_value_expr(tc_select(e->arena, c, x, y));
    return true;
}

/* T.address_of(A[i, j]), T.address_of(A): a pointer to an element. */
bool tc_call_address_of(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    if (!tc_need_body(e, args->function, args->span) ||
        !tc_bind_args(e, args, "access", 1, b)) {
        return false;
    }
    const tc_value *v = &b[0]->value;
    tc_expr *x = NULL;
    if (v->kind == TC_V_EXPR && v->expr->kind == TC_E_LOAD) {
        x = tc_addr(e->arena, v->expr->mem.buffer, v->expr->mem.index,
                    v->expr->mem.n);
    } else if (v->kind == TC_V_BUFFER) {
        tc_expr *zero[TC_MAX_RANK];
        for (int i = 0; i < v->buffer->rank; i++) {
            zero[i] = tc_int(e->arena, 0);
        }
        x = tc_addr(e->arena, v->buffer, zero, v->buffer->rank);
    } else {
        return tc_front_fail(e, b[0]->span, "write T.address_of(A[0, 0])",
                             "an element of a buffer is needed, and this is %s",
                             tc_value_kind_text(v));
    }
    x->span = args->span;
    *out = tc_value_expr(x);
    return true;
}

bool tc_call_evaluate(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    tc_expr *x;
    if (!tc_need_body(e, args->function, args->span) ||
        !tc_bind_args(e, args, "value", 1, b) ||
        !tc_want_expr(e, &b[0]->value, b[0]->span, "the value", &x)) {
        return false;
    }
    *out = tc_value_expr(x);
    return true;
}

bool tc_call_buffer_store(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    *out = tc_value_none();
    return tc_front_fail(e, args->span, "write A[i, j] = value",
                         "'T.buffer_store' is not built yet");
}

bool tc_call_loop(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    *out = tc_value_none();
    return tc_front_fail(
        e, args->span,
        tc_format(e->arena, "write for i in %s(...):", args->function),
        "'%s' stands behind 'in' of a for", args->function);
}

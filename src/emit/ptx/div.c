/* div.c - floor division and modulo.
 *
 * PTX div and rem truncate, as C does (PTX ISA 9.7.1.8, 9.7.1.9). Floor
 * division differs where the remainder is not zero and the signs differ:
 * then the quotient is one less and the remainder gets the divisor added. */
#include "emit/ptx/ptx.h"

static bool fold_int(tc_pe e, tc_binop op, tc_val a, tc_val b, tc_val *out) {
    if (a.kind != TC_VAL_INT || b.kind != TC_VAL_INT) {
        return false;
    }
    const tc_expr *x = tc_binary(e->arena, op, tc_int_t(e->arena, a.type, a.i),
                                 tc_int_t(e->arena, b.type, b.i));
    *out = tc_pe_int(x->type, 0);
    return tc_expr_const(x, &out->i);
}

static tc_val op2(tc_pe e, const char *op, const char *suffix, tc_dtype t,
                  tc_val a, tc_val b) {
    tc_val r = tc_pe_temp(e, t);
    tc_pe_ins(e, "%s.%s \t%s, %s, %s", op, suffix, tc_pe_text(e, r),
              tc_pe_text(e, a), tc_pe_text(e, b));
    return r;
}

/* Two's complement: an arithmetic shift and a mask are floor operations for
 * every sign of a. */
static tc_val by_power_of_two(tc_pe e, tc_binop op, tc_dtype t, tc_val a,
                              int64_t d) {
    if (op == TC_FLOORMOD) {
        return op2(e, "and", tc_pe_bits(t), t, a, tc_pe_int(t, d - 1));
    }
    return op2(e, "shr", tc_pe_num(t), t, a,
               tc_pe_int(TC_INT32, __builtin_ctzll((uint64_t)d)));
}

/* The predicate "remainder r is not zero, and its sign is not b's". */
static tc_val sign_differs(tc_pe e, tc_dtype t, tc_val r, tc_val b) {
    tc_val p = tc_pe_temp(e, TC_BOOL);
    const char *num = tc_pe_num(t);
    if (b.kind == TC_VAL_INT) {
        tc_pe_ins(e, "setp.%s.%s \t%s, %s, 0", b.i > 0 ? "lt" : "gt", num,
                  tc_pe_text(e, p), tc_pe_text(e, r));
        return p;
    }
    tc_val q = tc_pe_temp(e, TC_BOOL), s = tc_pe_temp(e, TC_BOOL);
    tc_val x = op2(e, "xor", tc_pe_bits(t), t, r, b);
    tc_pe_ins(e, "setp.ne.%s \t%s, %s, 0", num, tc_pe_text(e, q),
              tc_pe_text(e, r));
    tc_pe_ins(e, "setp.lt.%s \t%s, %s, 0", num, tc_pe_text(e, s),
              tc_pe_text(e, x));
    tc_pe_ins(e, "and.pred \t%s, %s, %s", tc_pe_text(e, p), tc_pe_text(e, q),
              tc_pe_text(e, s));
    return p;
}

static tc_val exact(tc_pe e, tc_binop op, tc_dtype t, tc_val a, tc_val b) {
    const char *num = tc_pe_num(t);
    const char *add = tc_dtypes[t].bits == 64 ? "s64" : "s32";
    tc_val r = op2(e, "rem", num, t, a, b), fixed;
    tc_val p = sign_differs(e, t, r, b), out = tc_pe_temp(e, t);
    if (op == TC_FLOORDIV) {
        r = op2(e, "div", num, t, a, b);
        fixed = op2(e, "add", add, t, r, tc_pe_int(t, -1));
    } else {
        fixed = op2(e, "add", add, t, r, b);
    }
    tc_pe_ins(e, "selp.%s \t%s, %s, %s, %s", tc_pe_bits(t), tc_pe_text(e, out),
              tc_pe_text(e, fixed), tc_pe_text(e, r), tc_pe_text(e, p));
    return out;
}

static bool not_negative(tc_pe e, const tc_expr *x) {
    int64_t lo, hi;
    return tc_range_of(e->facts, x, &lo, &hi) && lo >= 0;
}

tc_val tc_pe_divmod(tc_pe e, const tc_expr *x) {
    tc_dtype t = x->type;
    tc_binop op = x->bin.op;
    tc_val a = tc_pe_expr(e, x->bin.a), b = tc_pe_expr(e, x->bin.b), known;
    if (fold_int(e, op, a, b, &known)) {
        return known;
    }
    a = tc_pe_in_reg(e, a);
    if (b.kind == TC_VAL_INT && b.i == 0) {
        tc_pe_fail(e, x->span, NULL, "this divides by zero");
        return a;
    }
    if (b.kind == TC_VAL_INT && b.i > 0 && (b.i & (b.i - 1)) == 0) {
        return by_power_of_two(e, op, t, a, b.i);
    }
    if (!tc_type_is_signed(t) ||
        (not_negative(e, x->bin.a) && not_negative(e, x->bin.b))) {
        return op2(e, op == TC_FLOORDIV ? "div" : "rem", tc_pe_num(t), t, a, b);
    }
    return tc_pe_wrap(e, exact(e, op, t, a, b));
}

/* expr.c - expressions as PTX instructions.
 *
 * Floating-point operations carry .rn, so that ptxas never contracts them and
 * the text has one meaning everywhere (PTX ISA 9.7.3: "no rounding modifier
 * ... may be optimized aggressively"). */
#include "emit/ptx/ptx.h"

#include <string.h>

static const char *compare_name(tc_binop op, bool is_float) {
    switch (op) {
    case TC_LT:
        return "lt";
    case TC_LE:
        return "le";
    case TC_GT:
        return "gt";
    case TC_GE:
        return "ge";
    case TC_EQ:
        return "eq";
    default: /* C's != is true where either side is NaN */
        return is_float ? "neu" : "ne";
    }
}

/* --- registers -------------------------------------------------------------*/

static const char *move_type(tc_val dst) {
    switch (dst.rc) {
    case TC_RC_B16:
        return "b16";
    case TC_RC_B32:
        return "u32";
    case TC_RC_B64:
        return "u64";
    case TC_RC_F32:
        return "f32";
    case TC_RC_F64:
        return "f64";
    default:
        return "pred";
    }
}

void tc_pe_assign(tc_pe e, tc_val dst, tc_val v) {
    if (dst.type == TC_HANDLE) {
        v = tc_pe_to_window(e, v, dst.window);
    }
    if (v.type == TC_BOOL && dst.rc == TC_RC_B32 && v.kind == TC_VAL_REG &&
        v.rc == TC_RC_PRED) {
        tc_pe_ins(e, "selp.b32 \t%s, 1, 0, %s", tc_pe_text(e, dst),
                  tc_pe_text(e, v));
    } else if (v.kind == TC_VAL_REG && v.window != TC_WIN_NONE && v.i != 0) {
        tc_pe_ins(e, "add.%s \t%s, %s, %lld",
                  dst.rc == TC_RC_B32 ? "s32" : "s64", tc_pe_text(e, dst),
                  tc_pe_text(e, v), (long long)v.i);
    } else {
        tc_pe_ins(e, "mov.%s \t%s, %s", move_type(dst), tc_pe_text(e, dst),
                  tc_pe_text(e, v));
        if (v.kind == TC_VAL_SYMBOL && v.i != 0) {
            tc_pe_ins(e, "add.%s \t%s, %s, %lld",
                      dst.rc == TC_RC_B32 ? "s32" : "s64", tc_pe_text(e, dst),
                      tc_pe_text(e, dst), (long long)v.i);
        }
    }
}

tc_val tc_pe_in_reg(tc_pe e, tc_val v) {
    bool displaced = v.window != TC_WIN_NONE && v.i != 0;
    if (v.kind == TC_VAL_REG && !displaced) {
        return v;
    }
    if (v.type == TC_BOOL && v.kind == TC_VAL_INT) {
        tc_val word = tc_pe_reg(e, TC_INT32, TC_RC_B32);
        tc_val p = tc_pe_temp(e, TC_BOOL);
        tc_pe_ins(e, "mov.u32 \t%s, %d", tc_pe_text(e, word), v.i != 0);
        tc_pe_ins(e, "setp.ne.s32 \t%s, %s, 0", tc_pe_text(e, p),
                  tc_pe_text(e, word));
        return p;
    }
    tc_val r = tc_pe_temp(e, v.type);
    if (v.type == TC_HANDLE) {
        r.rc = v.window == TC_WIN_SHARED ? TC_RC_B32 : TC_RC_B64;
        r = tc_pe_reg(e, v.type, r.rc);
        r.window = v.window;
    }
    tc_pe_assign(e, r, v);
    return r;
}

tc_val tc_pe_fixed(tc_pe e, tc_val v) {
    if (!v.shared_reg) {
        return v;
    }
    tc_val r = tc_pe_reg(e, v.type, v.rc);
    r.window = v.window;
    tc_pe_assign(e, r, v);
    return r;
}

/* --- operators -------------------------------------------------------------*/

static tc_val float_unop(tc_pe e, const char *op, tc_dtype t, tc_val a) {
    bool narrow = t == TC_FLOAT16 || t == TC_BFLOAT16;
    tc_val x = narrow ? tc_pe_as_f32(e, a) : tc_pe_in_reg(e, a);
    tc_val r = tc_pe_temp(e, narrow ? TC_FLOAT32 : t);
    tc_pe_ins(e, "%s.%s \t%s, %s", op, tc_pe_num(r.type), tc_pe_text(e, r),
              tc_pe_text(e, x));
    return narrow ? tc_pe_from_f32(e, t, r) : r;
}

/* Half precision: one operation in float32, rounded once more. For + - * / of
 * float16 and bfloat16 this gives the correctly rounded result, since 24 >=
 * 2 * 11 + 2 bits (Figueroa, "When is double rounding innocuous?"). */
static tc_val float_binop(tc_pe e, const char *op, tc_dtype t, tc_val a,
                          tc_val b) {
    bool narrow = t == TC_FLOAT16 || t == TC_BFLOAT16;
    if (narrow) {
        a = tc_pe_as_f32(e, a);
        b = tc_pe_as_f32(e, b);
    }
    tc_val r = tc_pe_temp(e, narrow ? TC_FLOAT32 : t);
    tc_pe_ins(e, "%s.%s \t%s, %s, %s", op, tc_pe_num(r.type), tc_pe_text(e, r),
              tc_pe_text(e, a), tc_pe_text(e, b));
    return narrow ? tc_pe_from_f32(e, t, r) : r;
}

/* d = a op b, in this order. */
static tc_val ordered_binop(tc_pe e, const char *op, const char *suffix,
                            tc_dtype t, tc_val a, tc_val b) {
    a = tc_pe_in_reg(e, a);
    tc_val r = tc_pe_temp(e, t);
    tc_pe_ins(e, "%s.%s \t%s, %s, %s", op, suffix, tc_pe_text(e, r),
              tc_pe_text(e, a), tc_pe_text(e, b));
    return tc_pe_wrap(e, r);
}

/* Of an operation that commutes: a constant goes last. */
static tc_val int_binop(tc_pe e, const char *op, const char *suffix, tc_dtype t,
                        tc_val a, tc_val b) {
    return a.kind == TC_VAL_INT ? ordered_binop(e, op, suffix, t, b, a)
                                : ordered_binop(e, op, suffix, t, a, b);
}

static int log2_of(int64_t v) {
    return v > 0 && (v & (v - 1)) == 0 ? __builtin_ctzll((uint64_t)v) : -1;
}

static tc_val multiply(tc_pe e, tc_dtype t, tc_val a, tc_val b) {
    if (a.kind == TC_VAL_INT) {
        tc_val swap = a;
        a = b;
        b = swap;
    }
    int shift = b.kind == TC_VAL_INT ? log2_of(b.i) : -1;
    if (shift >= 0 && shift < tc_dtypes[t].bits) {
        return ordered_binop(e, "shl", tc_pe_bits(t), t, a,
                             tc_pe_int(TC_INT32, shift));
    }
    return int_binop(e, "mul.lo", tc_pe_num(t), t, a, b);
}

static tc_val shift(tc_pe e, const tc_expr *x, tc_val a, tc_val b) {
    bool left = x->bin.op == TC_SHL;
    if (tc_dtypes[b.type].bits == 64) { /* the amount is always .u32 */
        b = tc_pe_cast(e, TC_UINT32, b);
    }
    return ordered_binop(e, left ? "shl" : "shr",
                         left ? tc_pe_bits(x->type) : tc_pe_num(x->type),
                         x->type, a, b);
}

static tc_val float_operator(tc_pe e, const tc_expr *x, tc_val a, tc_val b) {
    static const char *const names[] = {
        [TC_ADD] = "add.rn",     [TC_SUB] = "sub.rn", [TC_MUL] = "mul.rn",
        [TC_TRUEDIV] = "div.rn", [TC_MIN] = "min",    [TC_MAX] = "max"};
    tc_binop op = x->bin.op;
    if (op == TC_FLOORDIV) {
        return float_unop(e,
                          x->type == TC_FLOAT64 ? "cvt.rmi.f64" : "cvt.rmi.f32",
                          x->type, float_binop(e, "div.rn", x->type, a, b));
    }
    if (op == TC_FLOORMOD || op > TC_MAX) {
        tc_pe_fail(e, x->span, NULL,
                   "PTX text for this operator on %s is not built yet",
                   tc_dtypes[x->type].name);
        return a;
    }
    return float_binop(e, names[op], x->type, a, b);
}

static tc_val bool_operator(tc_pe e, const tc_expr *x, tc_val a, tc_val b) {
    const char *op =
        x->bin.op == TC_BITOR || x->bin.op == TC_OR || x->bin.op == TC_MAX
            ? "or"
        : x->bin.op == TC_BITXOR ? "xor"
                                 : "and";
    tc_val r = tc_pe_temp(e, TC_BOOL);
    a = tc_pe_in_reg(e, tc_pe_cast(e, TC_BOOL, a));
    b = tc_pe_in_reg(e, tc_pe_cast(e, TC_BOOL, b));
    tc_pe_ins(e, "%s.pred \t%s, %s, %s", op, tc_pe_text(e, r), tc_pe_text(e, a),
              tc_pe_text(e, b));
    return r;
}

/* The value of an integer operation on constants (a loop variable of an
 * unrolled loop is one), or one operand where the other changes nothing. */
static bool folded(tc_pe e, tc_binop op, tc_val a, tc_val b, tc_val *out) {
    int64_t v;
    if (a.kind == TC_VAL_INT && b.kind == TC_VAL_INT) {
        const tc_expr *x =
            tc_binary(e->arena, op, tc_int_t(e->arena, a.type, a.i),
                      tc_int_t(e->arena, b.type, b.i));
        *out = tc_pe_int(x->type, 0);
        return tc_expr_const(x, &out->i);
    }
    bool left = a.kind == TC_VAL_INT;
    v = left ? a.i : b.i;
    if ((!left && b.kind != TC_VAL_INT) || !tc_type_is_int(a.type)) {
        return false;
    }
    *out = left ? b : a;
    if (op == TC_MUL && v == 0) {
        *out = tc_pe_int(a.type, 0);
        return true;
    }
    return (op == TC_ADD && v == 0) || (op == TC_MUL && v == 1) ||
           (!left && v == 0 && (op == TC_SUB || op == TC_SHL || op == TC_SHR));
}

static tc_val arithmetic(tc_pe e, const tc_expr *x) {
    if ((x->bin.op == TC_FLOORDIV || x->bin.op == TC_FLOORMOD) &&
        tc_type_is_int(x->type)) {
        return tc_pe_divmod(e, x);
    }
    tc_val a = tc_pe_expr(e, x->bin.a);
    tc_val b = tc_pe_expr(e, x->bin.b);
    tc_val known;
    tc_dtype t = x->type;
    if (folded(e, x->bin.op, a, b, &known)) {
        return known;
    }
    if (tc_type_is_float(t)) {
        return float_operator(e, x, a, b);
    }
    if (!tc_type_is_int(t) || x->bin.op == TC_TRUEDIV) {
        tc_pe_fail(e, x->span,
                   x->bin.op == TC_TRUEDIV ? "use // for a floor division"
                                           : NULL,
                   "this operator does not take %s", tc_dtypes[t].name);
        return a;
    }
    const char *sum = tc_dtypes[t].bits == 64 ? "s64" : "s32";
    switch (x->bin.op) {
    case TC_ADD:
        return int_binop(e, "add", sum, t, a, b);
    case TC_SUB:
        return ordered_binop(e, "sub", sum, t, a, b);
    case TC_MUL:
        return multiply(e, t, a, b);
    case TC_MIN:
    case TC_MAX:
        return int_binop(e, x->bin.op == TC_MIN ? "min" : "max", tc_pe_num(t),
                         t, a, b);
    case TC_SHL:
    case TC_SHR:
        return shift(e, x, a, b);
    case TC_BITAND:
        return int_binop(e, "and", tc_pe_bits(t), t, a, b);
    case TC_BITOR:
        return int_binop(e, "or", tc_pe_bits(t), t, a, b);
    default:
        return int_binop(e, "xor", tc_pe_bits(t), t, a, b);
    }
}

static tc_val compare(tc_pe e, const tc_expr *x) {
    tc_dtype t = x->bin.a->type;
    tc_val a = tc_pe_expr(e, x->bin.a), b = tc_pe_expr(e, x->bin.b), known;
    if (folded(e, x->bin.op, a, b, &known)) {
        return known;
    }
    if (t == TC_BOOL) {
        a = tc_pe_cast(e, TC_INT32, a);
        b = tc_pe_cast(e, TC_INT32, b);
        t = TC_INT32;
    } else if (t == TC_FLOAT16 || t == TC_BFLOAT16) {
        a = tc_pe_as_f32(e, a);
        b = tc_pe_as_f32(e, b);
        t = TC_FLOAT32;
    } else if (t == TC_HANDLE) {
        a = tc_pe_in_reg(e, tc_pe_to_window(e, a, TC_WIN_GENERIC));
        b = tc_pe_in_reg(e, tc_pe_to_window(e, b, TC_WIN_GENERIC));
    }
    tc_val r = tc_pe_temp(e, TC_BOOL);
    tc_pe_ins(e, "setp.%s.%s \t%s, %s, %s",
              compare_name(x->bin.op, tc_type_is_float(t)), tc_pe_num(t),
              tc_pe_text(e, r), tc_pe_text(e, tc_pe_in_reg(e, a)),
              tc_pe_text(e, b));
    return r;
}

/* and, or: the right side is evaluated only where it decides, if it might
 * touch memory. */
static tc_val logic(tc_pe e, const tc_expr *x) {
    tc_val a = tc_pe_pred(e, x->bin.a);
    if (tc_expr_is_safe(e->facts, x->bin.b)) {
        return bool_operator(e, x, a, tc_pe_pred(e, x->bin.b));
    }
    int end = ++e->nlabels;
    bool is_and = x->bin.op == TC_AND;
    tc_val word = tc_pe_reg(e, TC_BOOL, TC_RC_B32);
    tc_pe_ins(e, "mov.u32 \t%s, %d", tc_pe_text(e, word), !is_and);
    tc_pe_ins(e, "@%s%s bra \t$L_%d", is_and ? "!" : "", tc_pe_text(e, a), end);
    tc_pe_assign(e, word, tc_pe_pred(e, x->bin.b));
    tc_pe_label(e, end);
    tc_val r = tc_pe_temp(e, TC_BOOL);
    tc_pe_ins(e, "setp.ne.s32 \t%s, %s, 0", tc_pe_text(e, r),
              tc_pe_text(e, word));
    return r;
}

static tc_val unary(tc_pe e, const tc_expr *x) {
    tc_val a = tc_pe_expr(e, x->un.a), r;
    if (x->un.op == TC_NOT) {
        a = tc_pe_in_reg(e, tc_pe_cast(e, TC_BOOL, a));
        r = tc_pe_temp(e, TC_BOOL);
        tc_pe_ins(e, "not.pred \t%s, %s", tc_pe_text(e, r), tc_pe_text(e, a));
        return r;
    }
    if (x->un.op == TC_NEG && tc_type_is_float(x->type)) {
        return float_unop(e, "neg", x->type, a);
    }
    if (!tc_type_is_int(x->type)) {
        tc_pe_fail(e, x->span, NULL, "this operator does not take %s",
                   tc_dtypes[x->type].name);
        return a;
    }
    r = tc_pe_temp(e, x->type);
    if (x->un.op == TC_NEG) {
        tc_pe_ins(e, "neg.%s \t%s, %s",
                  tc_dtypes[x->type].bits == 64 ? "s64" : "s32",
                  tc_pe_text(e, r), tc_pe_text(e, tc_pe_in_reg(e, a)));
    } else {
        tc_pe_ins(e, "not.%s \t%s, %s", tc_pe_bits(x->type), tc_pe_text(e, r),
                  tc_pe_text(e, tc_pe_in_reg(e, a)));
    }
    return tc_pe_wrap(e, r);
}

/* --- select ----------------------------------------------------------------*/

/* A register that can hold any value of x. Bool as 0 or 1. */
static tc_val holder(tc_pe e, const tc_expr *x) {
    if (x->type == TC_BOOL) {
        return tc_pe_reg(e, TC_BOOL, TC_RC_B32);
    }
    if (x->type != TC_HANDLE) {
        return tc_pe_temp(e, x->type);
    }
    tc_window w = tc_pointer_of(e->facts, x).window;
    tc_val r =
        tc_pe_reg(e, TC_HANDLE, w == TC_WIN_SHARED ? TC_RC_B32 : TC_RC_B64);
    r.window = w;
    return r;
}

static tc_val select_by_branch(tc_pe e, const tc_expr *x, tc_val p) {
    int otherwise = ++e->nlabels, end = ++e->nlabels;
    tc_val r = holder(e, x);
    tc_pe_ins(e, "@!%s bra \t$L_%d", tc_pe_text(e, p), otherwise);
    tc_pe_assign(e, r, tc_pe_expr(e, x->sel.a));
    tc_pe_ins(e, "bra \t$L_%d", end);
    tc_pe_label(e, otherwise);
    tc_pe_assign(e, r, tc_pe_expr(e, x->sel.b));
    tc_pe_label(e, end);
    if (x->type == TC_BOOL) {
        tc_val q = tc_pe_temp(e, TC_BOOL);
        tc_pe_ins(e, "setp.ne.s32 \t%s, %s, 0", tc_pe_text(e, q),
                  tc_pe_text(e, r));
        return q;
    }
    return r;
}

static tc_val select_value(tc_pe e, const tc_expr *x) {
    tc_val p = tc_pe_pred(e, x->sel.c);
    if (x->type == TC_BOOL || !tc_expr_is_safe(e->facts, x->sel.a) ||
        !tc_expr_is_safe(e->facts, x->sel.b)) {
        return select_by_branch(e, x, p);
    }
    tc_val r = holder(e, x), a = tc_pe_expr(e, x->sel.a),
           b = tc_pe_expr(e, x->sel.b);
    if (x->type == TC_HANDLE) {
        a = tc_pe_in_reg(e, tc_pe_to_window(e, a, r.window));
        b = tc_pe_in_reg(e, tc_pe_to_window(e, b, r.window));
    }
    const char *type = r.rc == TC_RC_B16   ? "b16"
                       : r.rc == TC_RC_B32 ? "b32"
                       : r.rc == TC_RC_B64 ? "b64"
                                           : tc_pe_num(x->type);
    tc_pe_ins(e, "selp.%s \t%s, %s, %s, %s", type, tc_pe_text(e, r),
              tc_pe_text(e, a), tc_pe_text(e, b), tc_pe_text(e, p));
    return r;
}

/* --- entry points ----------------------------------------------------------*/

tc_val tc_pe_pred(tc_pe e, const tc_expr *x) {
    return tc_pe_in_reg(e, tc_pe_cast(e, TC_BOOL, tc_pe_expr(e, x)));
}

static tc_val binary(tc_pe e, const tc_expr *x) {
    if (x->bin.op == TC_AND || x->bin.op == TC_OR) {
        return logic(e, x);
    }
    if (x->bin.op >= TC_LT && x->bin.op <= TC_NE) {
        return compare(e, x);
    }
    if (x->type == TC_BOOL &&
        ((x->bin.op >= TC_BITAND && x->bin.op <= TC_BITXOR) ||
         x->bin.op == TC_MIN || x->bin.op == TC_MAX)) {
        return bool_operator(e, x, tc_pe_expr(e, x->bin.a),
                             tc_pe_expr(e, x->bin.b));
    }
    return arithmetic(e, x);
}

tc_val tc_pe_expr(tc_pe e, const tc_expr *x) {
    if (e->failed) {
        return tc_pe_int(x->type, 0);
    }
    switch (x->kind) {
    case TC_E_INT:
        return tc_pe_int(x->type, x->i);
    case TC_E_FLOAT:
        if (!tc_type_is_float(x->type)) {
            break;
        }
        return (tc_val){.kind = TC_VAL_FLOAT, .type = x->type, .f = x->f};
    case TC_E_VAR:
        return tc_pe_var(e, x->var, x->span);
    case TC_E_UNARY:
        return unary(e, x);
    case TC_E_BINARY:
        return binary(e, x);
    case TC_E_SELECT:
        return select_value(e, x);
    case TC_E_CAST:
        return tc_pe_cast(e, x->type, tc_pe_expr(e, x->cast.a));
    case TC_E_LOAD:
        return tc_pe_load(e, x);
    case TC_E_ADDR:
        return tc_pe_addr(e, x->mem.buffer, x->mem.index, x->mem.n, x->span);
    case TC_E_CALL:
        return tc_pe_call(e, x);
    case TC_E_STRING:
        break;
    }
    tc_pe_fail(e, x->span, NULL, "a %s value here is not built yet for PTX",
               x->kind == TC_E_STRING ? "string" : tc_dtypes[x->type].name);
    return tc_pe_int(x->type, 0);
}

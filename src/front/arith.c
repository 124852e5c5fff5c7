/* arith.c - operators, on constants as Python computes them and on run-time
 * values as TVM does. */
#include "front/internal.h"

#include <math.h>
#include <string.h>

static bool overflow(tc_eval_ctx *e, tc_span span) {
    return tc_front_fail(e, span, NULL, "the result does not fit in 64 bits");
}

static bool by_zero(tc_eval_ctx *e, tc_span span) {
    return tc_front_fail(e, span, NULL, "division by zero");
}

static bool int_divide(tc_eval_ctx *e, bool mod, int64_t x, int64_t y,
                       tc_span span, int64_t *out) {
    if (y == 0) {
        return by_zero(e, span);
    }
    if (x == INT64_MIN && y == -1) {
        *out = 0;
        return mod || overflow(e, span);
    }
    int64_t q = x / y, r = x % y;
    bool adjust = r != 0 && (r < 0) != (y < 0);
    *out = mod ? r + (adjust ? y : 0) : q - adjust;
    return true;
}

static bool int_power(tc_eval_ctx *e, int64_t x, int64_t y, tc_span span,
                      int64_t *out) {
    *out = 1;
    if (x == 0 || x == 1 || x == -1) {
        *out = y == 0 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : x;
        return true;
    }
    for (; y > 0; y--) { /* at most 63 rounds before it overflows */
        if (__builtin_mul_overflow(*out, x, out)) {
            return overflow(e, span);
        }
    }
    return true;
}

static bool int_shift(tc_eval_ctx *e, bool left, int64_t x, int64_t y,
                      tc_span span, int64_t *out) {
    if (y < 0) {
        return tc_front_fail(e, span, NULL, "a shift by %lld", (long long)y);
    }
    if (!left) {
        *out = x >> (y > 63 ? 63 : y);
        return true;
    }
    if (x == 0) {
        *out = 0;
        return true;
    }
    if (y > 62 || __builtin_mul_overflow(x, INT64_C(1) << y, out)) {
        return overflow(e, span);
    }
    return true;
}

static bool int_op(tc_eval_ctx *e, tc_token_op op, int64_t x, int64_t y,
                   tc_span span, int64_t *out) {
    switch (op) {
    case TC_OP_ADD:
        return !__builtin_add_overflow(x, y, out) || overflow(e, span);
    case TC_OP_SUB:
        return !__builtin_sub_overflow(x, y, out) || overflow(e, span);
    case TC_OP_MUL:
        return !__builtin_mul_overflow(x, y, out) || overflow(e, span);
    case TC_OP_FLOORDIV:
    case TC_OP_MOD:
        return int_divide(e, op == TC_OP_MOD, x, y, span, out);
    case TC_OP_POW:
        return int_power(e, x, y, span, out);
    case TC_OP_SHL:
    case TC_OP_SHR:
        return int_shift(e, op == TC_OP_SHL, x, y, span, out);
    case TC_OP_BITAND:
        *out = x & y;
        return true;
    case TC_OP_BITOR:
        *out = x | y;
        return true;
    case TC_OP_BITXOR:
        *out = x ^ y;
        return true;
    default:
        return false;
    }
}

static bool float_op(tc_eval_ctx *e, tc_token_op op, double x, double y,
                     tc_span span, double *out) {
    bool divides = op == TC_OP_DIV || op == TC_OP_FLOORDIV || op == TC_OP_MOD;
    if (divides && y == 0) {
        return by_zero(e, span);
    }
    switch (op) {
    case TC_OP_ADD:
        *out = x + y;
        return true;
    case TC_OP_SUB:
        *out = x - y;
        return true;
    case TC_OP_MUL:
        *out = x * y;
        return true;
    case TC_OP_DIV:
        *out = x / y;
        return true;
    case TC_OP_FLOORDIV:
        *out = floor(x / y);
        return true;
    case TC_OP_MOD:
        *out = fmod(x, y);
        *out += *out != 0 && (*out < 0) != (y < 0) ? y : 0;
        return true;
    case TC_OP_POW:
        *out = pow(x, y);
        return true;
    default:
        return false;
    }
}

static double as_double(const tc_value *v) {
    return v->kind == TC_V_FLOAT ? v->f : (double)v->i;
}

static bool is_bitwise(tc_token_op op) {
    return op >= TC_OP_SHL && op <= TC_OP_BITXOR;
}

static bool unsupported(tc_eval_ctx *e, tc_token_op op, const tc_value *a,
                        const tc_value *b, tc_span span) {
    return tc_front_fail(e, span, NULL, "'%s' does not work between %s and %s",
                         tc_token_op_text(op), tc_value_kind_text(a),
                         tc_value_kind_text(b));
}

static bool number_op(tc_eval_ctx *e, tc_token_op op, const tc_value *a,
                      const tc_value *b, tc_span span, tc_value *out) {
    bool floats = a->kind == TC_V_FLOAT || b->kind == TC_V_FLOAT;
    bool real = op == TC_OP_DIV || (op == TC_OP_POW && b->i < 0 && !floats);
    if ((floats && is_bitwise(op)) || op == TC_OP_MATMUL) {
        return unsupported(e, op, a, b, span);
    }
    if (floats || real) {
        *out = tc_value_float(0);
        return float_op(e, op, as_double(a), as_double(b), span, &out->f);
    }
    *out = tc_value_int(0);
    if (a->kind == TC_V_BOOL && b->kind == TC_V_BOOL && op >= TC_OP_BITAND) {
        out->kind = TC_V_BOOL;
    }
    return int_op(e, op, a->i, b->i, span, &out->i);
}

/* --- comparing --------------------------------------------------------- */

enum { COMPARE_BUDGET = 1 << 20 };

static bool equals(tc_eval_ctx *e, const tc_value *a, const tc_value *b,
                   tc_span span, bool *out) {
    int budget = COMPARE_BUDGET;
    *out = tc_value_equal(a, b, &budget);
    return budget >= 0 ||
           tc_front_fail(e, span, NULL,
                         "these values are too large to compare");
}

/* -1, 0 or 1; 2 where there is no order. */
static int order(const tc_value *a, const tc_value *b, int *budget, int depth) {
    if (tc_value_is_number(a) && tc_value_is_number(b)) {
        if (a->kind != TC_V_FLOAT && b->kind != TC_V_FLOAT) {
            return (a->i > b->i) - (a->i < b->i);
        }
        double x = as_double(a), y = as_double(b);
        return (x > y) - (x < y);
    }
    if (a->kind == TC_V_STRING && b->kind == TC_V_STRING) {
        int c = strcmp(a->s, b->s);
        return (c > 0) - (c < 0);
    }
    if (a->kind != b->kind || !tc_value_is_sequence(a) || --*budget < 0 ||
        depth > TC_MAX_DEPTH) {
        return 2;
    }
    int n = a->nitems < b->nitems ? a->nitems : b->nitems;
    for (int i = 0; i < n; i++) {
        int c = order(&a->items[i], &b->items[i], budget, depth + 1);
        if (c != 0) {
            return c;
        }
    }
    return (a->nitems > b->nitems) - (a->nitems < b->nitems);
}

static bool contains(tc_eval_ctx *e, const tc_value *item, const tc_value *in,
                     tc_span span, bool *out) {
    *out = false;
    if (in->kind == TC_V_STRING && item->kind == TC_V_STRING) {
        *out = strstr(in->s, item->s) != NULL;
        return true;
    }
    if (!tc_value_is_sequence(in)) {
        return tc_front_fail(e, span, NULL, "'in' does not work on %s",
                             tc_value_kind_text(in));
    }
    for (int i = 0; i < in->nitems && !*out; i++) {
        if (!equals(e, item, &in->items[i], span, out)) {
            return false;
        }
    }
    return true;
}

static bool ordered(tc_eval_ctx *e, tc_token_op op, const tc_value *a,
                    const tc_value *b, tc_span span, bool *out) {
    int budget = COMPARE_BUDGET, c = order(a, b, &budget, 0);
    if (c == 2) {
        return unsupported(e, op, a, b, span);
    }
    *out = op == TC_OP_LT   ? c < 0
           : op == TC_OP_LE ? c <= 0
           : op == TC_OP_GT ? c > 0
                            : c >= 0;
    return true;
}

static bool compare(tc_eval_ctx *e, tc_token_op op, const tc_value *a,
                    const tc_value *b, tc_span span, tc_value *out) {
    bool yes = false, ok,
         negate = op == TC_OP_NE || op == TC_OP_NOTIN || op == TC_OP_ISNOT;
    switch (op) {
    case TC_OP_IN:
    case TC_OP_NOTIN:
        ok = contains(e, a, b, span, &yes);
        break;
    case TC_OP_EQ:
    case TC_OP_NE:
        ok = equals(e, a, b, span, &yes);
        break;
    case TC_OP_IS:
    case TC_OP_ISNOT:
        ok = equals(e, a, b, span, &yes);
        yes = yes && a->kind == b->kind;
        break;
    default:
        ok = ordered(e, op, a, b, span, &yes);
    }
    *out = tc_value_bool(ok && yes != negate);
    return ok;
}

/* --- sequences, strides, layouts --------------------------------------- */

static bool too_long(tc_eval_ctx *e, tc_span span) {
    return tc_front_fail(e, span, NULL, "a result of more than %d parts",
                         TC_MAX_ITEMS);
}

static bool concatenate(tc_eval_ctx *e, const tc_value *a, const tc_value *b,
                        tc_span span, tc_value *out) {
    int n = a->nitems + b->nitems;
    if (n > TC_MAX_ITEMS) {
        return too_long(e, span);
    }
    tc_value *items = TC_NEWN(e->arena, tc_value, n > 0 ? n : 1);
    if (a->nitems > 0) {
        memcpy(items, a->items, sizeof *items * (size_t)a->nitems);
    }
    if (b->nitems > 0) {
        memcpy(items + a->nitems, b->items, sizeof *items * (size_t)b->nitems);
    }
    *out = tc_value_items(a->kind, items, n);
    return true;
}

static bool join_strings(tc_eval_ctx *e, const tc_value *a, const tc_value *b,
                         tc_span span, tc_value *out) {
    if (strlen(a->s) + strlen(b->s) > TC_MAX_ITEMS) {
        return too_long(e, span);
    }
    *out = tc_value_string(tc_format(e->arena, "%s%s", a->s, b->s));
    return true;
}

static bool repeat(tc_eval_ctx *e, const tc_value *a, int64_t times,
                   tc_span span, tc_value *out) {
    int64_t unit = a->kind == TC_V_STRING ? (int64_t)strlen(a->s) : a->nitems;
    times = times < 0 ? 0 : times;
    if (unit > 0 && times > TC_MAX_ITEMS / unit) {
        return too_long(e, span);
    }
    if (a->kind == TC_V_STRING) {
        char *s = tc_alloc(e->arena, (size_t)(unit * times) + 1);
        for (int64_t i = 0; unit > 0 && i < times; i++) {
            memcpy(s + i * unit, a->s, (size_t)unit);
        }
        *out = tc_value_string(s);
        return true;
    }
    int n = unit > 0 ? (int)(unit * times) : 0;
    tc_value *items = TC_NEWN(e->arena, tc_value, n > 0 ? n : 1);
    for (int i = 0; i < n; i++) {
        items[i] = a->items[i % a->nitems];
    }
    *out = tc_value_items(a->kind, items, n);
    return true;
}

static bool has_length(const tc_value *v) {
    return v->kind == TC_V_STRING || tc_value_is_sequence(v);
}

static bool is_int(const tc_value *v) {
    return v->kind == TC_V_INT || v->kind == TC_V_BOOL;
}

static bool is_spec(const tc_value *v) {
    return v->kind == TC_V_SPEC || v->kind == TC_V_STRIDED;
}

/* stride @ axis; the axis may be a name. */
static bool strided(tc_eval_ctx *e, const tc_value *a, const tc_value *b,
                    tc_span span, tc_value *out) {
    *out = (tc_value){.kind = TC_V_STRIDED};
    return tc_want_int(e, a, span, "the stride before '@'", &out->i) &&
           tc_want_axis(e, b, span, &out->axis);
}

static bool other_op(tc_eval_ctx *e, tc_token_op op, const tc_value *a,
                     const tc_value *b, tc_span span, tc_value *out) {
    if (op == TC_OP_MATMUL && b->kind == TC_V_AXIS) {
        return strided(e, a, b, span, out);
    }
    if (op == TC_OP_ADD && (is_spec(a) || is_spec(b))) {
        return tc_spec_add(e, a, b, span, out);
    }
    if (op == TC_OP_ADD && a->kind == b->kind && has_length(a)) {
        return a->kind == TC_V_STRING ? join_strings(e, a, b, span, out)
                                      : concatenate(e, a, b, span, out);
    }
    if (op == TC_OP_MUL && has_length(a) && is_int(b)) {
        return repeat(e, a, b->i, span, out);
    }
    if (op == TC_OP_MUL && has_length(b) && is_int(a)) {
        return repeat(e, b, a->i, span, out);
    }
    return unsupported(e, op, a, b, span);
}

/* --- run-time values --------------------------------------------------- */

static bool ir_op(tc_token_op op, tc_binop *out) {
    static const struct {
        tc_token_op op;
        tc_binop ir;
    } table[] = {
        {TC_OP_ADD, TC_ADD},       {TC_OP_SUB, TC_SUB},
        {TC_OP_MUL, TC_MUL},       {TC_OP_FLOORDIV, TC_FLOORDIV},
        {TC_OP_MOD, TC_FLOORMOD},  {TC_OP_DIV, TC_TRUEDIV},
        {TC_OP_SHL, TC_SHL},       {TC_OP_SHR, TC_SHR},
        {TC_OP_BITAND, TC_BITAND}, {TC_OP_BITOR, TC_BITOR},
        {TC_OP_BITXOR, TC_BITXOR}, {TC_OP_LT, TC_LT},
        {TC_OP_LE, TC_LE},         {TC_OP_GT, TC_GT},
        {TC_OP_GE, TC_GE},         {TC_OP_EQ, TC_EQ},
        {TC_OP_NE, TC_NE},         {TC_OP_AND, TC_AND},
        {TC_OP_OR, TC_OR},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].op == op) {
            *out = table[i].ir;
            return true;
        }
    }
    return false;
}

static bool is_integer_type(tc_dtype t) {
    tc_dtype_class c = tc_dtypes[t].cls;
    return c == TC_CLASS_INT || c == TC_CLASS_UINT || c == TC_CLASS_BOOL;
}

/* What the kernel cannot compute, said before it is tried. */
static bool check_runtime(tc_eval_ctx *e, tc_token_op op, const tc_expr *x,
                          const tc_expr *y, tc_span span) {
    int64_t k;
    bool ints = is_integer_type(x->type) && is_integer_type(y->type);
    if (x->type == TC_HANDLE || y->type == TC_HANDLE) {
        return tc_front_fail(e, span, NULL,
                             "'%s' does not work on a pointer or a string",
                             tc_token_op_text(op));
    }
    if (op == TC_OP_DIV && ints) {
        return tc_front_fail(e, span, "write // for the floor of the quotient",
                             "'/' between integers has no integer result");
    }
    if (!ints && (is_bitwise(op) || op == TC_OP_MOD || op == TC_OP_FLOORDIV)) {
        return tc_front_fail(
            e, span, NULL, "'%s' needs integers, not %s", tc_token_op_text(op),
            tc_dtypes[is_integer_type(x->type) ? y->type : x->type].name);
    }
    if ((op == TC_OP_FLOORDIV || op == TC_OP_MOD) && tc_expr_const(y, &k) &&
        k == 0) {
        return by_zero(e, span);
    }
    return true;
}

static bool runtime_op(tc_eval_ctx *e, tc_token_op op, const tc_value *a,
                       const tc_value *b, tc_span span, tc_value *out) {
    tc_binop ir;
    tc_expr *x, *y;
    if (!ir_op(op, &ir) || !tc_can_be_expr(a) || !tc_can_be_expr(b)) {
        return unsupported(e, op, a, b, span);
    }
    if (!tc_want_expr(e, a, span, "the left operand", &x) ||
        !tc_want_expr(e, b, span, "the right operand", &y) ||
        !check_runtime(e, op, x, y, span)) {
        return false;
    }
    tc_expr *r = tc_binary(e->arena, ir, x, y);
    if (r != x && r != y) {
        r->span = span;
    }
    *out = tc_value_expr(r);
    return true;
}

static bool is_runtime(const tc_value *v) {
    return v->kind == TC_V_EXPR ||
           (v->kind == TC_V_BUFFER && v->buffer->scalar);
}

/* out may be one of the operands. */
bool tc_arith_binary(tc_eval_ctx *e, tc_token_op op, const tc_value *left,
                     const tc_value *right, tc_span span, tc_value *out) {
    tc_value copies[2] = {*left, *right};
    const tc_value *a = &copies[0], *b = &copies[1];
    bool identity = op == TC_OP_IS || op == TC_OP_ISNOT;
    if ((a->kind == TC_V_FOREIGN || b->kind == TC_V_FOREIGN) && !identity) {
        *out = a->kind == TC_V_FOREIGN ? *a : *b;
        return true;
    }
    if ((is_runtime(a) || is_runtime(b)) && !identity) {
        return runtime_op(e, op, a, b, span, out);
    }
    if (op >= TC_OP_LT && op <= TC_OP_ISNOT && op != TC_OP_AND &&
        op != TC_OP_OR && op != TC_OP_NOT) {
        return compare(e, op, a, b, span, out);
    }
    if (tc_value_is_number(a) && tc_value_is_number(b)) {
        return number_op(e, op, a, b, span, out);
    }
    return other_op(e, op, a, b, span, out);
}

static bool runtime_unary(tc_eval_ctx *e, tc_token_op op, const tc_value *a,
                          tc_span span, tc_value *out) {
    tc_expr *x;
    if (!tc_want_expr(e, a, span, "the operand", &x)) {
        return false;
    }
    if (x->type == TC_HANDLE ||
        (op == TC_OP_INVERT && !is_integer_type(x->type))) {
        return tc_front_fail(e, span, NULL, "'%s' does not work on %s",
                             tc_token_op_text(op), tc_dtypes[x->type].name);
    }
    if (op != TC_OP_POS) {
        tc_unop ir = op == TC_OP_NEG   ? TC_NEG
                     : op == TC_OP_NOT ? TC_NOT
                                       : TC_BITNOT;
        x = tc_unary(e->arena, ir, x);
        x->span = span;
    }
    *out = tc_value_expr(x);
    return true;
}

bool tc_arith_unary(tc_eval_ctx *e, tc_token_op op, const tc_value *operand,
                    tc_span span, tc_value *out) {
    tc_value copy = *operand;
    const tc_value *a = &copy;
    bool truth;
    if (is_runtime(a)) {
        return runtime_unary(e, op, a, span, out);
    }
    if (a->kind == TC_V_FOREIGN) {
        *out = *a;
        return true;
    }
    if (op == TC_OP_NOT && tc_truth_of(a, &truth)) {
        *out = tc_value_bool(!truth);
        return true;
    }
    if (!tc_value_is_number(a) ||
        (op == TC_OP_INVERT && a->kind == TC_V_FLOAT)) {
        return tc_front_fail(e, span, NULL, "'%s' does not work on %s",
                             tc_token_op_text(op), tc_value_kind_text(a));
    }
    if (a->kind == TC_V_FLOAT) {
        *out = tc_value_float(op == TC_OP_NEG ? -a->f : a->f);
        return true;
    }
    *out = tc_value_int(op == TC_OP_INVERT ? ~a->i : a->i);
    return op != TC_OP_NEG || !__builtin_sub_overflow(0, a->i, &out->i) ||
           overflow(e, span);
}

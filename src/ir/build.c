/* build.c - makers of IR nodes.
 *
 * Binary and unary makers fold constants the way TVM's operators do
 * (include/tvm/tir/op.h, const_fold.h) and give TVM's result types. A result
 * that does not fit its type is left unfolded. */
#include "ir/ir.h"

#include <math.h>
#include <string.h>

static tc_expr *expr_new(tc_arena *a, tc_expr_kind kind, tc_dtype type) {
    tc_expr *e = TC_NEW(a, tc_expr);
    e->kind = kind;
    e->type = type;
    return e;
}

tc_expr *tc_int(tc_arena *a, int64_t value) {
    return tc_int_t(a, TC_INT32, value);
}

tc_expr *tc_int_t(tc_arena *a, tc_dtype t, int64_t value) {
    tc_expr *e = expr_new(a, TC_E_INT, t);
    e->i = value;
    return e;
}

tc_expr *tc_float_t(tc_arena *a, tc_dtype t, double value) {
    tc_expr *e = expr_new(a, TC_E_FLOAT, t);
    e->f = value;
    return e;
}

tc_expr *tc_string(tc_arena *a, const char *s) {
    tc_expr *e = expr_new(a, TC_E_STRING, TC_HANDLE);
    e->s = s;
    return e;
}

tc_expr *tc_var_ref(tc_arena *a, tc_var *v) {
    tc_expr *e = expr_new(a, TC_E_VAR, v->type);
    e->var = v;
    e->span = v->span;
    return e;
}

bool tc_expr_const(const tc_expr *e, int64_t *out) {
    if (e->kind != TC_E_INT) {
        return false;
    }
    *out = e->i;
    return true;
}

/* --- types of results ------------------------------------------------------*/

static bool is_floating(tc_dtype t) {
    tc_dtype_class c = tc_dtypes[t].cls;
    return c == TC_CLASS_FLOAT || c == TC_CLASS_BFLOAT || c == TC_CLASS_FLOAT8;
}

/* BinaryOpMatchTypes of TVM (src/tir/op/op.cc): a float beats an int, the
 * wider beats the narrower, and of equally wide ints unsigned wins. */
static tc_dtype matched_type(tc_dtype x, tc_dtype y) {
    if (x == y) {
        return x;
    }
    if (is_floating(x) != is_floating(y)) {
        return is_floating(x) ? x : y;
    }
    if (x == TC_BOOL || y == TC_BOOL) {
        return x == TC_BOOL ? y : x;
    }
    if (tc_dtypes[x].bits != tc_dtypes[y].bits) {
        return tc_dtypes[x].bits > tc_dtypes[y].bits ? x : y;
    }
    return tc_dtypes[x].cls == TC_CLASS_UINT ? x : y;
}

static bool is_comparison(tc_binop op) {
    return op >= TC_LT && op <= TC_NE;
}

static bool fits(tc_dtype t, int64_t v) {
    int bits = tc_dtypes[t].bits;
    switch (tc_dtypes[t].cls) {
    case TC_CLASS_BOOL:
        return v == 0 || v == 1;
    case TC_CLASS_INT:
        return bits == 64 || (v >= -(INT64_C(1) << (bits - 1)) &&
                              v < (INT64_C(1) << (bits - 1)));
    case TC_CLASS_UINT:
        return v >= 0 && (bits == 64 || v < (INT64_C(1) << bits));
    default:
        return false;
    }
}

/* --- folding ---------------------------------------------------------------*/

static bool floor_div(int64_t x, int64_t y, int64_t *out) {
    if (y == 0 || (x == INT64_MIN && y == -1)) {
        return false;
    }
    *out = x / y - ((x % y != 0) && ((x < 0) != (y < 0)));
    return true;
}

static bool floor_mod(int64_t x, int64_t y, int64_t *out) {
    if (y == 0 || (x == INT64_MIN && y == -1)) {
        return false;
    }
    int64_t r = x % y;
    *out = r != 0 && ((r < 0) != (y < 0)) ? r + y : r;
    return true;
}

static bool shift(bool left, int64_t x, int64_t y, int64_t *out) {
    if (y < 0 || y > 62) {
        return false;
    }
    if (!left) {
        *out = x >> y;
        return true;
    }
    return !__builtin_mul_overflow(x, INT64_C(1) << y, out);
}

static bool fold_int(tc_binop op, int64_t x, int64_t y, int64_t *out) {
    switch (op) {
    case TC_ADD:
        return !__builtin_add_overflow(x, y, out);
    case TC_SUB:
        return !__builtin_sub_overflow(x, y, out);
    case TC_MUL:
        return !__builtin_mul_overflow(x, y, out);
    case TC_FLOORDIV:
        return floor_div(x, y, out);
    case TC_FLOORMOD:
        return floor_mod(x, y, out);
    case TC_TRUEDIV:
        return false;
    case TC_MIN:
        return *out = x < y ? x : y, true;
    case TC_MAX:
        return *out = x > y ? x : y, true;
    case TC_SHL:
        return shift(true, x, y, out);
    case TC_SHR:
        return shift(false, x, y, out);
    case TC_BITAND:
        return *out = x & y, true;
    case TC_BITOR:
        return *out = x | y, true;
    case TC_BITXOR:
        return *out = x ^ y, true;
    case TC_LT:
        return *out = x < y, true;
    case TC_LE:
        return *out = x <= y, true;
    case TC_GT:
        return *out = x > y, true;
    case TC_GE:
        return *out = x >= y, true;
    case TC_EQ:
        return *out = x == y, true;
    case TC_NE:
        return *out = x != y, true;
    case TC_AND:
        return *out = x && y, true;
    case TC_OR:
        return *out = x || y, true;
    }
    return false;
}

static bool fold_float(tc_binop op, double x, double y, double *out) {
    switch (op) {
    case TC_ADD:
        return *out = x + y, true;
    case TC_SUB:
        return *out = x - y, true;
    case TC_MUL:
        return *out = x * y, true;
    case TC_TRUEDIV:
        return *out = y != 0 ? x / y : 0, y != 0;
    case TC_MIN:
        return *out = x < y ? x : y, true;
    case TC_MAX:
        return *out = x > y ? x : y, true;
    default:
        return false;
    }
}

static bool is_int(const tc_expr *e, int64_t v) {
    return e->kind == TC_E_INT && e->i == v;
}

/* x + 0, x * 1, ... of one type. NULL when nothing applies. */
static tc_expr *identity(tc_arena *a, tc_binop op, tc_dtype t, tc_expr *x,
                         tc_expr *y) {
    if (x->type != t || y->type != t || is_floating(t)) {
        return NULL;
    }
    switch (op) {
    case TC_ADD:
        return is_int(x, 0) ? y : is_int(y, 0) ? x : NULL;
    case TC_SUB:
    case TC_SHL:
    case TC_SHR:
        return is_int(y, 0) ? x : NULL;
    case TC_MUL:
        if (is_int(x, 0) || is_int(y, 0)) {
            return tc_int_t(a, t, 0);
        }
        return is_int(x, 1) ? y : is_int(y, 1) ? x : NULL;
    case TC_FLOORDIV:
        return is_int(y, 1) ? x : NULL;
    case TC_FLOORMOD:
        return is_int(y, 1) ? tc_int_t(a, t, 0) : NULL;
    default:
        return NULL;
    }
}

static tc_span joined(const tc_expr *x, const tc_expr *y) {
    return tc_span_join(x->span, y->span);
}

static tc_expr *folded(tc_arena *a, tc_binop op, tc_dtype type, tc_expr *x,
                       tc_expr *y) {
    int64_t i;
    double f;
    if (x->kind == TC_E_INT && y->kind == TC_E_INT && !is_floating(type) &&
        fold_int(op, x->i, y->i, &i) && fits(type, i)) {
        return tc_int_t(a, type, i);
    }
    if (x->kind == TC_E_FLOAT && y->kind == TC_E_FLOAT &&
        (type == TC_FLOAT32 || type == TC_FLOAT64) &&
        fold_float(op, x->f, y->f, &f)) {
        return tc_float_t(a, type, type == TC_FLOAT32 ? (float)f : f);
    }
    return identity(a, op, type, x, y);
}

tc_expr *tc_binary(tc_arena *a, tc_binop op, tc_expr *x, tc_expr *y) {
    tc_span span = joined(x, y);
    bool logic = op == TC_AND || op == TC_OR;
    tc_dtype operands = logic ? TC_BOOL : matched_type(x->type, y->type);
    tc_dtype type = logic || is_comparison(op) ? TC_BOOL : operands;
    if (!logic) {
        x = tc_cast(a, operands, x);
        y = tc_cast(a, operands, y);
    }
    tc_expr *e = folded(a, op, type, x, y);
    if (e == NULL) {
        e = expr_new(a, TC_E_BINARY, type);
        e->bin.op = op;
        e->bin.a = x;
        e->bin.b = y;
        e->span = span;
    }
    return e;
}

tc_expr *tc_unary(tc_arena *a, tc_unop op, tc_expr *x) {
    int64_t v;
    tc_dtype type = op == TC_NOT ? TC_BOOL : x->type;
    if (x->kind == TC_E_FLOAT && op == TC_NEG) {
        return tc_float_t(a, type, -x->f);
    }
    if (x->kind == TC_E_INT) {
        bool ok = true;
        if (op == TC_NEG) {
            ok = !__builtin_sub_overflow(0, x->i, &v);
        } else {
            v = op == TC_NOT ? !x->i : ~x->i;
        }
        if (ok && fits(type, v)) {
            return tc_int_t(a, type, v);
        }
    }
    tc_expr *e = expr_new(a, TC_E_UNARY, type);
    e->un.op = op;
    e->un.a = x;
    e->span = x->span;
    return e;
}

tc_expr *tc_select(tc_arena *a, tc_expr *c, tc_expr *x, tc_expr *y) {
    int64_t known;
    tc_dtype type = matched_type(x->type, y->type);
    x = tc_cast(a, type, x);
    y = tc_cast(a, type, y);
    if (tc_expr_const(c, &known)) {
        return known ? x : y;
    }
    tc_expr *e = expr_new(a, TC_E_SELECT, type);
    e->sel.c = c;
    e->sel.a = x;
    e->sel.b = y;
    e->span = joined(c, y);
    return e;
}

/* A constant of type t with the value of x, or NULL. */
static tc_expr *cast_constant(tc_arena *a, tc_dtype t, const tc_expr *x) {
    if (x->kind == TC_E_INT && is_floating(t)) {
        return tc_float_t(a, t, (double)x->i);
    }
    if (x->kind == TC_E_INT && fits(t, x->i)) {
        return tc_int_t(a, t, x->i);
    }
    if (x->kind == TC_E_FLOAT && is_floating(t)) {
        return tc_float_t(a, t, t == TC_FLOAT32 ? (float)x->f : x->f);
    }
    if (x->kind == TC_E_FLOAT && fabs(x->f) < 9e18 && fits(t, (int64_t)x->f)) {
        return tc_int_t(a, t, (int64_t)x->f);
    }
    return NULL;
}

tc_expr *tc_cast(tc_arena *a, tc_dtype t, tc_expr *x) {
    if (x->type == t) {
        return x;
    }
    tc_expr *e = cast_constant(a, t, x);
    if (e == NULL) {
        e = expr_new(a, TC_E_CAST, t);
        e->cast.a = x;
    }
    e->span = x->span;
    return e;
}

static tc_expr **copied(tc_arena *a, tc_expr **items, int n) {
    tc_expr **out = TC_NEWN(a, tc_expr *, n > 0 ? n : 1);
    if (n > 0) {
        memcpy(out, items, sizeof *out * (size_t)n);
    }
    return out;
}

static tc_expr *access(tc_arena *a, tc_expr_kind kind, tc_dtype type,
                       tc_buffer *b, tc_expr **index, int n) {
    tc_expr *e = expr_new(a, kind, type);
    e->mem.buffer = b;
    e->mem.index = copied(a, index, n);
    e->mem.n = n;
    return e;
}

tc_expr *tc_load(tc_arena *a, tc_buffer *b, tc_expr **index, int n) {
    return access(a, TC_E_LOAD, b->type, b, index, n);
}

tc_expr *tc_addr(tc_arena *a, tc_buffer *b, tc_expr **index, int n) {
    return access(a, TC_E_ADDR, TC_HANDLE, b, index, n);
}

tc_expr *tc_call(tc_arena *a, tc_op op, tc_dtype type, tc_expr **args, int n) {
    tc_expr *e = expr_new(a, TC_E_CALL, type);
    e->call.op = op;
    e->call.args = copied(a, args, n);
    e->call.n = n;
    return e;
}

/* --- statements ------------------------------------------------------------*/

tc_stmt *tc_stmt_new(tc_arena *a, tc_stmt_kind kind, tc_span span) {
    tc_stmt *s = TC_NEW(a, tc_stmt);
    s->kind = kind;
    s->span = span;
    return s;
}

void tc_block_add(tc_block *b, tc_stmt *s) {
    if (b->last != NULL) {
        b->last->next = s;
    } else {
        b->first = s;
    }
    for (b->last = s; b->last->next != NULL;) {
        b->last = b->last->next;
    }
}

tc_stmt *tc_eval(tc_arena *a, tc_expr *e) {
    tc_stmt *s = tc_stmt_new(a, TC_S_EVAL, e->span);
    s->value = e;
    return s;
}

tc_stmt *tc_store(tc_arena *a, tc_buffer *b, tc_expr **index, int n,
                  tc_expr *value) {
    tc_stmt *s = tc_stmt_new(a, TC_S_STORE, value->span);
    s->buffer = b;
    s->index = copied(a, index, n);
    s->nindex = n;
    s->value = value;
    return s;
}

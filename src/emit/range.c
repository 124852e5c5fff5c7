/* range.c - bounds of integer expressions, for the cheap forms of floor
 * division and modulo, and what may be evaluated ahead of its condition. */
#include "emit/facts.h"

static bool type_range(tc_dtype t, int64_t *lo, int64_t *hi) {
    int bits = tc_dtypes[t].bits;
    if (tc_dtypes[t].cls == TC_CLASS_BOOL) {
        *lo = 0;
        *hi = 1;
        return true;
    }
    if (!tc_type_is_int(t) || (bits == 64 && !tc_type_is_signed(t))) {
        return false;
    }
    if (bits == 64) {
        *lo = INT64_MIN;
        *hi = INT64_MAX;
    } else if (tc_type_is_signed(t)) {
        *lo = -(INT64_C(1) << (bits - 1));
        *hi = (INT64_C(1) << (bits - 1)) - 1;
    } else {
        *lo = 0;
        *hi = (INT64_C(1) << bits) - 1;
    }
    return true;
}

static int64_t floor_div(int64_t x, int64_t y) {
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

static bool range_mul(int64_t a, int64_t b, int64_t c, int64_t d, int64_t *lo,
                      int64_t *hi) {
    int64_t p[4];
    if (__builtin_mul_overflow(a, c, &p[0]) ||
        __builtin_mul_overflow(a, d, &p[1]) ||
        __builtin_mul_overflow(b, c, &p[2]) ||
        __builtin_mul_overflow(b, d, &p[3])) {
        return false;
    }
    *lo = *hi = p[0];
    for (int i = 1; i < 4; i++) {
        *lo = p[i] < *lo ? p[i] : *lo;
        *hi = p[i] > *hi ? p[i] : *hi;
    }
    return true;
}

/* x in [a, b], y in [c, d]. */
static bool range_binary(tc_binop op, int64_t a, int64_t b, int64_t c,
                         int64_t d, int64_t *lo, int64_t *hi) {
    switch (op) {
    case TC_ADD:
        return !__builtin_add_overflow(a, c, lo) &&
               !__builtin_add_overflow(b, d, hi);
    case TC_SUB:
        return !__builtin_sub_overflow(a, d, lo) &&
               !__builtin_sub_overflow(b, c, hi);
    case TC_MUL:
        return range_mul(a, b, c, d, lo, hi);
    case TC_FLOORDIV:
        *lo = c == d && c > 0 ? floor_div(a, c) : 0;
        *hi = c == d && c > 0 ? floor_div(b, c) : 0;
        return c == d && c > 0;
    case TC_FLOORMOD:
        *lo = a >= 0 && b < c ? a : 0;
        *hi = a >= 0 && b < d - 1 ? b : d - 1;
        return c > 0;
    case TC_MIN:
        *lo = a < c ? a : c;
        *hi = b < d ? b : d;
        return true;
    case TC_MAX:
        *lo = a > c ? a : c;
        *hi = b > d ? b : d;
        return true;
    case TC_BITAND:
        *lo = 0;
        *hi = b < d ? b : d;
        return a >= 0 && c >= 0;
    case TC_SHR:
        *lo = a >= 0 && c >= 0 ? 0 : INT64_MIN;
        *hi = b;
        return a >= 0 && c >= 0;
    default:
        return false;
    }
}

static bool expr_range(tc_facts *f, const tc_expr *e, int64_t *lo,
                       int64_t *hi) {
    int64_t a, b, c, d;
    const tc_fact *fact;
    switch (e->kind) {
    case TC_E_INT:
        *lo = *hi = e->i;
        return true;
    case TC_E_VAR:
        if (e->var->lo != 0 || e->var->hi != 0) {
            *lo = e->var->lo;
            *hi = e->var->hi - 1;
            return e->var->hi > e->var->lo;
        }
        fact = tc_fact_of(f, e->var);
        break;
    case TC_E_LOAD:
        fact = tc_fact_of(f, e->mem.buffer);
        break;
    case TC_E_CAST:
        return tc_range_of(f, e->cast.a, lo, hi);
    case TC_E_BINARY:
        return e->bin.op <= TC_BITXOR && tc_range_of(f, e->bin.a, &a, &b) &&
               tc_range_of(f, e->bin.b, &c, &d) &&
               range_binary(e->bin.op, a, b, c, d, lo, hi);
    default:
        return false;
    }
    *lo = fact->lo;
    *hi = fact->hi;
    return fact->ranged;
}

bool tc_range_of(tc_facts *f, const tc_expr *e, int64_t *lo, int64_t *hi) {
    int64_t tlo, thi;
    if (!type_range(e->type, &tlo, &thi)) {
        return false;
    }
    /* An operation that may wrap leaves only the type's own bounds. */
    if (!expr_range(f, e, lo, hi) || *lo < tlo || *hi > thi) {
        *lo = tlo;
        *hi = thi;
    }
    return true;
}

void tc_fact_set_range(tc_facts *f, const void *key, const tc_expr *value) {
    tc_fact *fact = tc_fact_of(f, key);
    fact->ranged = tc_range_of(f, value, &fact->lo, &fact->hi);
}

bool tc_expr_is_safe(tc_facts *f, const tc_expr *e) {
    int64_t v;
    switch (e->kind) {
    case TC_E_UNARY:
        return tc_expr_is_safe(f, e->un.a);
    case TC_E_BINARY:
        if ((e->bin.op == TC_FLOORDIV || e->bin.op == TC_FLOORMOD) &&
            !tc_expr_const(e->bin.b, &v)) {
            return false;
        }
        return tc_expr_is_safe(f, e->bin.a) && tc_expr_is_safe(f, e->bin.b);
    case TC_E_SELECT:
        return tc_expr_is_safe(f, e->sel.c) && tc_expr_is_safe(f, e->sel.a) &&
               tc_expr_is_safe(f, e->sel.b);
    case TC_E_CAST:
        return tc_expr_is_safe(f, e->cast.a);
    case TC_E_LOAD:
        return tc_fact_of(f, e->mem.buffer)->in_registers;
    case TC_E_CALL:
        return false;
    default:
        return true;
    }
}

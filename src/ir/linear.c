/* linear.c - structural equality, ranges, and sums of products of exprs. */
#include "ir/linear.h"

#include <stdlib.h>
#include <string.h>

/* Deeper trees are left alone: an answer is always allowed to be "unknown". */
enum { DEPTH_LIMIT = 200 };

static bool equal(const tc_expr *x, const tc_expr *y, int depth);

static bool equal_lists(tc_expr *const *x, tc_expr *const *y, int n,
                        int depth) {
    for (int i = 0; i < n; i++) {
        if (!equal(x[i], y[i], depth)) {
            return false;
        }
    }
    return true;
}

static bool equal(const tc_expr *x, const tc_expr *y, int depth) {
    if (x == y) {
        return true;
    }
    if (x->kind != y->kind || x->type != y->type || depth > DEPTH_LIMIT) {
        return false;
    }
    switch (x->kind) {
    case TC_E_INT:
        return x->i == y->i;
    case TC_E_FLOAT:
        return x->f == y->f;
    case TC_E_STRING:
        return strcmp(x->s, y->s) == 0;
    case TC_E_VAR:
        return x->var == y->var;
    case TC_E_UNARY:
        return x->un.op == y->un.op && equal(x->un.a, y->un.a, depth + 1);
    case TC_E_BINARY:
        return x->bin.op == y->bin.op && equal(x->bin.a, y->bin.a, depth + 1) &&
               equal(x->bin.b, y->bin.b, depth + 1);
    case TC_E_SELECT:
        return equal(x->sel.c, y->sel.c, depth + 1) &&
               equal(x->sel.a, y->sel.a, depth + 1) &&
               equal(x->sel.b, y->sel.b, depth + 1);
    case TC_E_CAST:
        return equal(x->cast.a, y->cast.a, depth + 1);
    case TC_E_LOAD:
    case TC_E_ADDR:
        return x->mem.buffer == y->mem.buffer && x->mem.n == y->mem.n &&
               equal_lists(x->mem.index, y->mem.index, x->mem.n, depth + 1);
    case TC_E_CALL: /* a call may have effects: never the same */
        return false;
    }
    return false;
}

bool tc_expr_equal(const tc_expr *x, const tc_expr *y) {
    return equal(x, y, 0);
}

/* --- ranges ----------------------------------------------------------------*/

typedef struct span64 {
    int64_t lo, hi;
} span64;

static bool range(const tc_expr *e, span64 *out, int depth);

static int64_t floor_div(int64_t x, int64_t y) {
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

static bool range_mul(span64 x, span64 y, span64 *out) {
    int64_t p[4];
    if (__builtin_mul_overflow(x.lo, y.lo, &p[0]) ||
        __builtin_mul_overflow(x.lo, y.hi, &p[1]) ||
        __builtin_mul_overflow(x.hi, y.lo, &p[2]) ||
        __builtin_mul_overflow(x.hi, y.hi, &p[3])) {
        return false;
    }
    *out = (span64){p[0], p[0]};
    for (int i = 1; i < 4; i++) {
        out->lo = p[i] < out->lo ? p[i] : out->lo;
        out->hi = p[i] > out->hi ? p[i] : out->hi;
    }
    return true;
}

static bool range_binary(const tc_expr *e, span64 *out, int depth) {
    span64 x, y;
    bool kx = range(e->bin.a, &x, depth), ky = range(e->bin.b, &y, depth);
    switch (e->bin.op) {
    case TC_ADD:
        return kx && ky && !__builtin_add_overflow(x.lo, y.lo, &out->lo) &&
               !__builtin_add_overflow(x.hi, y.hi, &out->hi);
    case TC_SUB:
        return kx && ky && !__builtin_sub_overflow(x.lo, y.hi, &out->lo) &&
               !__builtin_sub_overflow(x.hi, y.lo, &out->hi);
    case TC_MUL:
        return kx && ky && range_mul(x, y, out);
    case TC_FLOORDIV:
        if (!kx || !ky || y.lo != y.hi || y.lo <= 0) {
            return false;
        }
        *out = (span64){floor_div(x.lo, y.lo), floor_div(x.hi, y.lo)};
        return true;
    case TC_FLOORMOD:
        if (!ky || y.lo != y.hi || y.lo <= 0) {
            return false;
        }
        *out = (span64){0, y.lo - 1};
        if (kx && x.lo >= 0 && x.hi < y.lo) {
            *out = x;
        }
        return true;
    case TC_BITAND:
        if (!ky || y.lo < 0) {
            return false;
        }
        *out = (span64){0, y.hi};
        return true;
    default:
        return false;
    }
}

static bool range(const tc_expr *e, span64 *out, int depth) {
    if (depth > DEPTH_LIMIT) {
        return false;
    }
    switch (e->kind) {
    case TC_E_INT:
        *out = (span64){e->i, e->i};
        return true;
    case TC_E_VAR:
        *out = (span64){e->var->lo, e->var->hi - 1};
        return e->var->lo < e->var->hi;
    case TC_E_BINARY:
        return range_binary(e, out, depth + 1);
    default:
        return false;
    }
}

bool tc_expr_range(const tc_expr *e, int64_t *lo, int64_t *hi) {
    span64 s;
    if (!range(e, &s, 0)) {
        return false;
    }
    *lo = s.lo;
    *hi = s.hi;
    return true;
}

/* --- sums ------------------------------------------------------------------*/

static bool add_term(tc_arena *a, tc_linear *l, tc_expr *atom, int64_t coef) {
    for (int i = 0; i < l->n; i++) {
        if (!tc_expr_equal(l->terms[i].atom, atom)) {
            continue;
        }
        if (__builtin_add_overflow(l->terms[i].coef, coef, &l->terms[i].coef)) {
            return false;
        }
        if (l->terms[i].coef == 0) {
            l->n--;
            memmove(&l->terms[i], &l->terms[i + 1],
                    sizeof *l->terms * (size_t)(l->n - i));
        }
        return true;
    }
    if (coef != 0) {
        TC_PUSH(a, l->terms, l->n, l->cap, ((tc_term){atom, coef}));
    }
    return true;
}

static bool add_expr(tc_arena *a, tc_linear *l, tc_expr *e, int64_t scale,
                     int depth) {
    int64_t k;
    if (depth > DEPTH_LIMIT) {
        return add_term(a, l, e, scale);
    }
    if (e->kind == TC_E_INT) {
        return !__builtin_mul_overflow(e->i, scale, &k) &&
               !__builtin_add_overflow(l->constant, k, &l->constant);
    }
    if (e->kind == TC_E_UNARY && e->un.op == TC_NEG) {
        return !__builtin_sub_overflow(0, scale, &k) &&
               add_expr(a, l, e->un.a, k, depth + 1);
    }
    if (e->kind != TC_E_BINARY) {
        return add_term(a, l, e, scale);
    }
    switch (e->bin.op) {
    case TC_ADD:
        return add_expr(a, l, e->bin.a, scale, depth + 1) &&
               add_expr(a, l, e->bin.b, scale, depth + 1);
    case TC_SUB:
        return add_expr(a, l, e->bin.a, scale, depth + 1) &&
               !__builtin_sub_overflow(0, scale, &k) &&
               add_expr(a, l, e->bin.b, k, depth + 1);
    case TC_MUL:
        if (e->bin.b->kind == TC_E_INT) {
            return !__builtin_mul_overflow(scale, e->bin.b->i, &k) &&
                   add_expr(a, l, e->bin.a, k, depth + 1);
        }
        if (e->bin.a->kind == TC_E_INT) {
            return !__builtin_mul_overflow(scale, e->bin.a->i, &k) &&
                   add_expr(a, l, e->bin.b, k, depth + 1);
        }
        return add_term(a, l, e, scale);
    default:
        return add_term(a, l, e, scale);
    }
}

bool tc_linear_of(tc_arena *a, tc_expr *e, tc_linear *out) {
    *out = (tc_linear){0};
    if (e->type != TC_INT32 && e->type != TC_INT64) {
        return false;
    }
    return add_expr(a, out, e, 1, 0);
}

int64_t tc_linear_gcd(const tc_linear *l) {
    int64_t g = 0;
    for (int i = 0; i < l->n; i++) {
        int64_t c = l->terms[i].coef;
        if (c == INT64_MIN) {
            return 1;
        }
        for (c = c < 0 ? -c : c; c != 0;) {
            int64_t rest = g % c;
            g = c;
            c = rest;
        }
    }
    return g;
}

/* Order of terms: the largest multiple first, as TVM's canonical form. */
static bool before(const tc_term *x, const tc_term *y) {
    uint64_t cx = x->coef < 0 ? -(uint64_t)x->coef : (uint64_t)x->coef;
    uint64_t cy = y->coef < 0 ? -(uint64_t)y->coef : (uint64_t)y->coef;
    return cx > cy;
}

static tc_expr *scaled(tc_arena *a, tc_dtype type, tc_expr *atom, int64_t k) {
    return k == 1 ? atom : tc_binary(a, TC_MUL, atom, tc_int_t(a, type, k));
}

tc_expr *tc_linear_expr(tc_arena *a, tc_dtype type, const tc_linear *l) {
    tc_term *t = TC_NEWN(a, tc_term, l->n + 1);
    for (int i = 0; i < l->n; i++) { /* stable insertion */
        int k = i;
        for (; k > 0 && before(&l->terms[i], &t[k - 1]); k--) {
            t[k] = t[k - 1];
        }
        t[k] = l->terms[i];
    }
    tc_expr *sum = NULL;
    for (int i = 0; i < l->n; i++) {
        bool minus = sum != NULL && t[i].coef < 0 && t[i].coef != INT64_MIN;
        tc_expr *x = scaled(a, type, t[i].atom, minus ? -t[i].coef : t[i].coef);
        sum = sum == NULL ? x : tc_binary(a, minus ? TC_SUB : TC_ADD, sum, x);
    }
    if (sum == NULL) {
        return tc_int_t(a, type, l->constant);
    }
    if (l->constant < 0 && l->constant != INT64_MIN) {
        return tc_binary(a, TC_SUB, sum, tc_int_t(a, type, -l->constant));
    }
    return tc_binary(a, TC_ADD, sum, tc_int_t(a, type, l->constant));
}

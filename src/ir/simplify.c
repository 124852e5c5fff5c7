/* simplify.c - the normal form of integer expressions.
 *
 * Every signed integer expression becomes a sum of multiples of atoms
 * (linear.h). Floor division and modulo by a positive constant split the sum
 * into the part that the divisor divides, a part that stays below it, and the
 * rest; the rules hold for all integers, negative ones too, since both are
 * floor operations (TVM: src/arith/canonical_simplify.cc has the same ones). */
#include "ir/linear.h"

enum { DEPTH_LIMIT = 120 };

static tc_expr *simplify(tc_arena *a, tc_expr *e, int depth);

static bool is_signed(const tc_expr *e) {
    return e->type == TC_INT32 || e->type == TC_INT64;
}

static int64_t floor_div(int64_t x, int64_t y) {
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

/* The range of a sum, term by term. */
static bool linear_range(const tc_linear *l, int64_t *lo, int64_t *hi) {
    *lo = *hi = l->constant;
    for (int i = 0; i < l->n; i++) {
        int64_t x, y, k = l->terms[i].coef;
        if (!tc_expr_range(l->terms[i].atom, &x, &y) ||
            __builtin_mul_overflow(x, k, &x) ||
            __builtin_mul_overflow(y, k, &y) ||
            __builtin_add_overflow(*lo, k > 0 ? x : y, lo) ||
            __builtin_add_overflow(*hi, k > 0 ? y : x, hi)) {
            return false;
        }
    }
    return true;
}

static bool within(const tc_linear *l, int64_t limit) {
    int64_t lo, hi;
    return linear_range(l, &lo, &hi) && lo >= 0 && hi < limit;
}

/* Splits l = divisor * q + r, r holding the coefficients that the divisor does
 * not divide, and the remainder of the constant. */
static void split(tc_arena *a, const tc_linear *l, int64_t divisor,
                  tc_linear *q, tc_linear *r) {
    *q = *r = (tc_linear){0};
    q->constant = floor_div(l->constant, divisor);
    r->constant = l->constant % divisor;
    r->constant += r->constant < 0 ? divisor : 0;
    for (int i = 0; i < l->n; i++) {
        tc_term t = l->terms[i];
        if (t.coef % divisor == 0) {
            t.coef /= divisor;
            TC_PUSH(a, q->terms, q->n, q->cap, t);
        } else {
            TC_PUSH(a, r->terms, r->n, r->cap, t);
        }
    }
}

/* A factor g of c for which l = g * x + y with y in [0, g): then l // c is
 * x // (c / g), and l % c is x % (c / g) * g + y. 1 when there is none. */
static int64_t small_part(tc_arena *a, const tc_linear *l, int64_t c,
                          tc_linear *x, tc_linear *y) {
    for (int i = 0; i < l->n; i++) {
        int64_t g = l->terms[i].coef;
        if (g == INT64_MIN || c % g != 0 || (g = g < 0 ? -g : g) == 1) {
            continue;
        }
        split(a, l, g, x, y);
        if (within(y, g)) {
            return g;
        }
    }
    return 1;
}

static tc_expr *div_atom(tc_arena *a, tc_dtype type, tc_expr *x, int64_t c) {
    int64_t inner;
    if (x->kind == TC_E_BINARY && x->bin.op == TC_FLOORDIV &&
        tc_expr_const(x->bin.b, &inner) && inner > 0 &&
        !__builtin_mul_overflow(inner, c, &inner)) { /* (x // b) // c */
        return div_atom(a, type, x->bin.a, inner);
    }
    return tc_binary(a, TC_FLOORDIV, x, tc_int_t(a, type, c));
}

static tc_expr *mod_atom(tc_arena *a, tc_dtype type, tc_expr *x, int64_t c) {
    int64_t inner;
    if (x->kind == TC_E_BINARY && x->bin.op == TC_FLOORMOD &&
        tc_expr_const(x->bin.b, &inner) && inner > 0 && inner % c == 0) {
        return mod_atom(a, type, x->bin.a, c); /* (x % b) % c, c divides b */
    }
    if (x->kind == TC_E_BINARY && x->bin.op == TC_FLOORDIV &&
        tc_expr_const(x->bin.b, &inner) && inner > 0 &&
        !__builtin_mul_overflow(inner, c, &c)) { /* (x // b) % c */
        return tc_binary(a, TC_FLOORDIV, mod_atom(a, type, x->bin.a, c),
                         x->bin.b);
    }
    return tc_binary(a, TC_FLOORMOD, x, tc_int_t(a, type, c));
}

static tc_expr *join(tc_arena *a, tc_dtype type, const tc_linear *q,
                     tc_expr *rest) {
    tc_expr *x = tc_linear_expr(a, type, q);
    tc_linear sum;
    tc_expr *both = tc_binary(a, TC_ADD, x, rest);
    return tc_linear_of(a, both, &sum) ? tc_linear_expr(a, type, &sum) : both;
}

static tc_expr *divide(tc_arena *a, tc_dtype type, const tc_linear *l,
                       int64_t c) {
    tc_linear q, r, x, y;
    split(a, l, c, &q, &r);
    if (r.n == 0 || within(&r, c)) {
        return tc_linear_expr(a, type, &q);
    }
    int64_t g = small_part(a, &r, c, &x, &y);
    if (g > 1) {
        return join(a, type, &q, divide(a, type, &x, c / g));
    }
    return join(a, type, &q, div_atom(a, type, tc_linear_expr(a, type, &r), c));
}

static tc_expr *modulo(tc_arena *a, tc_dtype type, const tc_linear *l,
                       int64_t c) {
    tc_linear q, r, x, y;
    split(a, l, c, &q, &r);
    if (r.n == 0 || within(&r, c)) {
        return tc_linear_expr(a, type, &r);
    }
    int64_t g = small_part(a, &r, c, &x, &y);
    if (g > 1) {
        tc_expr *high = modulo(a, type, &x, c / g);
        return join(a, type, &y,
                    tc_binary(a, TC_MUL, high, tc_int_t(a, type, g)));
    }
    for (int i = 0; i < r.n; i++) { /* k * x % c is (k % c) * x % c */
        int64_t k = r.terms[i].coef % c;
        r.terms[i].coef = k < 0 ? k + c : k;
    }
    return mod_atom(a, type, tc_linear_expr(a, type, &r), c);
}

/* --- x // c * c + x % c is x -----------------------------------------------*/

static bool is_by_const(const tc_expr *e, tc_binop op, int64_t *c) {
    return e->kind == TC_E_BINARY && e->bin.op == op &&
           tc_expr_const(e->bin.b, c) && *c > 0;
}

/* True when high is x // c for low's x % c. */
static bool is_quotient(tc_arena *a, const tc_expr *high, tc_expr *x,
                        int64_t c) {
    tc_linear l;
    if (!tc_linear_of(a, x, &l)) {
        return false;
    }
    return tc_expr_equal(high, divide(a, x->type, &l, c));
}

/* l without terms i and k, plus coef * x. */
static bool replace_pair(tc_arena *a, tc_linear *l, int i, int k, tc_expr *x,
                         int64_t coef) {
    tc_linear sum = {.constant = l->constant};
    for (int j = 0; j < l->n; j++) {
        if (j != i && j != k) {
            TC_PUSH(a, sum.terms, sum.n, sum.cap, l->terms[j]);
        }
    }
    tc_expr *all =
        tc_binary(a, TC_ADD, tc_linear_expr(a, x->type, &sum),
                  tc_binary(a, TC_MUL, x, tc_int_t(a, x->type, coef)));
    return tc_linear_of(a, all, l);
}

/* x // m * (m / b) + x % m // b is x // b: joins one such pair of l. */
static bool join_quotients(tc_arena *a, tc_linear *l) {
    for (int i = 0; i < l->n; i++) {
        int64_t b, m, n, want;
        tc_term low = l->terms[i];
        if (!is_by_const(low.atom, TC_FLOORDIV, &b) ||
            !is_by_const(low.atom->bin.a, TC_FLOORMOD, &m) || m % b != 0 ||
            __builtin_mul_overflow(low.coef, m / b, &want)) {
            continue;
        }
        tc_expr *x = low.atom->bin.a->bin.a;
        for (int k = 0; k < l->n; k++) {
            tc_expr *high = l->terms[k].atom;
            if (k != i && l->terms[k].coef == want &&
                is_by_const(high, TC_FLOORDIV, &n) && n == m &&
                tc_expr_equal(high->bin.a, x)) {
                return replace_pair(a, l, i, k, div_atom(a, x->type, x, b),
                                    low.coef);
            }
        }
    }
    return false;
}

/* Joins one pair of l; true when something changed. */
static bool recombine(tc_arena *a, tc_linear *l) {
    for (int i = 0; i < l->n; i++) {
        int64_t c, m, by, want;
        tc_term low = l->terms[i];
        if (!is_by_const(low.atom, TC_FLOORMOD, &c) ||
            __builtin_mul_overflow(low.coef, c, &want)) {
            continue;
        }
        tc_expr *x = low.atom->bin.a;
        for (int k = 0; k < l->n; k++) {
            tc_expr *high = l->terms[k].atom;
            tc_expr *whole = NULL;
            if (k == i || l->terms[k].coef != want) {
                continue;
            }
            if (is_quotient(a, high, x, c)) {
                whole = x;
            } else if (is_by_const(high, TC_FLOORDIV, &by) && by == c &&
                       is_by_const(high->bin.a, TC_FLOORMOD, &m) &&
                       m % c == 0 && tc_expr_equal(high->bin.a->bin.a, x)) {
                whole = high->bin.a; /* x % m // c * c + x % c */
            }
            if (whole == NULL) {
                continue;
            }
            return replace_pair(a, l, i, k, whole, low.coef);
        }
    }
    return join_quotients(a, l);
}

/* --- the walk --------------------------------------------------------------*/

static tc_expr *sum_of(tc_arena *a, tc_expr *e) {
    tc_linear l;
    if (!tc_linear_of(a, e, &l)) {
        return e;
    }
    for (int rounds = 0; rounds < 16 && recombine(a, &l); rounds++) {
    }
    return tc_linear_expr(a, e->type, &l);
}

static tc_expr *simplify_binary(tc_arena *a, tc_expr *e, int depth) {
    int64_t c;
    tc_linear l;
    tc_expr *x = simplify(a, e->bin.a, depth + 1);
    tc_expr *y = simplify(a, e->bin.b, depth + 1);
    if (is_signed(e) &&
        (e->bin.op == TC_FLOORDIV || e->bin.op == TC_FLOORMOD) &&
        tc_expr_const(y, &c) && c > 0 && tc_linear_of(a, x, &l)) {
        return e->bin.op == TC_FLOORDIV ? divide(a, e->type, &l, c)
                                        : modulo(a, e->type, &l, c);
    }
    tc_expr *out = tc_binary(a, e->bin.op, x, y);
    bool sum =
        e->bin.op == TC_ADD || e->bin.op == TC_SUB || e->bin.op == TC_MUL;
    return sum && is_signed(out) ? sum_of(a, out) : out;
}

static tc_expr **simplify_list(tc_arena *a, tc_expr **items, int n, int depth) {
    tc_expr **out = TC_NEWN(a, tc_expr *, n > 0 ? n : 1);
    for (int i = 0; i < n; i++) {
        out[i] = simplify(a, items[i], depth);
    }
    return out;
}

static tc_expr *simplify(tc_arena *a, tc_expr *e, int depth) {
    if (depth > DEPTH_LIMIT) {
        return e;
    }
    switch (e->kind) {
    case TC_E_UNARY: {
        tc_expr *x = tc_unary(a, e->un.op, simplify(a, e->un.a, depth + 1));
        return is_signed(x) ? sum_of(a, x) : x;
    }
    case TC_E_BINARY:
        return simplify_binary(a, e, depth);
    case TC_E_SELECT:
        return tc_select(a, simplify(a, e->sel.c, depth + 1),
                         simplify(a, e->sel.a, depth + 1),
                         simplify(a, e->sel.b, depth + 1));
    case TC_E_CAST:
        return tc_cast(a, e->type, simplify(a, e->cast.a, depth + 1));
    case TC_E_LOAD:
    case TC_E_ADDR: {
        tc_expr **index = simplify_list(a, e->mem.index, e->mem.n, depth + 1);
        return e->kind == TC_E_LOAD
                   ? tc_load(a, e->mem.buffer, index, e->mem.n)
                   : tc_addr(a, e->mem.buffer, index, e->mem.n);
    }
    case TC_E_CALL: {
        tc_expr **args = simplify_list(a, e->call.args, e->call.n, depth + 1);
        return tc_call(a, e->call.op, e->type, args, e->call.n);
    }
    default:
        return e;
    }
}

tc_expr *tc_simplify(tc_arena *a, tc_expr *e) {
    tc_expr *out = simplify(a, e, 0);
    if (out != e && out->span.source == NULL) {
        out->span = e->span;
    }
    return out;
}

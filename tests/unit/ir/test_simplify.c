/* test_simplify.c - tc_simplify keeps every value, and finds TVM's forms. */
#include "ir/linear.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { VARS = 4 };

typedef struct world {
    tc_arena *a;
    tc_var vars[VARS];
    int64_t values[VARS];
    uint64_t seed;
} world;

static uint64_t next(world *w) {
    w->seed ^= w->seed << 13;
    w->seed ^= w->seed >> 7;
    w->seed ^= w->seed << 17;
    return w->seed;
}

static int64_t pick(world *w, int64_t lo, int64_t hi) { /* inclusive */
    return lo + (int64_t)(next(w) % (uint64_t)(hi - lo + 1));
}

/* x has a known range from 0, y one that may be negative, z and n none. */
static void make(world *w) {
    static const char *const names[VARS] = {"x", "y", "z", "n"};
    *w = (world){.a = tc_arena_new(), .seed = 88172645463325252u};
    for (int i = 0; i < VARS; i++) {
        w->vars[i] = (tc_var){.name = names[i], .type = TC_INT32};
    }
    w->vars[0].hi = 128;
    w->vars[1].lo = -16;
    w->vars[1].hi = 8;
}

static void choose(world *w) {
    for (int i = 0; i < VARS; i++) {
        const tc_var *v = &w->vars[i];
        w->values[i] =
            v->lo < v->hi ? pick(w, v->lo, v->hi - 1) : pick(w, -300, 300);
    }
}

static tc_expr *random_expr(world *w, int depth) {
    static const int64_t divisors[] = {1, 2, 3, 4, 6, 8, 16, 32, 96, 128};
    tc_arena *a = w->a;
    if (depth == 0 || next(w) % 8 == 0) {
        return next(w) % 4 == 0 ? tc_int(a, pick(w, -40, 40))
                                : tc_var_ref(a, &w->vars[next(w) % VARS]);
    }
    tc_expr *x = random_expr(w, depth - 1);
    switch (next(w) % 8) {
    case 0:
    case 1:
        return tc_binary(a, TC_ADD, x, random_expr(w, depth - 1));
    case 2:
        return tc_binary(a, TC_SUB, x, random_expr(w, depth - 1));
    case 3:
        return tc_binary(a, TC_MUL, x, tc_int(a, pick(w, -9, 40)));
    case 4:
    case 5:
        return tc_binary(a, TC_FLOORDIV, x, tc_int(a, divisors[next(w) % 10]));
    case 6:
        return tc_binary(a, TC_FLOORMOD, x, tc_int(a, divisors[next(w) % 10]));
    default:
        return tc_unary(a, TC_NEG, x);
    }
}

static int64_t value_of(const world *w, const tc_expr *e) {
    int64_t x, y, q;
    if (e->kind == TC_E_INT) {
        return e->i;
    }
    if (e->kind == TC_E_VAR) {
        return w->values[e->var - w->vars];
    }
    if (e->kind == TC_E_UNARY) {
        return -value_of(w, e->un.a);
    }
    assert_int_equal(e->kind, TC_E_BINARY);
    x = value_of(w, e->bin.a);
    y = value_of(w, e->bin.b);
    switch (e->bin.op) {
    case TC_ADD:
        return x + y;
    case TC_SUB:
        return x - y;
    case TC_MUL:
        return x * y;
    case TC_FLOORDIV:
    case TC_FLOORMOD:
        q = x / y - (x % y != 0 && (x < 0) != (y < 0));
        return e->bin.op == TC_FLOORDIV ? q : x - q * y;
    default:
        fail();
        return 0;
    }
}

static void keeps_values(void **state) {
    (void)state;
    world w;
    make(&w);
    for (int i = 0; i < 20000; i++) {
        tc_arena *whole = w.a;
        w.a = tc_arena_new();
        tc_expr *e = random_expr(&w, 6);
        tc_expr *s = tc_simplify(w.a, e);
        tc_expr *twice = tc_simplify(w.a, s);
        for (int k = 0; k < 8; k++) {
            int64_t lo, hi;
            choose(&w);
            int64_t v = value_of(&w, e);
            if (v != value_of(&w, s) || v != value_of(&w, twice)) {
                tc_buf b = TC_BUF_INIT;
                tc_ir_print_expr(&b, e);
                tc_buf_puts(&b, "  became  ");
                tc_ir_print_expr(&b, s);
                print_error("%s\n", tc_buf_text(&b));
                tc_buf_free(&b);
                fail();
            }
            if (tc_expr_range(s, &lo, &hi)) {
                assert_true(lo <= v && v <= hi);
            }
        }
        tc_arena_free(w.a);
        w.a = whole;
    }
    tc_arena_free(w.a);
}

static tc_expr *op(world *w, tc_binop o, tc_expr *x, int64_t y) {
    return tc_binary(w->a, o, x, tc_int(w->a, y));
}

static void expect(world *w, tc_expr *e, const char *text) {
    tc_buf b = TC_BUF_INIT;
    tc_ir_print_expr(&b, tc_simplify(w->a, e));
    assert_string_equal(tc_buf_text(&b), text);
    tc_buf_free(&b);
}

/* Forms that TVM 0.25.0 prints for the same arithmetic. */
static void tvm_forms(void **state) {
    (void)state;
    world w;
    make(&w);
    tc_expr *x = tc_var_ref(w.a, &w.vars[0]), *z = tc_var_ref(w.a, &w.vars[2]);
    /* ((z * 128 + x) * 8) // 32 * 32 + ((z * 128 + x) * 8) % 32 */
    tc_expr *t =
        op(&w, TC_MUL, tc_binary(w.a, TC_ADD, op(&w, TC_MUL, z, 128), x), 8);
    expect(&w,
           tc_binary(w.a, TC_ADD,
                     op(&w, TC_MUL, op(&w, TC_FLOORDIV, t, 32), 32),
                     op(&w, TC_FLOORMOD, t, 32)),
           "z * 1024 + x * 8");
    /* dispatch-1-00180: f * 8 rows of 34, 16 threads each */
    tc_expr *row = tc_binary(w.a, TC_ADD, op(&w, TC_MUL, z, 8),
                             op(&w, TC_FLOORDIV, x, 16));
    expect(&w,
           tc_binary(w.a, TC_ADD,
                     tc_binary(w.a, TC_ADD, op(&w, TC_MUL, row, 34),
                               op(&w, TC_MUL, op(&w, TC_FLOORMOD, x, 16), 2)),
                     tc_int(w.a, 104448)),
           "z * 272 + x // 16 * 34 + x % 16 * 2 + 104448");
    /* (i - 1) % 2 is (i + 1) % 2 */
    expect(&w, op(&w, TC_FLOORMOD, op(&w, TC_SUB, z, 1), 2), "(z + 1) % 2");
    /* B[(i - 1) * 128 + tid, j] of rows of 32 */
    expect(&w,
           tc_binary(w.a, TC_ADD,
                     op(&w, TC_MUL,
                        tc_binary(w.a, TC_ADD,
                                  op(&w, TC_MUL, op(&w, TC_SUB, z, 1), 128), x),
                        32),
                     tc_var_ref(w.a, &w.vars[3])),
           "z * 4096 + x * 32 + n - 4096");
    expect(&w, op(&w, TC_FLOORDIV, op(&w, TC_FLOORDIV, z, 4), 8), "z // 32");
    expect(&w, op(&w, TC_FLOORMOD, x, 128), "x");
    expect(&w, op(&w, TC_FLOORDIV, x, 128), "0");
    tc_arena_free(w.a);
}

static void extremes(void **state) {
    (void)state;
    world w;
    make(&w);
    tc_expr *z = tc_var_ref(w.a, &w.vars[2]);
    tc_expr *big = tc_int_t(w.a, TC_INT64, INT64_MAX);
    tc_expr *e = tc_cast(w.a, TC_INT64, z);
    for (int i = 0; i < 300; i++) { /* overflow and depth leave it alone */
        e = tc_binary(w.a, TC_ADD, tc_binary(w.a, TC_MUL, e, big), big);
    }
    assert_non_null(tc_simplify(w.a, e));
    tc_expr *min = tc_int_t(w.a, TC_INT64, INT64_MIN);
    e = tc_binary(w.a, TC_SUB, tc_cast(w.a, TC_INT64, z), min);
    assert_non_null(tc_simplify(
        w.a, tc_binary(w.a, TC_FLOORMOD, e, tc_int_t(w.a, TC_INT64, 3))));
    tc_arena_free(w.a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_values),
        cmocka_unit_test(tvm_forms),
        cmocka_unit_test(extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

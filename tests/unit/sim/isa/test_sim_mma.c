/* test_sim_mma.c - mma: every form, against a product of matrices on the host.
 * Where an element is in the registers follows the figures of PTX ISA 9.7.14.5,
 * written down here as that section words them. All values are small integers,
 * so that every sum is exact in any order. */
#include "mma_cases.h"
#include "sim_program.h"

/* ---- where element i of a lane's registers is ---- */

typedef struct at {
    uint32_t row, col;
} at;

/* e: elements in 32 bits; .f64 counts as one. */
static at place_a(uint32_t m, kind t, uint32_t lane, uint32_t i) {
    uint32_t group = lane >> 2, in = lane % 4;
    uint32_t e = kinds[t].bits < 32 ? 32 / kinds[t].bits : 1;
    if (m == 8) {
        return (at){group, in * e + i};
    }
    if (t == F64) {
        return (at){i % 2 == 0 ? group : group + 8, i / 2 * 4 + in};
    }
    bool upper = i < e || (2 * e <= i && i < 3 * e);
    return (at){upper ? group : group + 8,
                in * e + i % e + (i < 2 * e ? 0 : 4 * e)};
}

static at place_b(kind t, uint32_t lane, uint32_t i) {
    uint32_t group = lane >> 2, in = lane % 4;
    uint32_t e = kinds[t].bits < 32 ? 32 / kinds[t].bits : 1;
    if (t == F64) {
        return (at){in + i * 4, group};
    }
    return (at){in * e + i % e + (i < e ? 0 : 4 * e), group};
}

static at place_c(uint32_t lane, uint32_t i) {
    uint32_t group = lane >> 2, in = lane % 4;
    return (at){i < 2 ? group : group + 8, in * 2 + (i & 1)};
}

/* m8n8k4 of .f16: lanes 4 q to 4 q + 3 and those 16 above have product q. */
static at volta_a(bool row, uint32_t lane, uint32_t i) {
    if (row) {
        return (at){lane < 16 ? lane % 4 : lane % 4 + 4, i};
    }
    return (at){lane < 16 ? i % 4 : i % 4 + 4, lane % 4};
}
static at volta_b(bool row, uint32_t lane, uint32_t i) {
    if (row) {
        return (at){lane % 4, lane < 16 ? i : i + 4};
    }
    return (at){i, lane < 16 ? lane % 4 : lane % 4 + 4};
}
static at volta_c(kind t, uint32_t lane, uint32_t i) {
    if (t == F16) {
        return (at){lane < 16 ? lane % 4 : lane % 4 + 4, i};
    }
    uint32_t x = (lane & 1) + (i & 2);
    return (at){lane < 16 ? x : x + 4, (i & 4) + (lane & 2) + (i & 1)};
}

static at place(const mma_form *f, char which, uint32_t lane, uint32_t i) {
    if (mma_is_volta(f)) {
        return which == 'a'   ? volta_a(f->layouts[1] == 'r', lane, i)
               : which == 'b' ? volta_b(f->layouts[5] == 'r', lane, i)
                              : volta_c(which == 'c' ? f->c : f->d, lane, i);
    }
    return which == 'a'   ? place_a(f->m, f->a, lane, i)
           : which == 'b' ? place_b(f->b, lane, i)
                          : place_c(lane, i);
}

/* ---- one form ---- */

typedef struct matrices {
    int64_t a[4][16][256], b[4][256][8], c[4][16][8];
} matrices;

static int64_t *cell(matrices *x, char which, uint32_t q, at p) {
    return which == 'a'   ? &x->a[q][p.row][p.col]
           : which == 'b' ? &x->b[q][p.row][p.col]
                          : &x->c[q][p.row][p.col];
}

/* Draws a matrix and puts it where lanes have it. */
static void deal(const mma_form *f, matrices *x, char which, kind t,
                 uint8_t *out) {
    uint32_t n = mma_elements(f, which), bits = kinds[t].bits;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t q = mma_is_volta(f) ? lane % 16 / 4 : 0;
        for (uint32_t i = 0; i < n; i++) {
            int64_t v = draw(t);
            *cell(x, which, q, place(f, which, lane, i)) = v;
            put_bits(out + lane * LANE, i * bits, bits, encode(t, v));
        }
    }
}

static int64_t want(const mma_form *f, const matrices *x, uint32_t q, at p) {
    int64_t sum = x->c[q][p.row][p.col];
    for (uint32_t k = 0; k < f->k; k++) {
        int64_t a = x->a[q][p.row][k], b = x->b[q][k][p.col];
        sum += strncmp(f->more, ".x", 2) == 0 ? a ^ b : a * b;
    }
    return sum;
}

static void compare(const mma_form *f, const matrices *x, const uint8_t *out) {
    uint32_t bits = kinds[f->d].bits;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t q = mma_is_volta(f) ? lane % 16 / 4 : 0;
        for (uint32_t i = 0; i < mma_elements(f, 'd'); i++) {
            at p = place(f, 'd', lane, i);
            int64_t got =
                decode(f->d, get_bits(out + lane * LANE, i * bits, bits));
            if (got != want(f, x, q, p)) {
                fail_msg("m%un%uk%u %s %s: lane %u, element %u: %lld, not %lld",
                         f->m, f->n, f->k, kinds[f->a].name, kinds[f->d].name,
                         lane, i, (long long)got, (long long)want(f, x, q, p));
            }
        }
    }
}

static void products(void **state) {
    (void)state;
    for (size_t i = 0; i < MMA_FORMS; i++) {
        const mma_form *f = &mma_forms[i];
        static matrices x;
        char *text = mma_text(f);
        assert_true(ptxas_takes(f->target, text));
        for (int how = 0; how < 3; how++) {
            sim_file c = {.entry = "k",
                          .block = 32,
                          .hazards = how == 1,
                          .timing = how == 2};
            deal(f, &x, 'a', f->a, c.a);
            deal(f, &x, 'b', f->b, c.a + AT_B);
            deal(f, &x, 'c', f->c, c.a + AT_C);
            launch_text(&c, text);
            assert_int_equal(c.r.status, TC_RUN_OK);
            compare(f, &x, c.b);
            end_file(&c);
        }
        free(text);
    }
}

/* ---- sums that are no small integers ---- */

/* With all of A and B one value in .f16, what the sum of 16 products and c is;
 * derived by hand. */
static void special_sums(void **state) {
    (void)state;
    static const struct {
        uint32_t a, b, c, d;
    } rows[] = {
        {0x3c003c00, 0x3c003c00, 0x3f800000, 0x41880000}, /* 16 + 1 */
        {0x7bff7bff, 0x7bff7bff, 0, 0x517fc004},          /* 16 * 65504^2 */
        {0x00010001, 0x3c003c00, 0, 0x35800000},          /* 16 * 2^-24 */
        {0x7c007c00, 0x3c003c00, 0, 0x7f800000},          /* infinity */
        {0x7c007c00, 0x00000000, 0, 0x7fffffff},          /* infinity * 0 */
        {0x7e007e00, 0x3c003c00, 0, 0x7fffffff}, /* NaN: the canonical one */
        {0x3c003c00, 0xbc00bc00, 0x41800000, 0}, /* -16 + 16 */
        {0x00000000, 0x3c003c00, 0x00000001, 0x00000001}, /* subnormal c */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tc_buf b = TC_BUF_INIT;
        tc_buf_printf(&b,
                      "mov.b32 %%r20, 0x%08x;\nmov.b32 %%r21, 0x%08x;\n"
                      "mov.b32 %%f1, 0f%08x;\n"
                      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%%f2,"
                      " %%f3, %%f4, %%f5}, {%%r20, %%r20, %%r20, %%r20}, "
                      "{%%r21, %%r21}, {%%f1, %%f1, %%f1, %%f1};\n"
                      "st.global.v4.f32 [%%rd5], {%%f2, %%f3, %%f4, %%f5};\n",
                      rows[i].a, rows[i].b, rows[i].c);
        char *text = program("sm_80", "", b.data);
        sim_case c = {.block = 32};
        run_text(&c, text);
        for (uint32_t t = 0; t < 32; t++) {
            for (uint32_t k = 0; k < 4; k++) {
                if (word(c.b, t * 8 + k) != rows[i].d) {
                    fail_msg("row %zu: %08x, not %08x", i, word(c.b, t * 8 + k),
                             rows[i].d);
                }
            }
        }
        end_case(&c);
        tc_buf_free(&b);
        free(text);
    }
}

static void saturation(void **state) {
    (void)state;
    for (int sat = 0; sat < 2; sat++) {
        tc_buf b = TC_BUF_INIT;
        tc_buf_printf(
            &b,
            "mov.b32 %%r20, 0x7f7f7f7f;\nmov.b32 %%r21, 0x7ffffff0;\n"
            "mov.b32 %%r22, 0x80808080;\nmov.b32 %%r23, 0x80000001;\n"
            "mma.sync.aligned.m8n8k16.row.col%s.s32.s8.s8.s32 {%%r30,"
            " %%r31}, {%%r20}, {%%r20}, {%%r21, %%r21};\n"
            "mma.sync.aligned.m8n8k16.row.col%s.s32.s8.s8.s32 {%%r32,"
            " %%r33}, {%%r20}, {%%r22}, {%%r23, %%r23};\n"
            "st.global.v4.b32 [%%rd5], {%%r30, %%r31, %%r32, %%r33};\n",
            sat ? ".satfinite" : "", sat ? ".satfinite" : "");
        char *text = program("sm_80", "", b.data);
        sim_case c = {.block = 32};
        run_text(&c, text);
        /* 16 * 127 * 127 = 0x3f010; 16 * 127 * -128 = -0x3f800 */
        assert_int_equal(word(c.b, 0), sat ? 0x7fffffffu : 0x8003f000u);
        assert_int_equal(word(c.b, 3), sat ? 0x80000000u : 0x7ffc0801u);
        end_case(&c);
        tc_buf_free(&b);
        free(text);
    }
}

/* Part of a warp waits for the rest; a warp that is not whole is a fault. */
static void whole_warps(void **state) {
    (void)state;
    static const char op[] =
        "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r30, %r31}, {%r1}, "
        "{%r1}, {%r1, %r1};\n";
    char *text = program("sm_80", "", op);
    sim_case c = {.block = 16, .hazards = true};
    run_text(&c, text);
    assert_int_equal(c.r.status, TC_RUN_FAULT);
    assert_int_equal(c.r.findings[0].kind, TC_FINDING_TRAP);
    end_case(&c);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(special_sums),
        cmocka_unit_test(saturation),
        cmocka_unit_test(whole_warps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

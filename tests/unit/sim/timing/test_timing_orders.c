/* test_timing_orders.c - which of two ways takes longer, under the clock, as on
 * any GPU. */
#include "sim_harness.h"

/* Cycles of 32 lines, one behind the other, of one warp. */
static uint32_t cycles_of(const char *line, const char *arch) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, ".reg .f64 %d<9>;\nmov.f64 %d1, 0d3FF8000000000000;\n"
                    "mov.f64 %d2, %d1;\nmov.u32 %r9, 77777;\n"
                    "mov.u64 %rd9, 777777777;\nmov.f32 %f1, 0f3FC00000;\n"
                    "mov.u32 %r20, %clock;\n");
    for (int i = 0; i < 32; i++) {
        tc_buf_puts(&b, line);
    }
    tc_buf_puts(&b, "mov.u32 %r21, %clock;\nsub.u32 %r22, %r21, %r20;\n"
                    "setp.eq.u32 %p7, %r1, 0;\n"
                    "@%p7 st.global.u32 [%rd2], %r22;\n");
    sim_case c = {.grid = 1, .block = 32, .timing = true, .arch = arch};
    c.completion = TC_COMPLETE_TIMING;
    char *text = whole_text(b.data, NULL);
    run_text(&c, text);
    uint32_t n = word(c.b, 0);
    end_case(&c);
    free(text);
    tc_buf_free(&b);
    return n;
}

/* Instructions that ptxas makes sequences of (sequences.def). */
static void test_sequences(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        /* the second takes longer */
        {"mad.lo.u32 %r9, %r9, %r9, %r9;\n", "mul.lo.u64 %rd9, %rd9, %rd9;\n"},
        {"mul.lo.u64 %rd9, %rd9, %rd9;\n", "div.u32 %r9, %r9, 7;\n"},
        {"div.u32 %r9, %r9, 7;\n", "div.u64 %rd9, %rd9, 7;\n"},
        {"div.u32 %r9, %r9, 7;\n", "rem.u64 %rd9, %rd9, 7;\n"},
        {"mul.lo.u64 %rd9, %rd9, %rd9;\n", "rem.s32 %r9, %r9, 7;\n"},
        {"ex2.approx.ftz.f32 %f1, %f1;\n", "div.approx.f32 %f1, %f1, %f1;\n"},
        {"div.approx.f32 %f1, %f1, %f1;\n", "div.rn.f32 %f1, %f1, %f1;\n"},
        {"rcp.approx.ftz.f32 %f1, %f1;\n", "rcp.rn.f32 %f1, %f1;\n"},
        {"sqrt.approx.ftz.f32 %f1, %f1;\n", "sqrt.rn.f32 %f1, %f1;\n"},
        {"fma.rn.f64 %d1, %d1, %d1, %d1;\n", "div.rn.f64 %d1, %d1, %d2;\n"},
        {"div.rn.f32 %f1, %f1, %f1;\n", "div.rn.f64 %d1, %d1, %d2;\n"},
        {"rcp.rn.f64 %d1, %d1;\n", "sqrt.rn.f64 %d1, %d1;\n"},
        {"fma.rn.f32 %f1, %f1, %f1, %f1;\n", "ex2.approx.ftz.f32 %f1, %f1;\n"},
    };
    static const char *const archs[] = {"sm_80", "sm_90a", "sm_100a"};
    for (size_t k = 0; k < sizeof archs / sizeof *archs; k++) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            uint32_t a = cycles_of(rows[i][0], archs[k]);
            uint32_t b = cycles_of(rows[i][1], archs[k]);
            if (a * 5 / 4 >= b) {
                fail_msg("%s: %u cycles of %s%u of %s", archs[k], a, rows[i][0],
                         b, rows[i][1]);
            }
        }
    }
}

/* How many times as long `a` takes as `b`; an H200's figures, in the comments,
 * are tests/gpu/orders.cu's. */
static double times_as_long(const char *a, const char *b) {
    return (double)cycles_of(a, "sm_90a") / cycles_of(b, "sm_90a");
}

static void test_contention(void **state) {
    (void)state;
    /* lanes that add to one word of shared memory take turns: 8.87 */
    assert_true(times_as_long("red.shared.add.u32 [%r3], 1;\n",
                              "red.shared.add.u32 [%r4], 1;\n") > 4);
    /* those that add to one word of global memory: 21, with a kernel's start */
    double one = times_as_long("atom.global.add.u32 %r9, [%rd1], 1;\n"
                               "mov.u32 %r10, %r9;\n",
                               "atom.global.add.u32 %r9, [%rd4], 1;\n"
                               "mov.u32 %r10, %r9;\n");
    assert_true(one > 1.05);
}

/* A fence of a store, 414 cycles and 5. */
static void test_fences(void **state) {
    (void)state;
    uint32_t cta = cycles_of("st.global.u32 [%rd4], %r9;\n"
                             "fence.acq_rel.cta;\n",
                             "sm_90a");
    uint32_t gpu = cycles_of("st.global.u32 [%rd4], %r9;\n"
                             "fence.acq_rel.gpu;\n",
                             "sm_90a");
    assert_in_range((gpu - cta) / 32, 350, 480);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_contention),
        cmocka_unit_test(test_fences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

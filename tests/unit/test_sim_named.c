/* test_sim_named.c - instructions without a state space that name a variable of
 * .shared or .local, and vector atomics whose result nobody wants. */
#include "sim_harness.h"

static const char named[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 A, .param .u64 B)\n{\n"
    ".reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .pred %p<4>; .reg .f32 %f<8>;\n"
    ".shared .align 16 .b8 sm[64]; .local .align 16 .b8 loc[64];\n"
    "ld.param.u64 %rd1, [A]; ld.param.u64 %rd2, [B];\n"
    "mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra E;\n"
    "st.u32 [sm], 7; st.shared.u32 [sm+4], 6;\n"
    "atom.add.u32 %r2, [sm], 5;\n"
    "red.or.b32 [sm+4], 9;\n"
    "st.volatile.u32 [loc+8], 11; st.u32 [loc+12], 13;\n"
    "ld.volatile.u32 %r3, [loc+8]; ld.local.u32 %r4, [loc+12];\n"
    "ld.u32 %r5, [sm]; ld.relaxed.cta.u32 %r6, [sm+4];\n"
    "mbarrier.init.b64 [sm+16], 1;\n"
    "mbarrier.arrive.b64 %rd9, [sm+16];\n"
    "mbarrier.test_wait.b64 %p2, [sm+16], %rd9;\n"
    "selp.u32 %r7, 1, 0, %p2;\n"
    "st.global.v4.u32 [%rd2], {%r2, %r3, %r4, %r5};\n"
    "st.global.v2.u32 [%rd2+16], {%r6, %r7};\n"
    "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;\n"
    "st.global.v4.f32 [%rd2+32], {%f1, %f1, %f2, %f2};\n"
    "atom.global.add.v4.f32 _, [%rd2+32], {%f1, %f2, %f1, %f2};\n"
    "E: ret;\n}\n";

static void variables(void **state) {
    (void)state;
    sim_case c = {.grid = 1, .block = 32, .hazards = true};
    run_text(&c, named);
    assert_int_equal(c.r.status, TC_RUN_OK);
    /* 7 before 7 + 5; 6 | 9; a phase of one arrival is complete */
    static const uint32_t want[] = {7, 11, 13, 12, 15, 1};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_int_equal(word(c.b, (uint32_t)i), want[i]);
    }
    static const float sums[] = {2, 3, 3, 4};
    assert_memory_equal(c.b + 32, sums, sizeof sums);
    end_case(&c);
}

static void test_ptxas(void **state) {
    (void)state;
    assert_true(ptxas_takes("sm_90a", named));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(variables),
                                       cmocka_unit_test(test_ptxas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

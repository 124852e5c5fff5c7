/* test_sim_named.c - instructions without a state space that name a variable of
 * .shared or .local, vector atomics whose result nobody wants, and mov of
 * vectors. */
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

/* PTX ISA 6.4.3: element by element, all read before any is written. */
static const char vectors[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 A, .param .u64 B)\n{\n"
    ".reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .v4 .u32 %v; .reg .b16 %h<9>;\n"
    "ld.param.u64 %rd2, [B];\n"
    "mov.v4.u32 %v, %tid; mul.wide.u32 %rd3, %v.x, 32;\n"
    "add.u64 %rd2, %rd2, %rd3;\n"
    "mov.v4.u32 {%r1, _, %r3, %r4}, %ntid;\n"
    "mov.v4.u32 {%v.z, %v.w, %v.x, %v.y}, %v;\n"
    "st.global.v4.u32 [%rd2], %v;\n"
    "mov.v2.b16 {%h1, %h2}, {7, -1}; mov.v2.b16 {%h1, %h2}, {%h2, %h1};\n"
    "mov.b32 %r5, {%h1, %h2};\n"
    "mov.v2.b64 {%rd5, %rd6}, {5, 0x700000006};\n"
    "mov.b64 {%r6, %r7}, %rd6;\n"
    "st.global.v4.u32 [%rd2+16], {%r1, %r5, %r6, %r7};\n"
    "ret;\n}\n";

static void elements(void **state) {
    (void)state;
    sim_case c = {.grid = 1, .block = 64};
    run_text(&c, vectors);
    assert_int_equal(c.r.status, TC_RUN_OK);
    for (uint32_t t = 0; t < 64; t++) { /* x to z; the fourth is 0 */
        const uint32_t want[] = {0, 0, t, 0, 64, 0x0007ffff, 6, 7};
        for (uint32_t i = 0; i < 8; i++) {
            assert_int_equal(word(c.b, t * 8 + i), want[i]);
        }
    }
    end_case(&c);
}

static void test_ptxas(void **state) {
    (void)state;
    assert_true(ptxas_takes("sm_90a", named));
    assert_true(ptxas_takes("sm_90a", vectors));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(variables),
                                       cmocka_unit_test(elements),
                                       cmocka_unit_test(test_ptxas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

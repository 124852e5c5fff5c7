/* test_sim_wide.c - loads and stores of 32 bytes, with what guides the caches:
 * PTX ISA 9.7.9.8 and 9.7.9.11. Each thread has 32 bytes of A, and writes them
 * to B in another order. */
#include "sim_harness.h"

#define HEAD                                                                   \
    ".version 8.8\n.target sm_100a\n.address_size 64\n"                        \
    ".visible .entry k(.param .u64 A, .param .u64 B)\n{\n"                     \
    ".reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .b64 %v<9>; .reg .f32 %f<9>;\n" \
    "ld.param.u64 %rd1, [A]; ld.param.u64 %rd2, [B];\n"                        \
    "mov.u32 %r9, %tid.x; mul.wide.u32 %rd3, %r9, 32;\n"                       \
    "add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;\n"                    \
    "createpolicy.fractional.L2::evict_last.b64 %rd9, 0f3F800000;\n"
#define TAIL "ret;\n}\n"

/* Word i of what a thread writes is word from[i] of what it reads. */
typedef struct wide_case {
    const char *text;
    uint8_t from[8];
} wide_case;

static const wide_case cases[] = {
    {HEAD "ld.global.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd4];\n"
          "st.global.v8.b32 [%rd5], {%r8,%r7,%r6,%r5,%r4,%r3,%r2,%r1};\n" TAIL,
     {7, 6, 5, 4, 3, 2, 1, 0}},
    {HEAD "ld.global.v4.u64 {%v1,%v2,%v3,%v4}, [%rd4];\n"
          "st.global.v4.u64 [%rd5], {%v2,%v3,%v4,%v1};\n" TAIL,
     {2, 3, 4, 5, 6, 7, 0, 1}},
    {HEAD "ld.global.nc.L1::no_allocate.L2::evict_first.L2::cache_hint.v8.f32 "
          "{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, [%rd4], %rd9;\n"
          "st.global.L1::evict_last.L2::evict_normal.L2::cache_hint.v8.f32 "
          "[%rd5], {%f2,%f1,%f4,%f3,%f6,%f5,%f8,%f7}, %rd9;\n" TAIL,
     {1, 0, 3, 2, 5, 4, 7, 6}},
    {HEAD "ld.global.v8.b32 {%r1,_,%r3,_,%r5,_,%r7,_}, [%rd4];\n"
          "st.global.v8.b32 [%rd5], {%r1,%r1,%r3,%r3,%r5,%r5,%r7,%r7};\n" TAIL,
     {0, 0, 2, 2, 4, 4, 6, 6}},
    {HEAD "ld.relaxed.gpu.global.L1::evict_first.v4.b64 {%v1,%v2,%v3,%v4}, "
          "[%rd4];\n"
          "st.release.sys.global.v4.b64 [%rd5], {%v4,%v3,%v2,%v1};\n" TAIL,
     {6, 7, 4, 5, 2, 3, 0, 1}}};
enum { CASES = sizeof cases / sizeof *cases };

static void orders(void **state) {
    (void)state;
    uint8_t a[BYTES];
    fill(a, 1);
    for (size_t i = 0; i < CASES; i++) {
        for (int how = 0; how < 3; how++) {
            sim_case c = {.grid = 1,
                          .arch = "sm_100a",
                          .hazards = how == 1,
                          .timing = how == 2};
            run_text(&c, cases[i].text);
            assert_int_equal(c.r.status, TC_RUN_OK);
            for (uint32_t w = 0; w < 128 * 8; w++) {
                assert_int_equal(word(c.b, w),
                                 word(a, w / 8 * 8 + cases[i].from[w % 8]));
            }
            end_case(&c);
        }
    }
}

static void misaligned(void **state) {
    (void)state;
    sim_case c = {.grid = 1, .block = 32, .arch = "sm_100a"};
    run_text(&c, HEAD "ld.global.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, "
                      "[%rd4+16];\n" TAIL);
    assert_int_equal(c.r.nfindings, 1);
    assert_int_equal(c.r.findings[0].kind, TC_FINDING_MISALIGNED);
    end_case(&c);
}

static void test_ptxas(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        assert_true(ptxas_takes("sm_100a", cases[i].text));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders),
                                       cmocka_unit_test(misaligned),
                                       cmocka_unit_test(test_ptxas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

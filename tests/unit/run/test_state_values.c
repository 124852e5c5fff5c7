/* Values of memory as `state` shows them: each expected value is worked out
 * from the format's definition (IEEE 754; OCP 8-bit floating point, 5.1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/state.h"

#include <string.h>

static void expect(tc_dtype type, const void *bytes, size_t n,
                   const char *want) {
    tc_buf b = TC_BUF_INIT;
    assert_true(tc_state_has_values(type));
    tc_state_values_text(type, bytes, 0, n, &b);
    assert_string_equal(tc_buf_text(&b), want);
    tc_buf_free(&b);
}

static void test_small_floats(void **state) {
    (void)state;
    /* 1, -2, the largest, the least subnormal, infinity, NaN */
    static const uint16_t half[] = {0x3C00, 0xC000, 0x7BFF,
                                    0x0001, 0x7C00, 0x7E00};
    expect(TC_FLOAT16, half, sizeof half,
           "\n  +0           1       -2    65504 5.96e-08      inf      nan");
    static const uint16_t brain[] = {0x3F80, 0xC000, 0x4049, 0xFF80};
    expect(TC_BFLOAT16, brain, sizeof brain,
           "\n  +0           1       -2     3.14     -inf");
    /* 1, the largest (448), NaN, the least subnormal (2^-9) */
    static const uint8_t e4m3[] = {0x38, 0x7E, 0x7F, 0x01};
    expect(TC_FLOAT8_E4M3FN, e4m3, sizeof e4m3,
           "\n  +0           1      448      nan  0.00195");
    /* 1, the largest (57344), infinity, the least subnormal (2^-16) */
    static const uint8_t e5m2[] = {0x3C, 0x7B, 0x7C, 0x01};
    expect(TC_FLOAT8_E5M2, e5m2, sizeof e5m2,
           "\n  +0           1 5.73e+04      inf 1.53e-05");
}

static void test_the_others(void **state) {
    (void)state;
    static const float f[] = {0.1f, -2};
    expect(TC_FLOAT32, f, sizeof f, "\n  +0              0.1            -2");
    static const double d[] = {0.1};
    expect(TC_FLOAT64, d, sizeof d, "\n  +0                      0.1");
    static const int8_t i[] = {-128, 127};
    expect(TC_INT8, i, sizeof i, "\n  +0    -128  127");
    expect(TC_UINT8, i, sizeof i, "\n  +0     128  127");
    static const int32_t w[] = {-1};
    expect(TC_INT32, w, sizeof w, "\n  +0             -1");
    expect(TC_UINT32, w, sizeof w, "\n  +0     4294967295");
    assert_false(tc_state_has_values(TC_VOID));
    assert_false(tc_state_has_values(TC_HANDLE));
}

/* Lines like the one above are a star; a last one that is short is shown. */
static void test_repeated(void **state) {
    (void)state;
    int64_t same[7] = {5, 5, 5, 5, 5, 5, 6};
    expect(TC_INT64, same, sizeof same,
           "\n  +0                       5                    5"
           "\n  *"
           "\n  +48                      6");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_floats),
        cmocka_unit_test(test_the_others),
        cmocka_unit_test(test_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

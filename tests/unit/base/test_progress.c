/* test_progress.c - what is said of long work, and how long it will take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "base/progress/progress.h"
#include <stdio.h>

static const char *line(double seconds, double expected, uint64_t done,
                        uint64_t total) {
    static char text[256];
    tc_progress p = {"compiling k.cu", done, total, seconds, expected, false};
    tc_progress_text(&p, text, sizeof text);
    return text;
}

static void test_lines(void **state) {
    (void)state;
    assert_string_equal(line(3, 0, 0, 0), "compiling k.cu, 3 s");
    assert_string_equal(line(2, 8, 0, 0),
                        "compiling k.cu [#####               ] about 6 s left");
    assert_string_equal(line(9, 8, 0, 0), "compiling k.cu, 9 s (8 s before)");
    assert_string_equal(
        line(2, 0, 1, 4),
        "compiling k.cu [#####               ] 25 %, about 6 s left");
    assert_string_equal(line(2, 0, 0, 4),
                        "compiling k.cu [                    ] 2 s");
    assert_string_equal(
        line(600, 0, 1, 2),
        "compiling k.cu [##########          ] 50 %, about 10 min left");
}

/* Work within work is told instead; an expectation is of the innermost. */
static void test_within(void **state) {
    (void)state;
    tc_progress p;
    assert_false(tc_progress_now(&p));
    tc_progress_begin("grading, %d tests", 5);
    tc_progress_at(1, 5);
    tc_progress_begin("compiling %s", "k.cu");
    tc_progress_expect(4);
    assert_true(tc_progress_now(&p));
    assert_string_equal(p.what, "compiling k.cu");
    assert_true(p.expected == 4 && p.total == 0);
    tc_progress_end();
    assert_true(tc_progress_now(&p));
    assert_true(p.expected == 0 && p.done == 1 && p.total == 5);
    tc_progress_end();
    assert_false(tc_progress_now(&p));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_within)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

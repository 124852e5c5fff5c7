/* test_similar.c - what submissions have in common: copies are named, whatever
 * their names and the order of their functions, and honest ones are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "grade/class/similar.h"

#include <stdlib.h>
#include <string.h>

static tc_prints prints_of(tc_arena *a, const char *path) {
    tc_buf text = TC_BUF_INIT;
    char why[TC_FILE_WHY];
    assert_true(tc_file_read(&text, path, 1 << 20, NULL, why));
    tc_prints p = tc_similar_prints(a, tc_buf_text(&text), text.len, false);
    tc_buf_free(&text);
    return p;
}

static int likeness(tc_arena *a, const tc_prints *all, int n, int left,
                    int right) {
    int npairs;
    tc_similar *s = tc_similar_find(a, all, n, NULL, 0, &npairs);
    for (int i = 0; i < npairs; i++) {
        if (s[i].left == left && s[i].right == right) {
            return s[i].percent;
        }
    }
    return 0;
}

/* A copy is found by any run of k + w - 1 tokens (the paper's guarantee). */
static void test_run(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    char left[2048] = "", right[2048] = "";
    for (int i = 0; i < 40; i++) { /* others around it */
        strcat(left, "p + ");
        strcat(right, "7 - ");
    }
    const char *run = " if ( a < 3 ) { b [ c ] = d * 2 ; }";
    strcat(left, run);
    strcat(right, run);
    strcat(left, " : : : :");
    strcat(right, " | | | |");
    tc_prints x = tc_similar_prints(a, left, strlen(left), false);
    tc_prints y = tc_similar_prints(a, right, strlen(right), false);
    int common = 0;
    for (int i = 0; i < x.n; i++) {
        for (int k = 0; k < y.n; k++) {
            common += x.all[i].value == y.all[k].value;
        }
    }
    assert_true(common > 0);
    tc_arena_free(a);
}

static void test_names(void **state) {
    (void)state;
    static const char one[] = "float f(int n) { return n * 2.0f + g(n); } // a";
    static const char two[] =
        "/* b */ float pool ( int len )\n{ return len*7 + aux(len); }";
    static const char no[] = "float f(int n) { return n + 2.0f * g(n); } // a";
    tc_arena *a = tc_arena_new();
    tc_prints x = tc_similar_prints(a, one, strlen(one), false);
    tc_prints y = tc_similar_prints(a, two, strlen(two), false);
    tc_prints z = tc_similar_prints(a, no, strlen(no), false);
    assert_int_equal(x.n, y.n);
    assert_true(x.n > 0);
    for (int i = 0; i < x.n; i++) {
        assert_true(x.all[i].value == y.all[i].value);
    }
    bool same = x.n == z.n;
    for (int i = 0; same && i < x.n; i++) {
        same = x.all[i].value == z.all[i].value;
    }
    assert_false(same);
    tc_arena_free(a);
}

/* Nothing of it is a fingerprint, and none of it is read past its end. */
static void test_odd(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "\\",
                                        "\"",
                                        "'",
                                        "/*",
                                        "/* *",
                                        "//",
                                        "#",
                                        "#define",
                                        "1'",
                                        "x\\",
                                        "\"\\",
                                        "# include <a\\\n> b",
                                        "\0\0\0"};
    tc_arena *a = tc_arena_new();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t n = i + 1 < sizeof texts / sizeof *texts ? strlen(texts[i]) : 3;
        char *exact = tc_xmalloc(n + 1); /* a sanitizer sees its end */
        memcpy(exact, texts[i], n + 1);
        assert_int_equal(tc_similar_prints(a, exact, n, i % 2).n, 0);
        free(exact);
    }
    tc_arena_free(a);
}

static const char *const files[] = {"tests/grade/similar/tile.cu",
                                    "tests/grade/similar/tile_renamed.cu",
                                    "tests/grade/similar/tile_moved.cu",
                                    "tests/grade/similar/strides.cu",
                                    "tests/grade/similar/stages.cu",
                                    "tests/grade/similar/warps.cu",
                                    "exercises/maxpool15/reference.cu",
                                    "exercises/maxpool15/wrong/no_copies.cu",
                                    "exercises/maxpool15/wrong/no_tail.cu"};
enum { FILES = sizeof files / sizeof *files, COPIES = 3 };

static void test_submissions(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    tc_prints all[FILES];
    for (int i = 0; i < FILES; i++) {
        all[i] = prints_of(a, files[i]);
    }
    int npairs;
    tc_similar *s = tc_similar_find(a, all, FILES, NULL, 0, &npairs);
    for (int i = 0; i < npairs; i++) {
        print_message("%s %s %d%%\n", files[s[i].left], files[s[i].right],
                      s[i].percent);
        assert_true(s[i].right < COPIES); /* the honest are not named */
        assert_true(i == 0 || s[i].percent <= s[i - 1].percent);
    }
    assert_int_equal(npairs, COPIES * (COPIES - 1) / 2);
    assert_true(likeness(a, all, FILES, 0, 1) == 100);
    assert_true(likeness(a, all, FILES, 0, 2) >= 80);
    for (int i = 0; i < npairs; i++) {
        if (s[i].left == 0 && s[i].right == 1) { /* where: from WIDTH on */
            assert_true(s[i].left_first <= 10 && s[i].left_last >= 30);
        }
    }
    /* What was given to all, or is everybody's, is nobody's copy. */
    tc_similar_find(a, all, COPIES, &all[0], 1, &npairs);
    assert_int_equal(npairs, 0);
    tc_arena_free(a);
}

/* Twenty that have a part in common, and otherwise nothing, are not alike; and
 * twenty copies of one are, each with each. */
static void test_everybodys(void **state) {
    (void)state;
    enum { N = 20 };
    tc_arena *a = tc_arena_new();
    tc_prints all[N];
    const char ops[] = "+-*/%&|^<>=!?:,;.~@$";
    for (int copies = 0; copies < 2; copies++) {
        for (int i = 0; i < N; i++) {
            tc_buf b = TC_BUF_INIT;
            for (int k = 0; k < 30; k++) {
                tc_buf_printf(&b, "if (a < b) { c[%d] += d * e; }\n", k);
                tc_buf_puts(&b, k % 2 ? "for (;;) f();" : "x = y(z);");
            }
            for (int k = 0; k < 40; k++) {
                int own = copies ? 0 : i;
                tc_buf_printf(&b, "a %c b %c %c c\n", ops[(own + k) % N],
                              ops[(own * 3 + k * k) % N],
                              ops[(own + 7 * k) % N]);
            }
            all[i] = tc_similar_prints(a, tc_buf_text(&b), b.len, false);
            tc_buf_free(&b);
        }
        int npairs;
        tc_similar_find(a, all, N, NULL, 0, &npairs);
        assert_int_equal(npairs, copies ? N * (N - 1) / 2 : 0);
    }
    tc_arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run), cmocka_unit_test(test_names),
        cmocka_unit_test(test_odd), cmocka_unit_test(test_submissions),
        cmocka_unit_test(test_everybodys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_sass.c - the code of a cubin against what nvdisasm 13.5 prints of it.
 * tests/sass/two.cubin is two.ptx by `ptxas -arch sm_90a -lineinfo` of CUDA 13.0,
 * two.txt what `nvdisasm -c -hex --print-line-info-ptx` says of that. */
#include "sass/sass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* What nvdisasm says of an instruction. */
typedef struct expected {
    unsigned address;
    char name[32];
    unsigned long long low, high;
    int line;
} expected;

enum { MOST = 128 };

static uint8_t *bytes_of(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    static uint8_t data[1 << 16];
    *n = fread(data, 1, sizeof data, f);
    fclose(f);
    return data;
}

/* "LDG.E R4, ..." -> "LDG" */
static void put_name(const char *text, char *out, size_t size) {
    text += strspn(text, " ");
    if (*text == '@') {
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    snprintf(out, size, "%.*s", (int)strcspn(text, ". ;"), text);
}

/* The lines of one kernel. */
static int read_expected(const char *kernel, expected *all) {
    char line[256], label[64];
    bool here = false;
    int n = 0, ptx = 0;
    FILE *f = fopen("tests/sass/two.txt", "r");
    assert_non_null(f);
    snprintf(label, sizeof label, ".text.%s:\n", kernel);
    while (fgets(line, sizeof line, f) != NULL) {
        const char *at = strstr(line, "line ");
        const char *word = strstr(line, "/* 0x");
        expected *e = &all[n];
        if (strncmp(line, ".text.", 6) == 0) {
            here = strcmp(line, label) == 0;
        } else if (here && strstr(line, "//## File") != NULL && at != NULL) {
            ptx = atoi(at + 5);
        } else if (here && strchr(line, ';') != NULL &&
                   sscanf(line, " /*%x*/", &e->address) == 1) {
            assert_in_range(n, 0, MOST - 1);
            put_name(strstr(line, "*/") + 2, e->name, sizeof e->name);
            e->low = strtoull(word + 3, NULL, 16);
            e->line = ptx;
        } else if (here && word != NULL) {
            all[n++].high = strtoull(word + 3, NULL, 16);
        }
    }
    fclose(f);
    return n;
}

static void check_kernel(const char *kernel) {
    static expected want[MOST];
    tc_arena *a = tc_arena_new();
    size_t n;
    const uint8_t *cubin = bytes_of("tests/sass/two.cubin", &n);
    tc_sass s;
    const char *why = "";
    int wanted = read_expected(kernel, want);
    assert_true(tc_sass_read(a, cubin, n, kernel, &s, &why));
    assert_in_range(s.nops, 5, wanted);
    for (int i = 0; i < s.nops; i++) {
        const tc_sass_op *op = &s.ops[i];
        assert_int_equal(op->address, want[i].address);
        assert_int_equal(op->low, want[i].low);
        assert_int_equal(op->high, want[i].high);
        assert_string_equal(tc_sass_mnemonic(a, op), want[i].name);
        assert_int_equal(op->ptx_line, want[i].line);
    }
    /* what is left out is the branch to itself, and padding */
    for (int i = s.nops; i < wanted; i++) {
        assert_string_equal(want[i].name, i == s.nops ? "BRA" : "NOP");
    }
    tc_arena_free(a);
}

static void test_guarded(void **state) {
    (void)state;
    check_kernel("guarded");
}

static void test_sum4(void **state) {
    (void)state;
    check_kernel("sum4");
}

/* Four neighbouring loads are one LDS.128, and a group's copy sets the
 * scoreboard that DEPBAR waits for. */
static void test_classes(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    size_t n;
    const uint8_t *cubin = bytes_of("tests/sass/two.cubin", &n);
    tc_sass s;
    const char *why;
    int loads = 0, copies = 0;
    uint8_t group = TC_SASS_NO_BOARD;
    assert_true(tc_sass_read(a, cubin, n, "sum4", &s, &why));
    for (int i = 0; i < s.nops; i++) {
        const tc_sass_op *op = &s.ops[i];
        bool never = op->guard == TC_SASS_TRUE_PRED && op->guard_not;
        loads += !never && tc_sass_class_of(op) == TC_SASS_LDS;
        copies += strcmp(tc_sass_mnemonic(a, op), "LDGSTS") == 0;
        if (strcmp(tc_sass_mnemonic(a, op), "LDGDEPBAR") == 0) {
            group = op->set_write;
        }
    }
    assert_int_equal(loads, 1);
    assert_int_equal(copies, 1);
    assert_int_equal(group, 0); /* DEPBAR.LE SB0, 0x0 */
    tc_arena_free(a);
}

/* LDC R0 of Hopper: "0x000e220000000800" has it stall 1, and its result release
 * scoreboard 0; "0x001fda..." waits for scoreboard 0 and stalls 13. */
static void test_control(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    size_t n;
    const uint8_t *cubin = bytes_of("tests/sass/two.cubin", &n);
    tc_sass s;
    const char *why;
    assert_true(tc_sass_read(a, cubin, n, "guarded", &s, &why));
    assert_int_equal(s.ops[1].set_write, 0);
    assert_int_equal(s.ops[1].set_read, TC_SASS_NO_BOARD);
    assert_int_equal(s.ops[2].wait, 1); /* ISETP needs LDC's result */
    assert_int_equal(s.ops[2].stall, 13);
    assert_int_equal(s.ops[3].guard, 0); /* @!P0 EXIT */
    assert_true(s.ops[3].guard_not);
    tc_arena_free(a);
}

static void test_not_there(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    size_t n;
    const uint8_t *cubin = bytes_of("tests/sass/two.cubin", &n);
    tc_sass s;
    const char *why;
    assert_false(tc_sass_read(a, cubin, n, "none", &s, &why));
    assert_string_equal(why, "the cubin has no kernel 'none'");
    assert_false(tc_sass_read(a, "text", 4, "none", &s, &why));
    assert_string_equal(why, "it is no cubin");
    tc_arena_free(a);
}

/* A cubin that is cut off anywhere, or has a wrong byte anywhere, is read
 * without a step outside of it (the sanitized pass would tell). */
static void test_damaged(void **state) {
    (void)state;
    size_t n;
    const uint8_t *cubin = bytes_of("tests/sass/two.cubin", &n);
    tc_sass s;
    const char *why;
    for (size_t i = 0; i < n; i += 7) {
        tc_arena *a = tc_arena_new();
        uint8_t *cut = malloc(i + 1), *wrong = malloc(n);
        memcpy(cut, cubin, i);
        memcpy(wrong, cubin, n);
        wrong[i] ^= 0xff;
        tc_sass_read(a, cut, i, "sum4", &s, &why);
        tc_sass_read(a, wrong, n, "sum4", &s, &why);
        free(cut);
        free(wrong);
        tc_arena_free(a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guarded),   cmocka_unit_test(test_sum4),
        cmocka_unit_test(test_classes),   cmocka_unit_test(test_control),
        cmocka_unit_test(test_not_there), cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests_name("sass", tests, NULL, NULL);
}

/* test_command_line.c - nvcc's words, sorted; fat binaries that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "tilecopy.h"
#include "toolchain/nvcc/command_line.h"
#include "toolchain/nvcc/fatbin.h"

#include <string.h>

#define LINE(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char *joined(tc_arena *a, const tc_words *w) {
    tc_buf b = TC_BUF_INIT;
    for (int i = 0; i < w->n; i++) {
        tc_buf_printf(&b, "%s%s", i ? " " : "", w->w[i]);
    }
    const char *text = tc_strdup(a, tc_buf_text(&b));
    tc_buf_free(&b);
    return text;
}

static void test_sorts(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    tc_command_line l;
    assert_true(tc_command_line_read(
        a,
        LINE("-O3", "a.cu", "-Iinc", "-I", "more", "-DX=1", "--define-macro=Y",
             "-std=c++14", "b.cpp", "c.o", "-Xcompiler", "-fopenmp,-Wall",
             "-lm", "-L", "lib", "-lcudart", "-lcublas", "-rdc=true",
             "-Xlinker", "-z,now", "--use_fast_math", "-Xptxas", "-v",
             "-lineinfo"),
        &l));
    assert_int_equal(l.nfiles, 3);
    assert_int_equal(l.files[0].kind, TC_SOURCE_CUDA);
    assert_int_equal(l.files[1].kind, TC_SOURCE_HOST);
    assert_int_equal(l.files[2].kind, TC_SOURCE_OBJECT);
    assert_string_equal(joined(a, &l.compile),
                        "-O3 -I inc -I more -D X=1 -D Y -std=c++14 -Xcompiler "
                        "-fopenmp,-Wall -use_fast_math");
    assert_string_equal(joined(a, &l.host), "-fopenmp -Wall");
    assert_string_equal(joined(a, &l.link),
                        "-lm -Llib -Xlinker -z -Xlinker now");
    assert_string_equal(joined(a, &l.cuda_libraries), "cublas");
    assert_true(l.rdc && l.own_std && l.own_optimize && !l.debug);
    tc_arena_free(a);
}

static void test_machines(void **state) {
    (void)state;
    static const struct {
        const char *word, *arch;
    } rows[] = {{"-arch=sm_80", "sm_80"},
                {"--gpu-architecture=compute_90a", "sm_90a"},
                {"-gencode=arch=compute_80,code=sm_86", "sm_86"},
                {"-gencode=arch=compute_80,code=[sm_80,compute_80]", "sm_80"},
                {"-arch=native", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tc_arena *a = tc_arena_new();
        tc_command_line l;
        assert_true(tc_command_line_read(a, LINE(rows[i].word, "a.cu"), &l));
        if (rows[i].arch == NULL) {
            assert_null(l.arch);
        } else {
            assert_string_equal(l.arch, rows[i].arch);
        }
        tc_arena_free(a);
    }
}

static void test_refuses(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    tc_command_line l;
    assert_false(tc_command_line_read(a, LINE("-ptx", "a.cu"), &l));
    assert_non_null(strstr(l.why, "-ptx is not for exec"));
    assert_non_null(l.hint);
    assert_false(tc_command_line_read(a, LINE("a.cu", "-I"), &l));
    assert_non_null(strstr(l.why, "-I needs a value"));
    assert_false(tc_command_line_read(a, LINE("a.cu", "-nothing"), &l));
    assert_false(tc_command_line_read(a, LINE("a.txt"), &l));
    assert_false(tc_command_line_read(a, LINE("-x", "c++", "a.cu"), &l));
    tc_arena_free(a);
}

static void test_words(void **state) {
    (void)state;
    assert_int_equal(tc_nvcc_word("-I"), 2);
    assert_int_equal(tc_nvcc_word("-Ix"), 1);
    assert_int_equal(tc_nvcc_word("-std=c++17"), 1);
    assert_int_equal(tc_nvcc_word("--std"), 2);
    assert_int_equal(tc_nvcc_word("-G"), 1);
    assert_int_equal(tc_nvcc_word("-n"), 0);
    assert_int_equal(tc_nvcc_word("--report"), 0);
    assert_int_equal(tc_nvcc_word("-"), 0);
    assert_true(tc_nvcc_source("a.cu") && tc_nvcc_source("x/b.cpp"));
    assert_false(tc_nvcc_source("1000") || tc_nvcc_source(".cu"));
}

/* What is no ELF file, or a broken one, has no device code. */
static void test_no_fatbin(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    tc_fatbin *all;
    uint64_t elf[32] = {0};
    memcpy(elf, "\177ELF\2\1\1", 7);
    assert_int_equal(tc_fatbin_read(a, "text", 4, 90, &all), 0);
    for (size_t n = 0; n <= sizeof elf; n += 8) {
        assert_int_equal(tc_fatbin_read(a, elf, n, 90, &all), 0);
    }
    for (size_t i = 1; i < 8; i++) {
        elf[i] = UINT64_MAX >> i;
        assert_int_equal(tc_fatbin_read(a, elf, sizeof elf, 90, &all), 0);
    }
    tc_arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorts), cmocka_unit_test(test_machines),
        cmocka_unit_test(test_refuses), cmocka_unit_test(test_words),
        cmocka_unit_test(test_no_fatbin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

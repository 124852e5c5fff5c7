/* test_stub_abi.c - the stub's types and functions against CUDA's own headers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "stub_layout.h" /* the asserts on our own declarations */
#include "tool.h"
#include <glob.h>

/* The toolkit's headers, or NULL. */
static const char *headers(char *out, size_t size) {
    char nvcc[512];
    if (!have_tool("nvcc") || tool_path("nvcc", nvcc, sizeof nvcc) == NULL) {
        return NULL;
    }
    char *end = strstr(nvcc, "/bin/nvcc");
    if (end == NULL) {
        printf("SKIPPED: where nvcc's headers are is not known\n");
        return NULL;
    }
    snprintf(out, size, "%.*s/include", (int)(end - nvcc), nvcc);
    return out;
}

static bool compiles(const char *include, const char *file) {
    char command[2048];
    snprintf(command, sizeof command,
             "cc -std=c17 -D_GNU_SOURCE -DTC_STUB_REAL_TYPES -w -isystem %s "
             "-Isrc -fsyntax-only -x c %s",
             include, file);
    return system(command) == 0;
}

/* Sizes and offsets are what NVIDIA's compiler sees, too. */
static void test_layout(void **state) {
    char include[600];
    (void)state;
    if (headers(include, sizeof include) != NULL) {
        assert_true(compiles(include, "tests/unit/runtime/stub_layout.h"));
    }
}

/* Each function is declared in NVIDIA's header as we define it: C refuses two
 * declarations that differ. */
static void test_signatures(void **state) {
    char include[600];
    glob_t g;
    (void)state;
    if (headers(include, sizeof include) == NULL) {
        return;
    }
    assert_int_equal(glob("src/runtime/stub/*.c", 0, NULL, &g), 0);
    assert_int_equal(glob("src/runtime/stub/*/*.c", GLOB_APPEND, NULL, &g), 0);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        if (!compiles(include, g.gl_pathv[i])) {
            print_message("%s\n", g.gl_pathv[i]);
            fail();
        }
    }
    assert_true(g.gl_pathc > 20);
    globfree(&g);
}

/* A wrong one is seen: the test above is one. */
static void test_refuses(void **state) {
    char include[600], file[] = "/tmp/tilecopy-test-XXXXXX";
    (void)state;
    int fd = mkstemp(file);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    assert_non_null(f);
    fputs("#include \"runtime/stub/cuda.h\"\n"
          "cudaError_t cudaMalloc(void *p, unsigned n) { return 0; }\n",
          f);
    fclose(f);
    if (headers(include, sizeof include) != NULL) {
        char quiet[700];
        snprintf(quiet, sizeof quiet, "%s 2>/dev/null", file);
        assert_false(compiles(include, quiet));
    }
    remove(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_signatures),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

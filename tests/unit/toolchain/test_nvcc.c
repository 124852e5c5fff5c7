/* test_nvcc.c - the toolchain with a real nvcc: what it builds, what it says,
 * lines of the host's side, registers. Skipped where there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "toolchain_fake.h"

static const char *real_nvcc; /* what the machine has, before the tests' own */

static const char saxpy[] =
    "#include <cstdio>\n"
    "#include \"scale.h\"\n"
    "__global__ void saxpy(float *y, const float *x, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] += SCALE * x[i];\n"
    "}\n"
    "static int last(float *p) {\n"
    "    return cudaFree(p);\n"
    "}\n"
    "int main() {\n"
    "    float *x, *y;\n"
    "    cudaMalloc(&x, 1024);\n"
    "    cudaMalloc(&y, 1024);\n"
    "    saxpy<<<1, 256>>>(y, x, 256);\n"
    "    if (cudaDeviceSynchronize() != cudaSuccess) return 1;\n"
    "    return last(x);\n"
    "}\n";

static int setup(void **state) {
    int failed = machine_new(state);
    machine *m = *state;
    setenv("TILECOPY_NVCC", real_nvcc, 1);
    setenv("PATH", m->path, 1);
    put(m, "saxpy.cu", saxpy);
    put(m, "scale.h", "#define SCALE 2.0f\n");
    return failed;
}

static void builds(machine *m, const char *name, const char *arch,
                   bool program) {
    tc_build_status s = build(m, in(m, name), arch, program);
    if (s != TC_BUILD_OK) {
        print_error("%s\n%s\n", m->text, m->b.said);
    }
    assert_int_equal(s, TC_BUILD_OK);
}

static void has(const char *text, const char *what) {
    if (strstr(text, what) == NULL) {
        print_error("%s\n--- has no %s\n", text, what);
        fail();
    }
}

static void test_ptx(void **state) {
    machine *m = *state;
    static const char *const arches[] = {"sm_80", "sm_90a"};
    for (int i = 0; i < 4; i++) {
        builds(m, "saxpy.cu", arches[i % 2], i / 2);
        const char *ptx = text_of(m, m->b.ptx);
        has(ptx, tc_format(m->a, ".target %s\n", arches[i % 2]));
        has(ptx, ".visible .entry _Z5saxpyPfPKfi(");
        has(ptx, tc_format(m->a, ".file\t1 \"%s\"", in(m, "saxpy.cu")));
        has(ptx, ".loc\t1 5 ");
        /* -g is the host's: device code is optimised and not for debugging */
        assert_null(strstr(ptx, "debug\n"));
        assert_null(strstr(ptx, "__local_depot"));
        assert_false(m->b.cached);
        assert_true(m->b.compile_ns > 0);
    }
}

static void test_changes(void **state) {
    machine *m = *state;
    builds(m, "saxpy.cu", "sm_90a", true);
    builds(m, "saxpy.cu", "sm_90a", true);
    assert_true(m->b.cached);
    put(m, "scale.h", "#define SCALE 3.0f\n");
    builds(m, "saxpy.cu", "sm_90a", true);
    assert_false(m->b.cached);
    has(text_of(m, m->b.ptx), "0f40400000"); /* 3.0f */
    put(m, "scale.h", "#define SCALE 2.0f\n");
    builds(m, "saxpy.cu", "sm_90a", true);
    assert_true(m->b.cached);
    has(text_of(m, m->b.ptx), "_Z5saxpyPfPKfi");
}

static void refuses(machine *m, const char *text, const char *said) {
    char *was = getcwd(NULL, 0);
    assert_int_equal(chdir(m->top), 0);
    put(m, "bad.cu", text);
    tc_build_status s = build(m, "bad.cu", "sm_90a", true);
    assert_int_equal(chdir(was), 0);
    free(was);
    assert_int_equal(s, TC_BUILD_REFUSED);
    has(m->b.said, said);
}

/* Errors of the compiler have the path that was given; CUDA's functions that
 * are missing are told apart from the student's own. */
static void test_refused(void **state) {
    machine *m = *state;
    refuses(m, "int main() {\n    return y;\n}\n",
            "bad.cu(2): error: identifier \"y\" is undefined");
    refuses(m, "#include \"none.h\"\nint main() {}\n",
            "bad.cu:1:10: fatal error: none.h: No such file");
    refuses(m,
            "extern \"C\" int cudaNotThere(int);\nint mine(int);\n"
            "int main() {\n    return cudaNotThere(1) +\n        mine(2);\n}\n",
            "bad.cu:4: error: cudaNotThere is not built yet in this runtime\n");
    has(m->b.said, "undefined reference to `mine(int)'");
    put(m, "bare.cu", "__global__ void k() {}\n"); /* without a main */
    builds(m, "bare.cu", "sm_90a", true);
    assert_null(m->b.program);
}

static void test_hostile_name(void **state) {
    machine *m = *state;
    const char *name = "a\"b$(id)`id`,\\/-x y.cu";
    char *text = tc_format(m->a, "#include \"../scale.h\"\n%s", saxpy);
    *strstr(text, "\"scale.h\"") = '<'; /* and by the include path */
    *strchr(strstr(text, "<scale.h"), '"') = '>';
    put(m, name, text);
    put(m, "a\"b$(id)`id`,\\/scale.h", "");
    builds(m, name, "sm_90a", true);
    has(text_of(m, m->b.ptx), "/a_b$(id)`id`,_/-x y.cu\"");
    assert_int_equal(access(in(m, "id"), F_OK), -1);
}

/* --- the host's lines ------------------------------------------------------*/

/* The address after the first call of that function in the program. */
static uint64_t after_call(machine *m, const char *function) {
    char line[512];
    uint64_t at = 0;
    bool seen = false;
    snprintf(line, sizeof line, "objdump -d --no-show-raw-insn %s",
             m->b.program);
    FILE *p = popen(line, "r");
    char *call = tc_format(m->a, "<%s>\n", function);
    while (at == 0 && fgets(line, sizeof line, p) != NULL) {
        if (seen) {
            at = strtoull(line, NULL, 16);
        }
        seen = strstr(line, "call") != NULL && strstr(line, call) != NULL;
    }
    pclose(p);
    return at;
}

static void line_is(machine *m, const char *function, int want) {
    const char *file = NULL;
    int line = 0;
    uint64_t at = after_call(m, function);
    assert_int_not_equal(at, 0);
    assert_true(
        tc_host_line(m->a, find(m), m->b.program, at, NULL, &file, &line));
    assert_string_equal(file, in(m, "saxpy.cu"));
    assert_int_equal(line, want);
}

static void test_lines(void **state) {
    machine *m = *state;
    const char *file = NULL;
    int line = 0;
    builds(m, "saxpy.cu", "sm_90a", true);
    const tc_toolchain *t = find(m);
    if (t->addr2line == NULL) {
        printf("SKIPPED: no addr2line found\n");
        return;
    }
    line_is(m, "cudaMalloc", 12); /* through the header's template */
    line_is(m, "cudaDeviceSynchronize", 15);
    line_is(m, "cudaFree", 8); /* a call in a return, inlined */
    assert_false(tc_host_line(m->a, t, m->b.program, 0, NULL, &file, &line));
    assert_false(tc_host_line(m->a, t, m->b.program, 3, NULL, &file, &line));
    assert_false(
        tc_host_line(m->a, t, in(m, "scale.h"), 4096, NULL, &file, &line));
}

/* What binutils say of a sequence's first lines, and of the compiler's own. */
static void test_generated_names(void **state) {
    machine *m = *state;
    tc_toolchain t = *find(m);
    const char *file = NULL;
    int line = 0;
    put(m, "early.cu",
        "#include <cstdio>\n"
        "#include <cuda_runtime.h>\n"
        "__global__ void k(int *p) { *p = 1; }\n"
        "__attribute__((noinline))\n"
        "static void early(const char *what, cudaError_t got) {\n"
        "    cudaError_t last = cudaPeekAtLastError();\n"
        "    printf(\"%s: %s\\n\", what, cudaGetErrorName(got));\n"
        "    printf(\"%s: %s\\n\", what, cudaGetErrorName(last));\n"
        "}\n"
        "int main() {\n"
        "    int *d;\n"
        "    early(\"a\", cudaMalloc(&d, 4));\n"
        "    k<<<1, 1>>>(d);\n"
        "    early(\"b\", cudaFree(d));\n"
        "}\n");
    builds(m, "early.cu", "sm_90a", true);
    uint64_t at = after_call(m, "cudaPeekAtLastError");
    if (t.addr2line != NULL) {
        assert_true(
            tc_host_line(m->a, &t, m->b.program, at, NULL, &file, &line));
        assert_string_equal(file, in(m, "early.cu"));
        assert_int_equal(line, 6);
    }
    t.addr2line = in(m, "fake_addr2line");
    put(m, "fake_addr2line",
        "#!/bin/sh\n"
        "echo /usr/include/stdio.h:7\n"
        "echo /tmp/keep0/early.cudafe1.stub.c:1\n"
        "echo '/tmp/keep0/early.cudafe1.cpp:71 (discriminator 2)'\n");
    assert_int_equal(chmod(t.addr2line, 0700), 0);
    assert_true(tc_host_line(m->a, &t, m->b.program, 64, NULL, &file, &line));
    assert_string_equal(file, in(m, "early.cu"));
    assert_int_equal(line, 71);
    put(m, "fake_addr2line", /* of no unit of this program's */
        "#!/bin/sh\necho /tmp/keep0/other.cudafe1.cpp:71\n");
    assert_false(tc_host_line(m->a, &t, m->b.program, 64, NULL, &file, &line));
    put(m, "fake_addr2line", "#!/bin/sh\necho early.cudafe1.cpp:71\n");
    assert_false(
        tc_host_line(m->a, &t, in(m, "early.cu"), 64, NULL, &file, &line));
}

/* A host side of its own beside the file, as a grader has it. */
static void test_main(void **state) {
    machine *m = *state;
    put(m, "part.cu",
        "#include \"scale.h\"\n"
        "__global__ void k(float *p) { *p = SCALE; }\n"
        "void run(float *p) { k<<<1, 1>>>(p); }\n");
    tc_build_options o = {.arch = "sm_90a",
                          .program = true,
                          .main = put(m, "host/main.cu",
                                      "void run(float *);\n"
                                      "int main() { run(nullptr); }\n")};
    for (int i = 0; i < 2; i++) {
        tc_build_status s = tc_build_cu(m->a, find(m), in(m, "part.cu"), &o,
                                        &m->b, m->text, sizeof m->text);
        print_message("%s", m->b.said);
        assert_int_equal(s, TC_BUILD_OK);
        assert_int_equal(m->b.cached, i == 1);
    }
    has(text_of(m, m->b.ptx), "_Z1kPf");
    put(m, "host/main.cu", "int main() {}\n");
    assert_int_equal(tc_build_cu(m->a, find(m), in(m, "part.cu"), &o, &m->b,
                                 m->text, sizeof m->text),
                     TC_BUILD_OK);
    assert_false(m->b.cached);
}

static const tc_build_options none;

/* --- ptxas -----------------------------------------------------------------*/

static void test_registers(void **state) {
    machine *m = *state;
    put(m, "two.cu",
        "__device__ __noinline__ float f(float x) { return x * x + 1; }\n"
        "extern \"C\" __global__ void one(float *p) { *p = f(*p); }\n"
        "template <int N> __global__ void two(float *p) {\n"
        "    float a[N];\n"
        "    for (int i = 0; i < N; i++) a[i] = p[i * 7];\n"
        "    __syncthreads();\n"
        "    for (int i = 0; i < N; i++) p[i] = a[N - 1 - i] * a[i];\n"
        "}\n"
        "template __global__ void two<24>(float *);\n");
    builds(m, "two.cu", "sm_90a", false);
    const tc_toolchain *t = find(m);
    const char *ptx = text_of(m, m->b.ptx);
    if (t->ptxas == NULL) {
        printf("SKIPPED: no ptxas found\n");
        return;
    }
    char why[256] = "";
    const char *all, *again;
    assert_int_equal(tc_ptxas_registers(m->a, t, ptx, "90a", NULL, &none, &all,
                                        why, sizeof why),
                     TC_BUILD_OK);
    int one = 0, two = 0;
    const char *at = strstr(all, "one ");
    assert_true(at != NULL && sscanf(at, "one %d\n", &one) == 1);
    at = strstr(all, "_Z3twoILi24EEvPf ");
    assert_true(at != NULL && sscanf(at, "%*s %d\n", &two) == 1);
    /* 24 values live across the barrier, and the hardware's limits */
    assert_in_range(two, 24, 255);
    assert_in_range(one, 2, 23);
    tc_ptxas_registers(m->a, t, ptx, "90a", NULL, &none, &again, why,
                       sizeof why);
    assert_string_equal(again, all);
    /* one kernel alone */
    tc_ptxas_registers(m->a, t, ptx, "90a", "one", &none, &again, why,
                       sizeof why);
    assert_string_equal(again, tc_format(m->a, "one %d\n", one));
    assert_int_equal(tc_ptxas_registers(m->a, t, "no PTX", "90a", NULL, &none,
                                        &all, why, sizeof why),
                     TC_BUILD_REFUSED);
    assert_string_equal(all, "");
    /* what it refuses it is not asked again */
    const tc_limits little = {.wall_s = 1e-3};
    const tc_build_options hurry = {.limits = &little};
    assert_int_equal(tc_ptxas_registers(m->a, t, "no PTX", "90a", NULL, &hurry,
                                        &all, why, sizeof why),
                     TC_BUILD_OK);
}

/* How long that takes is bounded too, and said. */
static void test_registers_limit(void **state) {
    machine *m = *state;
    tc_toolchain t = {.nvcc = "nvcc", .ptxas = script(m, "ptxas", "sleep 100")};
    const tc_limits little = {.wall_s = 0.5};
    const tc_build_options hurry = {.limits = &little};
    const char *all;
    char why[256] = "";
    assert_int_equal(tc_ptxas_registers(m->a, &t, "PTX", "90a", NULL, &hurry,
                                        &all, why, sizeof why),
                     TC_BUILD_LIMITED);
    assert_string_equal(all, "");
    assert_string_equal(why, "ptxas was stopped: it is not done after 0.5 s");
}

static void test_cubin(void **state) {
    machine *m = *state;
    size_t bytes = 0, again = 0;
    builds(m, "saxpy.cu", "sm_90a", false);
    const tc_toolchain *t = find(m);
    const char *ptx = text_of(m, m->b.ptx);
    if (t->ptxas == NULL) {
        printf("SKIPPED: no ptxas found\n");
        return;
    }
    const void *made = tc_ptxas_cubin(m->a, t, ptx, "sm_90a", NULL, &none,
                                      &bytes, m->text, sizeof m->text);
    assert_non_null(made);
    assert_memory_equal(made, "\177ELF", 4);
    const void *kept = tc_ptxas_cubin(m->a, t, ptx, "90a", NULL, &none, &again,
                                      m->text, sizeof m->text);
    assert_int_equal(again, bytes);
    assert_memory_equal(made, kept, bytes);
    assert_null(tc_ptxas_cubin(m->a, t, ".version 9.0\nnonsense\n", "90a", NULL,
                               &none, &bytes, m->text, sizeof m->text));
    has(m->text, "ptxas refused it: ");
    has(m->text, "line 2");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, machine_free)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_ptx),
        TEST(test_changes),
        TEST(test_refused),
        TEST(test_lines),
        TEST(test_hostile_name),
        TEST(test_main),
        TEST(test_generated_names),
        TEST(test_registers),
        TEST(test_registers_limit),
        TEST(test_cubin),
    };
    const char *why = NULL, *hint = NULL;
    tc_arena *a = tc_arena_new();
    const tc_toolchain *t = tc_toolchain_find(a, &why, &hint);
    if (t == NULL || tc_host_compiler(a) == NULL) {
        printf("SKIPPED: %s\n", t == NULL ? why : "there is no g++");
        tc_arena_free(a);
        return 0;
    }
    real_nvcc = t->nvcc;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    tc_arena_free(a);
    return failed;
}

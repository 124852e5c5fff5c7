/* new.c - `exercise new NAME`: a folder that passes its own check, to be
 * changed into another one. */
#include "base/file.h"
#include "grade/grading.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* @ stands for the exercise's name. */
static const struct {
    const char *file, *text;
} files[] = {
    {"exercise.yml",
     "# What is asked for, and how it is graded. `exercise check ./@` holds "
     "the\n"
     "# folder to its own answers. All keys, measures and reasons:\n"
     "# exercises/README.md (`exercise` tells where the exercises are).\n"
     "format: 1\n"
     "title: every element times a number\n"
     "lang: cuda\n"
     "interface: void @(float* y, const float* x, float a, int n)\n"
     "templates: {CUDA: @.cu}\n"
     "reference: reference.cu\n"
     "timeout: 10\n"
     "\n"
     "buffers:\n"
     "  x: {count: n}\n"
     "  y: {count: n, result: \"a * x[i]\"}\n"
     "\n"
     "tests:\n"
     "  - {n: 1, a: 2, x: whole}\n"
     "  - {n: 255, a: 3, x: whole}\n"
     "  - {n: 256, a: 3, x: whole}\n"
     "  - {n: 257, a: 0.5, x: whole}\n"
     "  - {n: 1..5000, a: 5, x: whole, hidden: true}\n"
     "\n"
     "structure:\n"
     "  test: {n: 20000, a: 2, x: whole}\n"
     "  rules:\n"
     "    - {measure: writing_threads, least: n / 64, points: 2,\n"
     "       says: the work is spread over threads,\n"
     "       hint: one thread an element is a good start}\n"
     "\n"
     "hints:\n"
     "  unwritten: Does every index below n have a thread, whatever n is?\n"
     "  out-of-bounds: The last block may have threads without an element.\n"
     "\n"
     "wrong:\n"
     "  - {file: wrong/no_tail.cu, fails: unwritten}\n"
     "  - {file: wrong/past_the_end.cu, fails: out-of-bounds}\n"
     "  - {file: wrong/one_thread.cu, fails: writing_threads}\n"
     "  - {file: wrong/adds.cu, fails: wrong-value}\n"},
    {"README.md",
     "# @: every element times a number\n"
     "\n"
     "```cpp\n"
     "void @(float* y, const float* x, float a, int n);\n"
     "```\n"
     "\n"
     "`y[i]` becomes `a * x[i]` for each i below n. `x` and `y` are "
     "device memory.\n"},
    {"@.cu", "// Your solution. See README.md.\n"
             "#include <cuda_runtime.h>\n"
             "\n"
             "void @(float *y, const float *x, float a, int n) {\n"
             "    // Launch your kernel here.\n"
             "}\n"},
    {"reference.cu",
     "// A solution.\n"
     "#include <cuda_runtime.h>\n"
     "\n"
     "__global__ void scale_kernel(float *y, const float *x, float a, int n) "
     "{\n"
     "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n) {\n"
     "        y[i] = a * x[i];\n"
     "    }\n"
     "}\n"
     "\n"
     "void @(float *y, const float *x, float a, int n) {\n"
     "    scale_kernel<<<(n + 255) / 256, 256>>>(y, x, a, n);\n"
     "}\n"},
    {"wrong/no_tail.cu",
     "// Wrong: the elements behind the last whole block have no thread.\n"
     "#include <cuda_runtime.h>\n"
     "\n"
     "__global__ void scale_kernel(float *y, const float *x, float a) {\n"
     "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    y[i] = a * x[i];\n"
     "}\n"
     "\n"
     "void @(float *y, const float *x, float a, int n) {\n"
     "    if (n >= 256) {\n"
     "        scale_kernel<<<n / 256, 256>>>(y, x, a);\n"
     "    } else {\n"
     "        scale_kernel<<<1, n>>>(y, x, a);\n"
     "    }\n"
     "}\n"},
    {"wrong/past_the_end.cu",
     "// Wrong: the threads behind the end work too.\n"
     "#include <cuda_runtime.h>\n"
     "\n"
     "__global__ void scale_kernel(float *y, const float *x, float a) {\n"
     "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    y[i] = a * x[i];\n"
     "}\n"
     "\n"
     "void @(float *y, const float *x, float a, int n) {\n"
     "    scale_kernel<<<(n + 255) / 256, 256>>>(y, x, a);\n"
     "}\n"},
    {"wrong/one_thread.cu",
     "// Wrong: right results, by one thread that does everything.\n"
     "#include <cuda_runtime.h>\n"
     "\n"
     "__global__ void scale_kernel(float *y, const float *x, float a, int n) "
     "{\n"
     "    for (int i = 0; i < n; ++i) {\n"
     "        y[i] = a * x[i];\n"
     "    }\n"
     "}\n"
     "\n"
     "void @(float *y, const float *x, float a, int n) {\n"
     "    scale_kernel<<<1, 1>>>(y, x, a, n);\n"
     "}\n"},
    {"wrong/adds.cu",
     "// Wrong: a sum.\n"
     "#include <cuda_runtime.h>\n"
     "\n"
     "__global__ void scale_kernel(float *y, const float *x, float a, int n) "
     "{\n"
     "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
     "    if (i < n) {\n"
     "        y[i] = a + x[i];\n"
     "    }\n"
     "}\n"
     "\n"
     "void @(float *y, const float *x, float a, int n) {\n"
     "    scale_kernel<<<(n + 255) / 256, 256>>>(y, x, a, n);\n"
     "}\n"}};

static const char *named(tc_arena *a, const char *text, const char *name) {
    tc_buf b = TC_BUF_INIT;
    for (; *text; text++) {
        if (*text == '@') {
            tc_buf_puts(&b, name);
        } else {
            tc_buf_putc(&b, *text);
        }
    }
    return tc_buf_finish(&b, a);
}

/* A name that C++ takes for a function's. */
static bool is_name(const char *s) {
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return n > 0 && n < 64 && s[n] == '\0' && strchr("0123456789", *s) == NULL;
}

static bool put_all(const char *name, tc_arena *a, tc_diags *d) {
    char why[TC_FILE_WHY];
    bool ok = mkdir(name, 0755) == 0;
    if (!ok || mkdir(tc_format(a, "%s/wrong", name), 0755) != 0) {
        tc_error(d, TC_NOWHERE, NULL, "cannot make the folder '%s': %s", name,
                 strerror(errno));
        return false;
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path =
            tc_format(a, "%s/%s", name, named(a, files[i].file, name));
        const char *text = named(a, files[i].text, name);
        if (!tc_file_write(path, text, strlen(text), NULL, why)) {
            tc_error(d, TC_NOWHERE, NULL, "cannot write '%s': %s", path, why);
            return false;
        }
    }
    return true;
}

tc_status tc_exercise_new(const char *name, tc_diag_fn diag,
                          tc_output_fn output, void *user) {
    tc_diags d = {diag, user, 0};
    tc_status status = TC_OK;
    if (!is_name(name)) {
        tc_error(&d, TC_NOWHERE, "small letters, digits and _",
                 "'%s' is no name of a function", name);
        return TC_USAGE;
    }
    tc_arena *a = tc_arena_new();
    if (put_all(name, a, &d)) {
        const char *text =
            tc_format(a,
                      "%s/ has an exercise: change its files, then\n"
                      "  tilecopy-repl exercise check ./%s\n",
                      name, name);
        output(user, text, strlen(text));
    } else {
        status = TC_FAILED;
    }
    tc_arena_free(a);
    return status;
}

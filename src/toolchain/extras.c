/* extras.c - what of CUDA's headers a source can do without.
 *
 * With --extended-lambda cuda_runtime.h includes <functional>, and with it
 * vector, unordered_map and the algorithms: a third of what three compilers read
 * of a small program. Only lambdas marked __device__ or __host__ want it, and
 * nvcc refuses them without.
 *
 * The headers of CCCL (<cuda/...>, and <cooperative_groups.h>, which includes
 * one) include those of half, bfloat16 and fp8: a fifth. CCCL_DISABLE_..._SUPPORT
 * (CCCL's documentation, "Macros") leaves them out.
 *
 * A build that succeeds is the same one; where something may be missing it is
 * made again with all. */
#include "toolchain/build.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool has(const tc_unit *u, const char *word) {
    return memmem(u->text, u->len, word, strlen(word)) != NULL;
}

static bool has_any(const tc_unit *u, const char *const *words) {
    for (; *words != NULL; words++) {
        if (has(u, *words)) {
            return true;
        }
    }
    return false;
}

/* Is a __device__ or a __host__ behind a bracket, as in
 * "[=] __device__ (int i)" or "[](int i) mutable __host__ __device__"? What a
 * function is declared with may look like that as well; after `lines` line
 * breaks it is taken for that. */
static bool has_marked_lambda(const tc_unit *u, int lines) {
    static const char *const marks[] = {"__device__", "__host__"};
    for (int i = 0; i < 2; i++) {
        for (const char *at = u->text; (at = strstr(at, marks[i])) != NULL;) {
            const char *p = at;
            int n = 0;
            while (p > u->text && strchr(" \t\r\n\\", p[-1]) != NULL) {
                n += *--p == '\n';
            }
            at += strlen(marks[i]);
            if (n >= lines) {
                continue;
            }
            if (p - u->text >= 7 && memcmp(p - 7, "mutable", 7) == 0) {
                return true;
            }
            if (p > u->text && (p[-1] == ']' || p[-1] == ')')) {
                return true;
            }
        }
    }
    return false;
}

/* Are there headers or flags that only the compiler sees? */
static bool has_unseen(const tc_unit *u) {
    static const char *const variables[] = {
        "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "CPATH",
        "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH"};
    bool unseen = has(u, "#include \"");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        unseen |= getenv(variables[i]) != NULL;
    }
    return unseen;
}

tc_build_extras tc_build_needs(const tc_unit *u) {
    static const char *const floats[] = {"half",     "bfloat", "fp16", "bf16",
                                         "fp8",      "fp6",    "fp4",  "<cub/",
                                         "<thrust/", "CCCL_",  NULL};
    static const char *const users[] = {"<cuda/", "<cooperative_groups", NULL};
    return (tc_build_extras){
        .lambdas = has_marked_lambda(u, 2) || has(u, "EXTENDED_LAMBDA"),
        .floats = !has_any(u, users) || has_any(u, floats) || has_unseen(u)};
}

/* A macro may stand for a lambda's mark, a header may have it, and what uses
 * <functional> need not include it where the option does. */
bool tc_build_may_need(const tc_unit *u, tc_build_extras without) {
    static const char *const words[] = {"std::", "namespace std", "#define",
                                        NULL};
    return !without.floats ||
           (!without.lambdas && (has_any(u, words) || has_unseen(u) ||
                                 has_marked_lambda(u, INT_MAX)));
}

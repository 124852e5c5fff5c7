/* matrix.c - ldmatrix and stmatrix as CUDA: a helper of inline PTX with
 * the name that TVM gives it. */
#include "emit/cuda/cuda.h"

#include <string.h>

static bool is_string(const tc_expr *call, int i, const char *s) {
    return call->call.args[i]->kind == TC_E_STRING &&
           strcmp(call->call.args[i]->s, s) == 0;
}

static int tiles_of(tc_ce e, const tc_expr *call, int fixed, bool *trans) {
    int64_t flag = 0, num = 0;
    bool known = tc_expr_const(call->call.args[0], &flag) &&
                 tc_expr_const(call->call.args[1], &num);
    if (!known || (num != 1 && num != 2 && num != 4) ||
        call->call.n != fixed + num || !is_string(call, 2, ".b16")) {
        tc_ce_fail(e, call->span, "1, 2 or 4 tiles of .b16, one pointer each",
                   "%s: CUDA text of this form is not built yet",
                   tc_ops[call->call.op].name);
        return 0;
    }
    *trans = flag != 0;
    return (int)num;
}

/* n pieces of text, "part" with its number for %d, between commas. */
static const char *list(tc_ce e, const char *before, const char *after, int n,
                        int from) {
    tc_buf b = TC_BUF_INIT;
    for (int i = 0; i < n; i++) {
        tc_buf_printf(&b, "%s%s%d%s", i > 0 ? ", " : "", before, from + i,
                      after);
    }
    return tc_buf_finish(&b, e->arena);
}

static const char *each(tc_ce e, const char *fmt_before, const char *between,
                        const char *after, int n) {
    tc_buf b = TC_BUF_INIT;
    for (int i = 0; i < n; i++) {
        tc_buf_printf(&b, "  %s%d%s%d%s\n", fmt_before, i, between, i, after);
    }
    return tc_buf_finish(&b, e->arena);
}

static const char *arguments(tc_ce e, const tc_expr *call, int from, int n) {
    tc_buf b = TC_BUF_INIT;
    for (int i = 0; i < n; i++) {
        const char *text = tc_ce_expr(e, call->call.args[from + i]);
        tc_buf_printf(&b, ", %s", tc_ce_bare(e, text));
    }
    return tc_buf_finish(&b, e->arena);
}

static const char *shared_cast(void) {
    return "  unsigned int at = (unsigned int)__cvta_generic_to_shared(smem);"
           "\n";
}

const char *tc_cuda_op_PTX_LDMATRIX(tc_ce e, const tc_expr *call) {
    bool trans;
    int n = tiles_of(e, call, 4, &trans);
    if (n == 0) {
        return "0";
    }
    const char *name = tc_format(e->arena, "ptx_ldmatrix_%d_b16_%d", n, trans);
    tc_ce_helper(
        e, name,
        tc_format(e->arena,
                  "__forceinline__ __device__ void %s(void* smem, %s) {\n"
                  "%s  unsigned int %s;\n"
                  "  asm volatile(\"ldmatrix.sync.aligned.m8n8.x%d%s.shared"
                  ".b16 {%s}, [%%%d];\\n\"\n"
                  "               : %s : \"r\"(at) : \"memory\");\n"
                  "%s}\n",
                  name, list(e, "void* d", "", n, 0), shared_cast(),
                  list(e, "r", "", n, 0), n, trans ? ".trans" : "",
                  list(e, "%", "", n, 0), n, list(e, "\"=r\"(r", ")", n, 0),
                  each(e, "*(unsigned int*)d", " = r", ";", n)));
    const char *smem = tc_ce_bare(e, tc_ce_expr(e, call->call.args[3]));
    return tc_format(e->arena, "%s(%s%s)", name, smem,
                     arguments(e, call, 4, n));
}

const char *tc_cuda_op_PTX_STMATRIX(tc_ce e, const tc_expr *call) {
    bool trans;
    int n = tiles_of(e, call, 6, &trans);
    if (n == 0) {
        return "0";
    }
    if (!is_string(call, 3, "m8n8") || !is_string(call, 4, "shared")) {
        tc_ce_fail(e, call->span, "shape m8n8, space shared",
                   "T.ptx.stmatrix: CUDA text of this form is not built yet");
        return "0";
    }
    const char *name =
        tc_format(e->arena, "ptx_stmatrix_m8n8_%d_%d_shared_b16", n, trans);
    tc_ce_helper(
        e, name,
        tc_format(e->arena,
                  "__forceinline__ __device__ void %s(void* smem, %s) {\n"
                  "%s"
                  "  asm volatile(\"stmatrix.sync.aligned.m8n8.x%d%s.shared"
                  ".b16 [%%0], {%s};\\n\"\n"
                  "               :: \"r\"(at), %s : \"memory\");\n"
                  "}\n",
                  name, list(e, "const void* s", "", n, 0), shared_cast(), n,
                  trans ? ".trans" : "", list(e, "%", "", n, 1),
                  list(e, "\"r\"(*(const unsigned int*)s", ")", n, 0)));
    const char *smem = tc_ce_bare(e, tc_ce_expr(e, call->call.args[5]));
    return tc_format(e->arena, "%s(%s%s)", name, smem,
                     arguments(e, call, 6, n));
}

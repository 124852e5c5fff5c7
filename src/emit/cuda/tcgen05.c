/* tcgen05.c - tensor memory as CUDA: helpers of inline PTX with the names
 * that TVM gives them. */
#include "emit/tcgen05.h"
#include "emit/cuda/cuda.h"

#include <string.h>

static const char *argument(tc_ce e, const tc_expr *call, int i) {
    return tc_ce_bare(e, tc_ce_expr(e, call->call.args[i]));
}

static int group(const tc_expr *call, int i) {
    return tc_tcgen05_constant(call, i) == 2 ? 2 : 1;
}

static const char *string_of(const tc_expr *x) {
    return x->kind == TC_E_STRING ? x->s : "";
}

/* Letters, digits and underscores of s. */
static const char *safe(tc_ce e, const char *s) {
    tc_buf b = TC_BUF_INIT;
    for (; *s != '\0'; s++) {
        bool pair = s[0] == ':' && s[1] == ':';
        tc_buf_putc(&b, *s == ':' || *s == '.' ? '_' : *s);
        s += pair;
    }
    return tc_buf_finish(&b, e->arena);
}

/* A helper `name` with parameters that runs one statement of inline PTX. */
static void helper(tc_ce e, const char *name, const char *params,
                   const char *before, const char *code) {
    tc_ce_helper(e, name,
                 tc_format(e->arena,
                           "__forceinline__ __device__ void %s(%s) {\n"
                           "%s  asm volatile(%s);\n"
                           "}\n",
                           name, params, before, code));
}

static const char *bare(tc_ce e, const char *name, const char *instruction) {
    helper(e, name, "", "",
           tc_format(e->arena, "\"%s;\" ::: \"memory\"", instruction));
    return tc_format(e->arena, "%s()", name);
}

static void tmem_address(tc_ce e) {
    tc_ce_helper(e, "get_tmem_addr",
                 "// lane in the upper half, column in the lower\n"
                 "__forceinline__ __device__ uint32_t get_tmem_addr(uint32_t "
                 "at, uint32_t row,\n"
                 "    uint32_t col) {\n"
                 "  return (((at >> 16) + row) << 16) | ((at + col) & 0xffff);"
                 "\n"
                 "}\n");
}

static const char to_shared[] =
    "  unsigned int at = (unsigned int)__cvta_generic_to_shared(%s);\n";

/* --- allocation ------------------------------------------------------------*/

static bool columns_fit(tc_ce e, const tc_expr *call) {
    const char *why = tc_tcgen05_bad_columns(e->arena, call);
    if (why != NULL) {
        tc_ce_fail(e, call->span, NULL, "%s: %s", tc_ops[call->call.op].name,
                   why);
    }
    return why == NULL;
}

const char *tc_cuda_op_PTX_TCGEN05_ALLOC(tc_ce e, const tc_expr *call) {
    int g = group(call, 2);
    const char *name =
        tc_format(e->arena, "tvm_builtin_ptx_tcgen05_alloc_cta_group_%d", g);
    if (!columns_fit(e, call)) {
        return "0";
    }
    helper(
        e, name, "void* dst, int n_cols", tc_format(e->arena, to_shared, "dst"),
        tc_format(e->arena,
                  "\"tcgen05.alloc.cta_group::%d.sync.aligned.shared::cta.b32"
                  " [%%0], %%1;\"\n"
                  "               :: \"r\"(at), \"r\"(n_cols) : \"memory\"",
                  g));
    return tc_format(e->arena, "%s(%s, %s)", name, argument(e, call, 0),
                     argument(e, call, 1));
}

const char *tc_cuda_op_PTX_TCGEN05_DEALLOC(tc_ce e, const tc_expr *call) {
    int g = group(call, 2);
    const char *name =
        tc_format(e->arena, "tvm_builtin_ptx_tcgen05_dealloc_cta_group_%d", g);
    if (!columns_fit(e, call)) {
        return "0";
    }
    helper(e, name, "uint32_t at, int n_cols", "",
           tc_format(e->arena,
                     "\"tcgen05.dealloc.cta_group::%d.sync.aligned.b32 %%0, "
                     "%%1;\"\n"
                     "               :: \"r\"(at), \"r\"(n_cols) : \"memory\"",
                     g));
    return tc_format(e->arena, "%s(%s, %s)", name, argument(e, call, 0),
                     argument(e, call, 1));
}

const char *tc_cuda_op_PTX_TCGEN05_RELINQUISH(tc_ce e, const tc_expr *call) {
    int g = group(call, 0);
    return bare(
        e,
        tc_format(
            e->arena,
            "tvm_builtin_ptx_tcgen05_relinquish_alloc_permit_cta_group_%d", g),
        tc_format(e->arena,
                  "tcgen05.relinquish_alloc_permit.cta_group::%d.sync.aligned",
                  g));
}

/* --- ld, st, and their waits -----------------------------------------------*/

/* n pieces: before, a number from `from` on, after. */
static const char *list(tc_ce e, const char *before, const char *after, int n,
                        int from) {
    tc_buf b = TC_BUF_INIT;
    for (int i = 0; i < n; i++) {
        tc_buf_printf(&b, "%s%s%d%s", i > 0 ? ", " : "", before, from + i,
                      after);
    }
    return tc_buf_finish(&b, e->arena);
}

/* What 16x32bx2 has behind its address. */
static const char *half(tc_ce e, const tc_expr *call) {
    long long n = (long long)tc_tcgen05_constant(call, 4);
    return strcmp(string_of(call->call.args[3]), "16x32bx2") != 0
               ? ""
               : tc_format(e->arena, ", %lld",
                           tc_tcgen05_pack(call)[0] != '\0' ? 2 * n : n);
}

static void ldst_helper(tc_ce e, const tc_expr *call, const char *name,
                        const char *form, int n) {
    bool load = call->call.op == TC_OPC_PTX_TCGEN05_LD;
    const char *at = "\"r\"(get_tmem_addr(taddr, row, col))";
    const char *regs = list(
        e, load ? "\"=r\"(*(uint32_t*)r" : "\"r\"(*(uint32_t*)r", ")", n, 0);
    const char *slots = list(e, "%", "", n, load ? 0 : 1);
    const char *pointers = list(e, "void* r", "", n, 0);
    const char *code =
        load
            ? tc_format(e->arena,
                        "\"tcgen05.ld.sync.aligned.%s%s.b32 {%s}, [%%%d]%s;\"\n"
                        "               : %s\n               : %s",
                        form, tc_tcgen05_pack(call), slots, n, half(e, call),
                        regs, at)
            : tc_format(e->arena,
                        "\"tcgen05.st.sync.aligned.%s%s.b32 [%%0]%s, {%s};\"\n"
                        "               :: %s, %s",
                        form, tc_tcgen05_pack(call), half(e, call), slots, at,
                        regs);
    tmem_address(e);
    helper(e, name,
           tc_format(e->arena, "%s, uint32_t taddr, uint32_t row, uint32_t col",
                     pointers),
           "", code);
}

/* The registers' addresses come first, then the place in tensor memory. */
static const char *ldst(tc_ce e, const tc_expr *call) {
    bool load = call->call.op == TC_OPC_PTX_TCGEN05_LD;
    const char *why = NULL;
    int n = 0;
    const char *form = tc_tcgen05_form(e->arena, call, &n, &why);
    if (form == NULL) {
        tc_ce_fail(e, call->span, NULL, "%s: %s", tc_ops[call->call.op].name,
                   why);
        return "0";
    }
    const char *pack = tc_tcgen05_pack(call);
    const char *name = tc_format(e->arena, "tvm_builtin_ptx_tcgen05_%s_%s%s",
                                 load ? "ld" : "st", safe(e, form),
                                 pack[0] == '\0' ? ""
                                 : load          ? "_pack"
                                                 : "_unpack");
    ldst_helper(e, call, name, form, n);
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, "%s(", name);
    for (int i = 0; i < n; i++) {
        const tc_expr *x = call->call.args[6 + i];
        if (x->kind != TC_E_LOAD || tc_dtype_bytes(x->type) != 4) {
            tc_ce_fail(e, call->span, "registers are elements of 32 bits",
                       "%s needs registers r[0], r[1], ...",
                       tc_ops[call->call.op].name);
            break;
        }
        tc_buf_printf(&b, "&%s, ", tc_ce_expr(e, x));
    }
    tc_buf_printf(&b, "%s, %s, %s)", argument(e, call, 0), argument(e, call, 1),
                  argument(e, call, 2));
    return tc_buf_finish(&b, e->arena);
}

const char *tc_cuda_op_PTX_TCGEN05_LD(tc_ce e, const tc_expr *call) {
    return ldst(e, call);
}

const char *tc_cuda_op_PTX_TCGEN05_ST(tc_ce e, const tc_expr *call) {
    return ldst(e, call);
}

const char *tc_cuda_op_PTX_TCGEN05_WAIT_LD(tc_ce e, const tc_expr *call) {
    (void)call;
    return bare(e, "tvm_builtin_ptx_tcgen05_wait_ld",
                "tcgen05.wait::ld.sync.aligned");
}

const char *tc_cuda_op_PTX_TCGEN05_WAIT_ST(tc_ce e, const tc_expr *call) {
    (void)call;
    return bare(e, "tvm_builtin_ptx_tcgen05_wait_st",
                "tcgen05.wait::st.sync.aligned");
}

const char *tc_cuda_op_PTX_TCGEN05_FENCE_BEFORE(tc_ce e, const tc_expr *call) {
    (void)call;
    return bare(e, "tvm_builtin_ptx_tcgen05_fence_before_thread_sync",
                "tcgen05.fence::before_thread_sync");
}

const char *tc_cuda_op_PTX_TCGEN05_FENCE_AFTER(tc_ce e, const tc_expr *call) {
    (void)call;
    return bare(e, "tvm_builtin_ptx_tcgen05_fence_after_thread_sync",
                "tcgen05.fence::after_thread_sync");
}

/* --- cp, commit ------------------------------------------------------------*/

const char *tc_cuda_op_PTX_TCGEN05_CP(tc_ce e, const tc_expr *call) {
    tc_expr **x = call->call.args;
    int g = group(call, 3);
    const char *cast = string_of(x[4]), *more = string_of(x[5]);
    const char *name = tc_format(
        e->arena,
        "ptx_tcgen05_cp_cta_group_%d_shape_%s_multicast_%s_decompress_%s", g,
        string_of(x[2]), safe(e, cast), safe(e, more));
    tmem_address(e);
    helper(e, name, "uint32_t taddr, uint32_t row, uint32_t col, uint64_t desc",
           "",
           tc_format(e->arena,
                     "\"tcgen05.cp.cta_group::%d.%s%s%s%s%s [%%0], %%1;\"\n"
                     "               :: \"r\"(get_tmem_addr(taddr, row, col)), "
                     "\"l\"(desc)\n"
                     "               : \"memory\"",
                     g, string_of(x[2]), cast[0] != '\0' ? "." : "", cast,
                     more[0] != '\0' ? "." : "", more));
    return tc_format(e->arena, "%s(%s, %s, %s, %s)", name, argument(e, call, 0),
                     argument(e, call, 6), argument(e, call, 7),
                     argument(e, call, 1));
}

static const char *commit_code(tc_ce e, int g, bool several, bool pred) {
    const char *instruction = tc_format(
        e->arena,
        "tcgen05.commit.cta_group::%d.mbarrier::arrive::one.shared::cluster%s"
        ".b64 [%%0]%s;",
        g, several ? ".multicast::cluster" : "", several ? ", %1" : "");
    const char *inputs =
        tc_format(e->arena, "\"r\"(at)%s%s", several ? ", \"h\"(mask)" : "",
                  pred ? ", \"r\"(pred)" : "");
    const char *code =
        pred ? tc_format(e->arena,
                         "\"{ .reg .pred p; setp.ne.b32 p, %%%d, 0;\\n\"\n"
                         "               \"  @p %s }\"",
                         several ? 2 : 1, instruction)
             : tc_format(e->arena, "\"%s\"", instruction);
    return tc_format(e->arena, "%s\n               :: %s : \"memory\"", code,
                     inputs);
}

const char *tc_cuda_op_PTX_TCGEN05_COMMIT(tc_ce e, const tc_expr *call) {
    int g = group(call, 1);
    bool several = tc_tcgen05_is_multicast(call), pred = call->call.n > 3;
    const char *name =
        tc_format(e->arena, "ptx_tcgen05_commit_cta_group_%d%s%s", g,
                  several ? "_multicast" : "", pred ? "_predicated" : "");
    helper(e, name,
           tc_format(e->arena, "void* bar%s%s",
                     several ? ", uint16_t mask" : "",
                     pred ? ", uint32_t pred" : ""),
           tc_format(e->arena, to_shared, "bar"),
           commit_code(e, g, several, pred));
    return tc_format(
        e->arena, "%s(%s%s%s)", name, argument(e, call, 0),
        several ? tc_format(e->arena, ", %s", argument(e, call, 2)) : "",
        pred ? tc_format(e->arena, ", %s", argument(e, call, 3)) : "");
}

/* --- shared memory descriptors (PTX ISA 9.7.16.4.1) ------------------------*/

const char *tc_cuda_op_PTX_TCGEN05_DESC(tc_ce e, const tc_expr *call) {
    const char *name = "tvm_builtin_ptx_tcgen05_encode_matrix_descriptor";
    tc_ce_helper(
        e, name,
        tc_format(
            e->arena,
            "// bits 0-13 start, 16-29 leading and 32-45 stride offset, all in"
            " 16 bytes;\n// 46-47 are 1; 61-63 the swizzle\n"
            "__forceinline__ __device__ void %s(\n"
            "    uint64_t* desc, void* addr, int ldo, int sdo, int swizzle) "
            "{\n"
            "%s"
            "  uint64_t code = swizzle == 1 ? 6 : swizzle == 2 ? 4 : swizzle "
            "== 3 ? 2\n"
            "                  : swizzle == 4 ? 1 : 0;\n"
            "  *desc = (uint64_t)((at >> 4) & 0x3fff) |\n"
            "          (uint64_t)(ldo & 0x3fff) << 16 |\n"
            "          (uint64_t)(sdo & 0x3fff) << 32 | (uint64_t)1 << 46 |\n"
            "          code << 61;\n"
            "}\n",
            name, tc_format(e->arena, to_shared, "addr")));
    return tc_format(e->arena, "%s(%s, %s, %s, %s, %s)", name,
                     argument(e, call, 0), argument(e, call, 1),
                     argument(e, call, 2), argument(e, call, 3),
                     argument(e, call, 4));
}

const char *tc_cuda_op_SMEM_DESC_ADD(tc_ce e, const tc_expr *call) {
    const char *name = "tvm_builtin_smem_desc_add_16B_offset";
    tc_ce_helper(e, name,
                 "// the lower half counts 16 bytes\n"
                 "__forceinline__ __device__ uint64_t\n"
                 "tvm_builtin_smem_desc_add_16B_offset(uint64_t desc, int "
                 "offset) {\n"
                 "  return (desc & 0xffffffff00000000ull) |\n"
                 "         (uint32_t)((uint32_t)desc + (uint32_t)offset);\n"
                 "}\n");
    return tc_format(e->arena, "%s(%s, %s)", name, argument(e, call, 0),
                     argument(e, call, 1));
}

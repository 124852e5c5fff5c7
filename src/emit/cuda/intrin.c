/* intrin.c - the intrinsics of ir/ops.def as CUDA: one function a row.
 * Helper functions carry the names that TVM gives them. */
#include "emit/cuda/cuda.h"

#include <string.h>

__attribute__((unused)) static const char *planned(tc_ce e,
                                                   const tc_expr *call) {
    tc_ce_fail(e, call->span, NULL, "%s: CUDA text is not built yet",
               tc_ops[call->call.op].name);
    return "0";
}

static tc_cuda_op_fn *const op_functions[TC_OPC_COUNT] = {
#define TC_OP(id, name, lo, hi, kw, sm, flags) [TC_OPC_##id] = tc_cuda_op_##id,
#define TC_OP_PLANNED(id, name, sm)            [TC_OPC_##id] = planned,
#include "ir/ops.def"
};

const char *tc_ce_call(tc_ce e, const tc_expr *call) {
    const tc_op_info *info = &tc_ops[call->call.op];
    if (call->call.n < info->min_args || call->call.n > info->max_args) {
        tc_ce_fail(e, call->span, NULL, "%s does not take %d arguments",
                   info->name, call->call.n);
        return "0";
    }
    return op_functions[call->call.op](e, call);
}

void tc_ce_helper(tc_ce e, const char *name, const char *text) {
    for (int i = 0; i < e->nhelpers; i++) {
        if (strcmp(e->helper_names[i], name) == 0) {
            return;
        }
    }
    TC_PUSH(e->arena, e->helper_names, e->nhelpers, e->helpers_cap, name);
    tc_buf_puts(&e->helpers, text);
    tc_buf_putc(&e->helpers, '\n');
}

static int64_t constant(tc_ce e, const tc_expr *call, int i, int64_t missing) {
    int64_t v = missing;
    if (i < call->call.n && !tc_expr_const(call->call.args[i], &v)) {
        tc_ce_fail(e, call->call.args[i]->span, NULL,
                   "argument %d of %s must be a constant in CUDA text", i + 1,
                   tc_ops[call->call.op].name);
    }
    return v;
}

static const char *string_arg(const tc_expr *call, int i) {
    return i < call->call.n && call->call.args[i]->kind == TC_E_STRING
               ? call->call.args[i]->s
               : "";
}

static const char *argument(tc_ce e, const tc_expr *call, int i) {
    return tc_ce_bare(e, tc_ce_expr(e, call->call.args[i]));
}

static const char *plain_call(tc_ce e, const char *name, const char *body) {
    tc_ce_helper(e, name,
                 tc_format(e->arena,
                           "__forceinline__ __device__ void %s() {\n"
                           "  %s\n"
                           "}\n",
                           name, body));
    return tc_format(e->arena, "%s()", name);
}

/* --- cp.async --------------------------------------------------------------*/

typedef struct cuda_cp_async {
    int64_t size, prefetch;
    bool cache, zero, predicate;
    const char *extra; /* "", "src_size" or "predicate" */
} cuda_cp_async;

static const char *cp_async_name(tc_ce e, const cuda_cp_async *c) {
    const char *cache = c->cache ? "_cache_hint" : "";
    const char *prefetch =
        c->prefetch > 0
            ? tc_format(e->arena, "_prefetch_%lld", (long long)c->prefetch)
            : "";
    if (c->predicate) {
        return tc_format(e->arena,
                         "tvm_builtin_ptx_cp_async_%lld%s%s_predicate",
                         (long long)c->size, cache, prefetch);
    }
    return tc_format(e->arena, "tvm_builtin_ptx_cp_async_%s_%lld%s%s%s",
                     c->size == 16 ? "cg" : "ca", (long long)c->size, cache,
                     prefetch, c->zero ? "_with_src_size" : "");
}

static const char *cp_async_asm(tc_ce e, const cuda_cp_async *c) {
    const char *prefetch = c->prefetch > 0 ? tc_format(e->arena, ".L2::%lldB",
                                                       (long long)c->prefetch)
                                           : "";
    bool extra = c->extra[0] != '\0';
    return tc_format(
        e->arena, "cp.async.%s.shared.global%s%s [%%0], [%%1], %lld%s%s;",
        c->size == 16 ? "cg" : "ca", c->cache ? ".L2::cache_hint" : "",
        prefetch, (long long)c->size, c->zero ? ", %2" : "",
        !c->cache ? ""
        : extra   ? ", %3"
                  : ", %2");
}

static void cp_async_helper(tc_ce e, const cuda_cp_async *c, const char *name) {
    const char *text = cp_async_asm(e, c);
    bool extra = c->extra[0] != '\0';
    const char *code =
        c->predicate
            ? tc_format(e->arena,
                        "\"{ .reg .pred p; setp.eq.u32 p, %%2, 1;\\n\"\n"
                        "               \"  @p %s }\\n\"",
                        text)
            : tc_format(e->arena, "\"%s\\n\"", text);
    tc_ce_helper(
        e, name,
        tc_format(
            e->arena,
            "__forceinline__ __device__ void %s(void* dst, const void* src%s,"
            "\n    uint64_t cache_policy) {\n"
            "  unsigned int to = (unsigned int)__cvta_generic_to_shared(dst);\n"
            "  asm volatile(%s\n"
            "               :: \"r\"(to), \"l\"(__cvta_generic_to_global(src))"
            "%s%s : \"memory\");\n"
            "}\n",
            name, extra ? tc_format(e->arena, ", int %s", c->extra) : "", code,
            extra ? tc_format(e->arena, ", \"r\"(%s)", c->extra) : "",
            c->cache ? ", \"l\"(cache_policy)" : ""));
}

static bool cp_async_read(tc_ce e, const tc_expr *call, cuda_cp_async *c) {
    int64_t v;
    c->size = constant(e, call, 2, 16);
    c->cache = constant(e, call, 4, 0) != 0;
    c->prefetch = constant(e, call, 5, -1);
    c->zero = strcmp(string_arg(call, 7), "zero") == 0;
    bool given =
        call->call.n > 6 && !(tc_expr_const(call->call.args[6], &v) && v == -1);
    c->predicate = given && !c->zero;
    c->extra = c->zero ? "src_size" : given ? "predicate" : "";
    bool sizes = (c->size == 4 || c->size == 8 || c->size == 16) &&
                 (c->prefetch == -1 || c->prefetch == 64 ||
                  c->prefetch == 128 || c->prefetch == 256) &&
                 (c->zero || string_arg(call, 7)[0] == '\0');
    if (!sizes) {
        tc_ce_fail(e, call->span, "sizes 4, 8, 16; prefetch 64, 128, 256",
                   "cp.async cannot copy %lld bytes this way",
                   (long long)c->size);
    }
    return sizes;
}

const char *tc_cuda_op_PTX_CP_ASYNC(tc_ce e, const tc_expr *call) {
    cuda_cp_async c;
    if (!cp_async_read(e, call, &c)) {
        return "0";
    }
    const char *name = cp_async_name(e, &c), *extra = "";
    cp_async_helper(e, &c, name);
    if (c.zero) {
        const char *p = call->call.n > 6 ? argument(e, call, 6) : "1";
        extra = tc_format(e->arena, ", ((%s) != 0 ? %lld : 0)", p,
                          (long long)c.size);
    } else if (c.predicate) {
        extra = tc_format(e->arena, ", (int)(%s)", argument(e, call, 6));
    }
    return tc_format(e->arena, "%s(%s, %s%s, %s)", name, argument(e, call, 0),
                     argument(e, call, 1), extra,
                     call->call.n > 3 ? argument(e, call, 3) : "(uint64_t)0");
}

const char *tc_cuda_op_PTX_CP_ASYNC_COMMIT_GROUP(tc_ce e, const tc_expr *call) {
    (void)call;
    return plain_call(e, "tvm_builtin_ptx_cp_async_commit_group",
                      "asm volatile(\"cp.async.commit_group;\" ::: "
                      "\"memory\");");
}

const char *tc_cuda_op_PTX_CP_ASYNC_WAIT_GROUP(tc_ce e, const tc_expr *call) {
    long long n = (long long)constant(e, call, 0, 0);
    if (n < 0) {
        tc_ce_fail(e, call->span, "0 waits for every group",
                   "cp.async.wait_group cannot leave %lld groups in flight", n);
    }
    return plain_call(
        e, tc_format(e->arena, "tvm_builtin_ptx_cp_async_wait_group_%lld", n),
        tc_format(e->arena,
                  "asm volatile(\"cp.async.wait_group %lld;\" ::: "
                  "\"memory\");",
                  n));
}

/* --- barriers, shuffles ----------------------------------------------------*/

const char *tc_cuda_op_CUDA_CTA_SYNC(tc_ce e, const tc_expr *call) {
    (void)call;
    return plain_call(e, "tvm_builtin_cuda_cta_sync", "__syncthreads();");
}

const char *tc_cuda_op_CUDA_WARP_SYNC(tc_ce e, const tc_expr *call) {
    (void)call;
    return plain_call(e, "tvm_builtin_cuda_warp_sync", "__syncwarp();");
}

const char *tc_cuda_op_STORAGE_SYNC(tc_ce e, const tc_expr *call) {
    const char *scope = string_arg(call, 0);
    if (strcmp(scope, "shared") == 0 || strcmp(scope, "shared.dyn") == 0) {
        return "__syncthreads()";
    }
    if (strcmp(scope, "warp") != 0) {
        tc_ce_fail(e, call->span, "\"shared\" or \"warp\"",
                   "T.tvm_storage_sync(\"%s\"): CUDA text is not built yet",
                   scope);
    }
    return "__syncwarp()";
}

const char *tc_cuda_op_WARP_SHUFFLE(tc_ce e, const tc_expr *call) {
    int64_t width = constant(e, call, 3, 32);
    tc_dtype t = call->call.args[1]->type;
    if (tc_dtypes[t].bits > 32 || t == TC_FLOAT16 || t == TC_BFLOAT16) {
        tc_ce_fail(e, call->span, "32-bit values, width 1 to 32",
                   "this shuffle of %s with width %lld is not built yet",
                   tc_dtypes[t].name, (long long)width);
    }
    return tc_format(e->arena, "__shfl_sync(%s, %s, %s, %lld)",
                     argument(e, call, 0), argument(e, call, 1),
                     argument(e, call, 2), (long long)width);
}

/* --- pointers and copies ---------------------------------------------------*/

const char *tc_cuda_op_ADDRESS_OF(tc_ce e, const tc_expr *call) {
    const tc_expr *x = tc_memory_access_of(call);
    const char *map = tc_ce_map_address(e, call);
    if (map != NULL) {
        return map;
    }
    if (x == NULL) {
        tc_ce_fail(e, call->span, "T.address_of(A[i])",
                   "T.address_of takes an element of a buffer");
        return "0";
    }
    return tc_format(
        e->arena, "(&%s)",
        tc_ce_access(e, x->mem.buffer, x->mem.index, x->mem.n, x->span));
}

const char *tc_cuda_op_POINTER_OFFSET(tc_ce e, const tc_expr *call) {
    const char *name = "tvm_builtin_pointer_offset";
    tc_pointer p = tc_pointer_of(e->facts, call->call.args[0]);
    const char *ptr = argument(e, call, 0);
    tc_ce_helper(e, name,
                 "// offset in elements\n"
                 "template <typename T>\n"
                 "__forceinline__ __device__ T* tvm_builtin_pointer_offset(T* "
                 "ptr, int offset) {\n"
                 "  return ptr + offset;\n"
                 "}\n");
    if (p.elem == TC_VOID || p.elem_mixed) {
        tc_ce_fail(e, call->span, NULL,
                   "cannot offset a pointer to elements of unknown size");
        return "0";
    }
    if (tc_memory_access_of(call->call.args[0]) == NULL) {
        ptr = tc_format(e->arena, "(%s*)(%s)", tc_ce_type(e, p.elem), ptr);
    }
    return tc_format(e->arena, "%s(%s, %s)", name, ptr, argument(e, call, 1));
}

const char *tc_cuda_op_CUDA_COPY_BYTES(tc_ce e, const tc_expr *call) {
    static const char *const types[] = {[1] = "unsigned char",
                                        [2] = "unsigned short",
                                        [4] = "unsigned int",
                                        [8] = "uint2",
                                        [16] = "uint4"};
    int64_t n = constant(e, call, 2, 0);
    if (n < 1 || n > 16 || (n & (n - 1)) != 0) {
        tc_ce_fail(e, call->span, "1, 2, 4, 8 or 16 bytes",
                   "T.cuda.copy_bytes cannot copy %lld bytes", (long long)n);
        return "0";
    }
    const char *name =
        tc_format(e->arena, "tvm_builtin_copy_%lldb", (long long)n * 8);
    tc_ce_helper(e, name,
                 tc_format(e->arena,
                           "__forceinline__ __device__ void %s(void* dst, "
                           "const void* src) {\n"
                           "  *(%s*)dst = *(const %s*)src;\n"
                           "}\n",
                           name, types[n], types[n]));
    return tc_format(e->arena, "%s(%s, %s)", name, argument(e, call, 0),
                     argument(e, call, 1));
}

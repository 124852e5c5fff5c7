/* mbarrier.c - barriers in shared memory, proxies, clusters and the bulk
 * copy between their CTAs, as CUDA. Helper functions carry the names that TVM
 * gives them (intrinsics/sync.py, cp_async.py). */
#include "emit/cuda/cuda.h"

#include <string.h>

static const char *argument(tc_ce e, const tc_expr *call, int i) {
    return tc_ce_bare(e, tc_ce_expr(e, call->call.args[i]));
}

static const char *string_of(const tc_expr *call, int i) {
    return i < call->call.n && call->call.args[i]->kind == TC_E_STRING
               ? call->call.args[i]->s
               : "";
}

static const char *all_arguments(tc_ce e, const tc_expr *call) {
    const char *text = "";
    for (int i = 0; i < call->call.n; i++) {
        text = tc_format(e->arena, "%s%s%s", text, i > 0 ? ", " : "",
                         argument(e, call, i));
    }
    return text;
}

/* One asm statement in a device function; `before` may be "". */
static void asm_helper(tc_ce e, const char *name, const char *params,
                       const char *before, const char *code,
                       const char *operands) {
    tc_ce_helper(e, name,
                 tc_format(e->arena,
                           "__forceinline__ __device__ void %s(%s) {\n"
                           "%s"
                           "  asm volatile(\"%s\"\n"
                           "               :: %s%s: \"memory\");\n"
                           "}\n",
                           name, params, before, code, operands,
                           operands[0] != '\0' ? " " : ""));
}

static const char shared_address[] =
    "  unsigned int bar = (unsigned int)__cvta_generic_to_shared(barrier);\n";

/* --- barriers --------------------------------------------------------------*/

const char *tc_cuda_op_PTX_MBARRIER_INIT(tc_ce e, const tc_expr *call) {
    const char *name = "tvm_builtin_ptx_mbarrier_init";
    asm_helper(e, name, "void* barrier, int thread_count", shared_address,
               "mbarrier.init.shared.b64 [%0], %1;",
               "\"r\"(bar), \"r\"(thread_count)");
    return tc_format(e->arena, "%s(%s)", name, all_arguments(e, call));
}

/* On the barrier of another CTA: its address through mapa. */
static const char *remote(tc_ce e, const char *name, const char *params,
                          const char *instruction, const char *operands) {
    const char *code = tc_format(
        e->arena,
        "{\\n\"\n"
        "               \"  .reg .pred p;\\n\"\n"
        "               \"  .reg .b32 to;\\n\"\n"
        "               \"  setp.ne.s32 p, %%2, 0;\\n\"\n"
        "               \"  @p mapa.shared::cluster.u32 to, %%0, %%1;\\n\"\n"
        "               \"  @p %s;\\n\"\n"
        "               \"}",
        instruction);
    asm_helper(e, name, params, shared_address, code,
               tc_format(e->arena,
                         "\"r\"(bar), \"r\"(cta_id), \"r\"((int)pred)%s",
                         operands));
    return name;
}

const char *tc_cuda_op_PTX_MBARRIER_ARRIVE(tc_ce e, const tc_expr *call) {
    const char *name = "tvm_builtin_ptx_mbarrier_arrive";
    if (call->call.n < 3) {
        asm_helper(e, name, "void* barrier", shared_address,
                   "mbarrier.arrive.shared.b64 _, [%0];", "\"r\"(bar)");
        return tc_format(e->arena, "%s(%s)", name, argument(e, call, 0));
    }
    bool count = call->call.n > 3;
    name = remote(e,
                  count ? "tvm_builtin_ptx_mbarrier_arrive_remote_count"
                        : "tvm_builtin_ptx_mbarrier_arrive_remote",
                  count ? "void* barrier, int cta_id, bool pred, int count"
                        : "void* barrier, int cta_id, bool pred",
                  count ? "mbarrier.arrive.shared::cluster.b64 _, [to], %3"
                        : "mbarrier.arrive.shared::cluster.b64 _, [to]",
                  count ? ", \"r\"(count)" : "");
    return tc_format(e->arena, "%s(%s)", name, all_arguments(e, call));
}

const char *tc_cuda_op_PTX_MBARRIER_ARRIVE_EXPECT_TX(tc_ce e,
                                                     const tc_expr *call) {
    const char *name = "tvm_builtin_ptx_mbarrier_arrive_expect_tx";
    if (call->call.n < 4) {
        asm_helper(e, name, "void* barrier, int byte_count", shared_address,
                   "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;",
                   "\"r\"(bar), \"r\"(byte_count)");
        return tc_format(e->arena, "%s(%s, %s)", name, argument(e, call, 0),
                         argument(e, call, 1));
    }
    name = remote(e, "tvm_builtin_ptx_mbarrier_arrive_expect_tx_remote",
                  "void* barrier, int cta_id, bool pred, int byte_count",
                  "mbarrier.arrive.expect_tx.shared::cluster.b64 _, [to], %3",
                  ", \"r\"(byte_count)");
    return tc_format(e->arena, "%s(%s, %s, %s, %s)", name, argument(e, call, 0),
                     argument(e, call, 2), argument(e, call, 3),
                     argument(e, call, 1));
}

const char *tc_cuda_op_PTX_MBARRIER_TRY_WAIT(tc_ce e, const tc_expr *call) {
    const char *name = "tvm_builtin_ptx_mbarrier_try_wait";
    asm_helper(e, name, "void* barrier, int phase",
               "  unsigned int bar = "
               "(unsigned int)__cvta_generic_to_shared(barrier);\n"
               "  unsigned int ticks = 10000000;  // ns that a try may last\n",
               "{\\n\"\n"
               "               \"  .reg .pred done;\\n\"\n"
               "               \"AGAIN:\\n\"\n"
               "               \"  mbarrier.try_wait.parity.shared::cta.b64 "
               "done, [%0], %1, %2;\\n\"\n"
               "               \"  @!done bra AGAIN;\\n\"\n"
               "               \"}",
               "\"r\"(bar), \"r\"(phase), \"r\"(ticks)");
    return tc_format(e->arena, "%s(%s)", name, all_arguments(e, call));
}

const char *tc_cuda_op_PTX_CP_ASYNC_MBARRIER_ARRIVE(tc_ce e,
                                                    const tc_expr *call) {
    const char *name = "tvm_builtin_ptx_cp_async_mbarrier_arrive";
    asm_helper(e, name, "void* barrier", shared_address,
               "cp.async.mbarrier.arrive.shared.b64 [%0];", "\"r\"(bar)");
    return tc_format(e->arena, "%s(%s)", name, argument(e, call, 0));
}

/* --- order -----------------------------------------------------------------*/

const char *tc_cuda_op_PTX_FENCE_MBARRIER_INIT(tc_ce e, const tc_expr *call) {
    const char *name = "tvm_builtin_ptx_fence_mbarrier_init";
    (void)call;
    asm_helper(e, name, "", "", "fence.mbarrier_init.release.cluster;", "");
    return tc_format(e->arena, "%s()", name);
}

const char *tc_cuda_op_PTX_FENCE_PROXY_ASYNC(tc_ce e, const tc_expr *call) {
    const char *space = string_of(call, 0), *suffix = "";
    if (space[0] != '\0') {
        suffix = strcmp(space, "shared::cta") == 0       ? "_shared_cta"
                 : strcmp(space, "shared::cluster") == 0 ? "_shared_cluster"
                                                         : "_global";
    }
    const char *name =
        tc_format(e->arena, "tvm_builtin_ptx_fence_proxy_async%s", suffix);
    asm_helper(e, name, "", "",
               tc_format(e->arena, "fence.proxy.async%s%s;",
                         space[0] != '\0' ? "." : "", space),
               "");
    return tc_format(e->arena, "%s()", name);
}

const char *tc_cuda_op_CUDA_CLUSTER_SYNC(tc_ce e, const tc_expr *call) {
    const char *name = "tvm_builtin_cuda_cluster_sync";
    (void)call;
    tc_ce_helper(
        e, name,
        "__forceinline__ __device__ void tvm_builtin_cuda_cluster_sync() {\n"
        "  asm volatile(\"barrier.cluster.arrive.aligned;\" ::: \"memory\");\n"
        "  asm volatile(\"barrier.cluster.wait.aligned;\" ::: \"memory\");\n"
        "}\n");
    return tc_format(e->arena, "%s()", name);
}

/* --- ranks -----------------------------------------------------------------*/

const char *tc_cuda_op_CUDA_THREAD_RANK(tc_ce e, const tc_expr *call) {
    const char *name = "tvm_builtin_cuda_thread_rank";
    (void)call;
    tc_ce_helper(
        e, name,
        "__forceinline__ __device__ int tvm_builtin_cuda_thread_rank() {\n"
        "  return (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * "
        "threadIdx.z));\n"
        "}\n");
    return tc_format(e->arena, "%s()", name);
}

const char *tc_cuda_op_PTX_MAPA(tc_ce e, const tc_expr *call) {
    bool window = string_of(call, 2)[0] != '\0';
    const char *name = window ? "tvm_builtin_ptx_mapa_shared_cluster_u32"
                              : "tvm_builtin_ptx_mapa_u64";
    tc_ce_helper(
        e, name,
        window ? "__forceinline__ __device__ uint32_t "
                 "tvm_builtin_ptx_mapa_shared_cluster_u32(void* addr, uint32_t "
                 "rank) {\n"
                 "  uint32_t result, at = "
                 "(uint32_t)__cvta_generic_to_shared(addr);\n"
                 "  asm volatile(\"mapa.shared::cluster.u32 %0, %1, %2;\"\n"
                 "               : \"=r\"(result) : \"r\"(at), "
                 "\"r\"(rank));\n"
                 "  return result;\n"
                 "}\n"
               : "__forceinline__ __device__ uint64_t "
                 "tvm_builtin_ptx_mapa_u64(void* addr, uint32_t rank) {\n"
                 "  uint64_t result;\n"
                 "  asm volatile(\"mapa.u64 %0, %1, %2;\"\n"
                 "               : \"=l\"(result) : \"l\"(addr), "
                 "\"r\"(rank));\n"
                 "  return result;\n"
                 "}\n");
    return tc_format(e->arena, "%s(%s, %s)", name, argument(e, call, 0),
                     argument(e, call, 1));
}

/* --- bulk copies -----------------------------------------------------------*/

/* An address in the cluster's shared window: a uint64 is generic. */
static const char *cluster_address(tc_ce e, const tc_expr *call, int i) {
    const char *text = argument(e, call, i);
    if (call->call.args[i]->type == TC_UINT32) {
        return text;
    }
    return tc_format(e->arena,
                     "(uint32_t)__cvta_generic_to_shared((void*)(%s))", text);
}

const char *tc_cuda_op_PTX_CP_ASYNC_BULK_S2C(tc_ce e, const tc_expr *call) {
    const char *name = "tvm_builtin_ptx_cp_async_bulk_s2s_cluster";
    asm_helper(e, name,
               "uint32_t dst, const void* src, int size, uint32_t mbar",
               "  unsigned int from = "
               "(unsigned int)__cvta_generic_to_shared(src);\n",
               "cp.async.bulk.shared::cluster.shared::cta"
               ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];",
               "\"r\"(dst), \"r\"(from), \"r\"(size), \"r\"(mbar)");
    return tc_format(e->arena, "%s(%s, %s, %s, %s)", name,
                     cluster_address(e, call, 0), argument(e, call, 1),
                     argument(e, call, 2), cluster_address(e, call, 3));
}

const char *tc_cuda_op_POOL_COMMIT(tc_ce e, const tc_expr *call) {
    (void)e;
    (void)call;
    return "0";
}

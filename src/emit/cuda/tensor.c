/* tensor.c - copies through a tensor map as CUDA: the helper functions
 * that TVM prints (backend/cuda/operator/intrinsics/cp_async.py) around one
 * cp.async.bulk.tensor each (PTX ISA 9.7.9.27.1). */
#include "emit/tensor.h"
#include "emit/cuda/cuda.h"

#include <string.h>

enum { DIMS = TC_TENSOR_DIMS };

/* One call, read. */
typedef struct cuda_tensor_copy {
    int dim;
    int at; /* the first coordinate's argument */
    bool multicast, cache, reduce;
    const char *group; /* ".cta_group::2" or "" */
    const char *red_op;
} cuda_tensor_copy;

static const char *argument(tc_ce e, const tc_expr *call, int i) {
    return tc_ce_bare(e, tc_ce_expr(e, call->call.args[i]));
}

static bool constant(tc_ce e, const tc_expr *call, int i, const char *what,
                     int64_t *out) {
    if (tc_expr_const(call->call.args[i], out)) {
        return true;
    }
    tc_ce_fail(e, call->span, NULL,
               "the %s of %s must be known when the program is built", what,
               tc_ops[call->call.op].name);
    return false;
}

/* Arguments from `from` on: policy, whether there is one, [op], coordinates. */
static bool read_tail(tc_ce e, const tc_expr *call, int from,
                      cuda_tensor_copy *c) {
    int64_t dim, cache;
    c->at = from + 2 + c->reduce;
    if (!constant(e, call, 0, "rank", &dim) ||
        !constant(e, call, from + 1, "cache flag", &cache)) {
        return false;
    }
    c->dim = (int)dim;
    c->cache = cache != 0;
    c->red_op = "";
    if (c->reduce) {
        const tc_expr *op = call->call.args[from + 2];
        c->red_op = op->kind == TC_E_STRING ? op->s : "";
        if (!tc_tensor_reduces(c->red_op)) {
            tc_ce_fail(e, call->span, tc_tensor_reductions,
                       "cp.reduce.async.bulk.tensor has no reduction \"%s\"",
                       c->red_op);
            return false;
        }
    }
    if (dim < 1 || dim > DIMS || call->call.n - c->at != dim) {
        tc_ce_fail(e, call->span, "give cache_hint by name",
                   "%s of rank %lld has %d coordinate%s",
                   tc_ops[call->call.op].name, (long long)dim,
                   call->call.n - c->at, call->call.n - c->at == 1 ? "" : "s");
        return false;
    }
    return true;
}

/* "{%3, %4}": the coordinates' places among the operands of the asm. */
static const char *slots(tc_ce e, int first, int n) {
    tc_buf b = TC_BUF_INIT;
    for (int i = 0; i < n; i++) {
        tc_buf_printf(&b, "%s%%%d", i > 0 ? ", " : "{", first + i);
    }
    tc_buf_putc(&b, '}');
    return tc_buf_finish(&b, e->arena);
}

static const char *repeated(tc_ce e, const char *before, int n,
                            const char *after) {
    tc_buf b = TC_BUF_INIT;
    for (int i = 0; i < n; i++) {
        tc_buf_printf(&b, ", %sc%d%s", before, i, after);
    }
    return tc_buf_finish(&b, e->arena);
}

static const char *coordinates(tc_ce e, const tc_expr *call, int from) {
    tc_buf b = TC_BUF_INIT;
    for (int i = from; i < call->call.n; i++) {
        tc_buf_printf(&b, ", %s", argument(e, call, i));
    }
    return tc_buf_finish(&b, e->arena);
}

static const char *dims_text(tc_ce e, const cuda_tensor_copy *c) {
    return tc_format(e->arena, "%dd", c->dim);
}

/* --- global to shared ------------------------------------------------------*/

static void g2c_helper(tc_ce e, const cuda_tensor_copy *c, const char *name) {
    int first = 3 + c->multicast + c->cache;
    const char *code = tc_format(
        e->arena,
        "cp.async.bulk.tensor.%s.shared::cluster.global"
        ".mbarrier::complete_tx::bytes%s%s%s [%%0], [%%1, %s], [%%2]%s%s;",
        dims_text(e, c), c->multicast ? ".multicast::cluster" : "", c->group,
        c->cache ? ".L2::cache_hint" : "", slots(e, first, c->dim),
        c->multicast ? ", %3" : "",
        !c->cache      ? ""
        : c->multicast ? ", %4"
                       : ", %3");
    tc_ce_helper(
        e, name,
        tc_format(
            e->arena,
            "__forceinline__ __device__ void %s(\n"
            "    void* dst, void* bar, unsigned long long tensormap_addr, "
            "uint16_t cta_mask,\n    unsigned long long cache_policy%s) {\n"
            "  unsigned int dst_addr = "
            "(unsigned int)__cvta_generic_to_shared(dst);\n"
            "  unsigned int bar_addr = "
            "(unsigned int)__cvta_generic_to_shared(bar);\n"
            "  asm volatile(\"%s\"\n"
            "               :: \"r\"(dst_addr), \"l\"(tensormap_addr), "
            "\"r\"(bar_addr)%s%s%s : \"memory\");\n"
            "}\n",
            name, repeated(e, "int ", c->dim, ""), code,
            c->multicast ? ", \"h\"(cta_mask)" : "",
            c->cache ? ", \"l\"(cache_policy)" : "",
            repeated(e, "\"r\"(", c->dim, ")")));
}

const char *tc_cuda_op_PTX_CP_ASYNC_BULK_TENSOR_G2C(tc_ce e,
                                                    const tc_expr *call) {
    cuda_tensor_copy c = {.multicast = tc_tensor_multicast(call->call.args[4])};
    int64_t group;
    if (!constant(e, call, 5, "cta_group", &group) ||
        !read_tail(e, call, 6, &c)) {
        return "0";
    }
    c.group = group == 2 ? ".cta_group::2" : "";
    const char *name = tc_format(
        e->arena, "ptx_cp_async_bulk_tensor_g2cluster_tile_%s%s%s%s",
        dims_text(e, &c), c.multicast ? "_multicast" : "",
        c.cache ? "_cache_hint" : "", group == 2 ? "_cta_group_2" : "");
    g2c_helper(e, &c, name);
    return tc_format(e->arena, "%s(%s, %s, %s, %s, %s%s)", name,
                     argument(e, call, 1), argument(e, call, 2),
                     argument(e, call, 3), argument(e, call, 4),
                     argument(e, call, 6), coordinates(e, call, c.at));
}

/* --- shared to global ------------------------------------------------------*/

static void s2g_helper(tc_ce e, const cuda_tensor_copy *c, const char *name) {
    const char *code = tc_format(
        e->arena,
        "cp.%sasync.bulk.tensor.%s.global.shared::cta%s%s.tile.bulk_group%s "
        "[%%0, %s], [%%1]%s;",
        c->reduce ? "reduce." : "", dims_text(e, c), c->reduce ? "." : "",
        c->red_op, c->cache ? ".L2::cache_hint" : "",
        slots(e, 2 + c->cache, c->dim), c->cache ? ", %2" : "");
    tc_ce_helper(
        e, name,
        tc_format(
            e->arena,
            "__forceinline__ __device__ void %s(\n"
            "    void* src, unsigned long long tensormap_addr, "
            "unsigned long long cache_policy%s) {\n"
            "  unsigned int src_addr = "
            "(unsigned int)__cvta_generic_to_shared(src);\n"
            "  asm volatile(\"%s\"\n"
            "               :: \"l\"(tensormap_addr), \"r\"(src_addr)%s%s "
            ": \"memory\");\n"
            "}\n",
            name, repeated(e, "int ", c->dim, ""), code,
            c->cache ? ", \"l\"(cache_policy)" : "",
            repeated(e, "\"r\"(", c->dim, ")")));
}

static const char *shared_to_global(tc_ce e, const tc_expr *call, bool reduce) {
    cuda_tensor_copy c = {.reduce = reduce};
    if (!read_tail(e, call, 3, &c)) {
        return "0";
    }
    const char *name = tc_format(
        e->arena, "ptx_cp_async_bulk_tensor_shared_to_global%s%s_%s%s",
        reduce ? "_reduce_" : "", c.red_op, dims_text(e, &c),
        c.cache ? "_cache_hint" : "");
    s2g_helper(e, &c, name);
    return tc_format(e->arena, "%s(%s, %s, %s%s)", name, argument(e, call, 1),
                     argument(e, call, 2), argument(e, call, 3),
                     coordinates(e, call, c.at));
}

const char *tc_cuda_op_PTX_CP_ASYNC_BULK_TENSOR_S2G(tc_ce e,
                                                    const tc_expr *call) {
    return shared_to_global(e, call, false);
}

const char *
tc_cuda_op_PTX_CP_ASYNC_BULK_TENSOR_S2G_REDUCE(tc_ce e, const tc_expr *call) {
    return shared_to_global(e, call, true);
}

/* --- the map itself --------------------------------------------------------*/

const char *tc_cuda_op_PTX_PREFETCH_TENSORMAP(tc_ce e, const tc_expr *call) {
    const char *name = "tvm_builtin_ptx_prefetch_tensormap";
    tc_ce_helper(e, name,
                 "__forceinline__ __device__ void "
                 "tvm_builtin_ptx_prefetch_tensormap(\n"
                 "    unsigned long long tensor_map_addr) {\n"
                 "  asm volatile(\"prefetch.tensormap [%0];\" :: "
                 "\"l\"(tensor_map_addr) : \"memory\");\n"
                 "}\n");
    return tc_format(e->arena, "%s(%s)", name, argument(e, call, 0));
}

const char *tc_ce_map_address(tc_ce e, const tc_expr *call) {
    const tc_expr *x = call->call.args[0];
    if (x->kind != TC_E_VAR || x->var->bind != TC_BIND_TENSOR_MAP) {
        return NULL;
    }
    return tc_format(e->arena, "((unsigned long long)(&%s))",
                     tc_name_of(&e->names, x->var));
}

void tc_ce_map_params(tc_ce e, tc_buf *b) {
    const tc_lowered *l = e->lowered;
    for (int i = 0; i < l->nmaps; i++) {
        tc_buf_printf(b, "%sconst __grid_constant__ CUtensorMap %s",
                      l->func->nparams + i > 0 ? ",\n    " : "",
                      tc_name_of(&e->names, l->maps[i]->var));
    }
}

/* --- groups ----------------------------------------------------------------*/

static const char *group_call(tc_ce e, const char *name, const char *code) {
    tc_ce_helper(e, name,
                 tc_format(e->arena,
                           "__forceinline__ __device__ void %s() {\n"
                           "  asm volatile(\"%s;\" ::: \"memory\");\n"
                           "}\n",
                           name, code));
    return tc_format(e->arena, "%s()", name);
}

const char *tc_cuda_op_PTX_CP_ASYNC_BULK_COMMIT_GROUP(tc_ce e,
                                                      const tc_expr *call) {
    (void)call;
    return group_call(e, "ptx_cp_async_bulk_tensor_commit_group",
                      "cp.async.bulk.commit_group");
}

const char *tc_cuda_op_PTX_CP_ASYNC_BULK_WAIT_GROUP(tc_ce e,
                                                    const tc_expr *call) {
    int64_t n, read;
    if (!constant(e, call, 0, "number", &n) ||
        !constant(e, call, 1, "kind", &read)) {
        return "0";
    }
    return group_call(e,
                      tc_format(e->arena, "ptx_cp_async_bulk_wait_group%s_%lld",
                                read ? "_read" : "", (long long)n),
                      tc_format(e->arena, "cp.async.bulk.wait_group%s %lld",
                                read ? ".read" : "", (long long)n));
}

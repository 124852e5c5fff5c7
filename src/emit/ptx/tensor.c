/* tensor.c - copies through a tensor map as PTX (PTX ISA 9.7.9.27.1:
 * cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, prefetch.tensormap). */
#include "emit/tensor.h"
#include "emit/ptx/ptx.h"

#include <string.h>

static const tc_val nothing = {.kind = TC_VAL_NONE, .type = TC_VOID};

const char *const tc_tensor_reductions =
    "add, min, max, inc, dec, and, or, xor";

bool tc_tensor_reduces(const char *op) {
    static const char *const all[] = {"add", "min", "max", "inc",
                                      "dec", "and", "or",  "xor"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(op, all[i]) == 0) {
            return true;
        }
    }
    return false;
}

bool tc_tensor_multicast(const tc_expr *mask) {
    int64_t v;
    return !tc_expr_const(mask, &v) || (v & (v - 1)) != 0;
}

static bool constant(tc_pe e, const tc_expr *call, int i, const char *what,
                     int64_t *out) {
    if (tc_expr_const(call->call.args[i], out)) {
        return true;
    }
    tc_pe_fail(e, call->span, NULL,
               "the %s of %s must be known when the program is built", what,
               tc_ops[call->call.op].name);
    return false;
}

/* A pointer as an address in shared memory. */
static const char *shared(tc_pe e, const tc_expr *call, int i,
                          const char *what) {
    tc_val v = tc_pe_expr(e, call->call.args[i]);
    if (v.type != TC_HANDLE ||
        (v.window != TC_WIN_SHARED && v.window != TC_WIN_GENERIC)) {
        tc_pe_fail(e, call->span, "pass bar.ptr_to([0])",
                   "the %s of %s must be a pointer to shared memory", what,
                   tc_ops[call->call.op].name);
        return "";
    }
    return tc_pe_address(e, tc_pe_to_window(e, v, TC_WIN_SHARED));
}

static const char *map_register(tc_pe e, const tc_expr *call, int i) {
    return tc_pe_text(e, tc_pe_in_reg(e, tc_pe_expr(e, call->call.args[i])));
}

/* "[map, {c0, c1}]" from the coordinates, arguments `from` on. */
static const char *place(tc_pe e, const tc_expr *call, int map, int from) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, "[%s, {", map_register(e, call, map));
    for (int i = from; i < call->call.n; i++) {
        tc_val c = tc_pe_cast(e, TC_INT32, tc_pe_expr(e, call->call.args[i]));
        tc_buf_printf(&b, "%s%s", i > from ? ", " : "",
                      tc_pe_text(e, tc_pe_in_reg(e, c)));
    }
    tc_buf_puts(&b, "}]");
    return tc_buf_finish(&b, e->arena);
}

static bool count_fits(tc_pe e, const tc_expr *call, int from) {
    int64_t dim;
    int n = call->call.n - from;
    if (!constant(e, call, 0, "rank", &dim)) {
        return false;
    }
    if (dim < 1 || dim > TC_TENSOR_DIMS || n != dim) {
        tc_pe_fail(e, call->span, "give cache_hint by name",
                   "%s of rank %lld has %d coordinate%s",
                   tc_ops[call->call.op].name, (long long)dim, n,
                   n == 1 ? "" : "s");
        return false;
    }
    return true;
}

/* The cache policy of argument i, "" where the flag after it is 0. */
static bool policy(tc_pe e, const tc_expr *call, int i, const char **out) {
    int64_t flag;
    *out = "";
    if (!constant(e, call, i + 1, "cache flag", &flag)) {
        return false;
    }
    if (flag != 0) {
        tc_val v = tc_pe_cast(e, TC_UINT64, tc_pe_expr(e, call->call.args[i]));
        *out = tc_format(e->arena, ", %s", tc_pe_text(e, tc_pe_in_reg(e, v)));
    }
    return true;
}

/* The mask of the CTAs that get the tile, as a 16-bit register; "" for at most
 * one. */
static const char *multicast(tc_pe e, const tc_expr *mask) {
    if (!tc_tensor_multicast(mask)) {
        return "";
    }
    tc_val x = tc_pe_in_reg(e, tc_pe_cast(e, TC_UINT32, tc_pe_expr(e, mask)));
    tc_val r = tc_pe_reg(e, TC_UINT16, TC_RC_B16);
    tc_pe_ins(e, "cvt.u16.u32 \t%s, %s", tc_pe_text(e, r), tc_pe_text(e, x));
    return tc_format(e->arena, ", %s", tc_pe_text(e, r));
}

tc_val tc_ptx_op_PTX_CP_ASYNC_BULK_TENSOR_G2C(tc_pe e, const tc_expr *call) {
    int64_t dim, group;
    const char *hint;
    tc_pe_needs(e, 80, 90);
    if (!count_fits(e, call, 8) || !constant(e, call, 0, "rank", &dim) ||
        !constant(e, call, 5, "cta_group", &group)) {
        return nothing;
    }
    const char *dst = shared(e, call, 1, "destination");
    const char *bar = shared(e, call, 2, "mbarrier");
    const char *mask = multicast(e, call->call.args[4]);
    const char *from = place(e, call, 3, 8);
    if (!policy(e, call, 6, &hint)) {
        return nothing;
    }
    if (group == 2) {
        tc_pe_needs(e, 86, 100);
        e->needs_a = true;
    }
    tc_pe_ins(e,
              "cp.async.bulk.tensor.%lldd.shared::cluster.global"
              ".mbarrier::complete_tx::bytes%s%s%s \t%s, %s, %s%s%s",
              (long long)dim, mask[0] ? ".multicast::cluster" : "",
              group == 2 ? ".cta_group::2" : "",
              hint[0] ? ".L2::cache_hint" : "", dst, from, bar, mask, hint);
    return nothing;
}

static tc_val shared_to_global(tc_pe e, const tc_expr *call,
                               const char *reduce) {
    int64_t dim;
    const char *hint;
    int from = reduce != NULL ? 6 : 5;
    tc_pe_needs(e, 80, 90);
    if (!count_fits(e, call, from) || !constant(e, call, 0, "rank", &dim)) {
        return nothing;
    }
    const char *src = shared(e, call, 1, "source");
    const char *to = place(e, call, 2, from);
    if (!policy(e, call, 3, &hint)) {
        return nothing;
    }
    tc_pe_ins(e,
              "cp.%sasync.bulk.tensor.%lldd.global.shared::cta%s%s.tile"
              ".bulk_group%s \t%s, %s%s",
              reduce != NULL ? "reduce." : "", (long long)dim,
              reduce != NULL ? "." : "", reduce != NULL ? reduce : "",
              hint[0] ? ".L2::cache_hint" : "", to, src, hint);
    return nothing;
}

tc_val tc_ptx_op_PTX_CP_ASYNC_BULK_TENSOR_S2G(tc_pe e, const tc_expr *call) {
    return shared_to_global(e, call, NULL);
}

tc_val tc_ptx_op_PTX_CP_ASYNC_BULK_TENSOR_S2G_REDUCE(tc_pe e,
                                                     const tc_expr *call) {
    const tc_expr *op = call->call.args[5];
    const char *word = op->kind == TC_E_STRING ? op->s : "";
    if (!tc_tensor_reduces(word)) {
        tc_pe_fail(e, call->span, tc_tensor_reductions,
                   "cp.reduce.async.bulk.tensor has no reduction \"%s\"", word);
        return nothing;
    }
    return shared_to_global(e, call, word);
}

tc_val tc_ptx_op_PTX_PREFETCH_TENSORMAP(tc_pe e, const tc_expr *call) {
    tc_pe_needs(e, 80, 90);
    tc_pe_ins(e, "prefetch.tensormap \t[%s]", map_register(e, call, 0));
    return nothing;
}

/* --- the map itself --------------------------------------------------------*/

/* 128 bytes among the parameters, read through a generic address. */
bool tc_pe_map_address(tc_pe e, const tc_expr *call, tc_val *out) {
    const tc_expr *x = call->call.args[0];
    if (x->kind != TC_E_VAR || x->var->bind != TC_BIND_TENSOR_MAP) {
        return false;
    }
    int id = tc_fact_of(e->facts, x->var)->id;
    if (e->vars[id].kind == TC_VAL_NONE) {
        tc_buf *was = e->out;
        e->out = &e->head;
        tc_val at = tc_pe_temp(e, TC_HANDLE), r = tc_pe_temp(e, TC_HANDLE);
        tc_pe_ins(e, "mov.b64 \t%s, %s", tc_pe_text(e, at),
                  tc_name_of(&e->names, x->var));
        tc_pe_ins(e, "cvta.param.u64 \t%s, %s", tc_pe_text(e, r),
                  tc_pe_text(e, at));
        e->out = was;
        r.window = TC_WIN_GENERIC;
        tc_pe_needs(e, 77, 70);
        e->vars[id] = r;
    }
    *out = e->vars[id];
    return true;
}

void tc_pe_map_params(tc_pe e, tc_buf *b) {
    const tc_lowered *l = e->lowered;
    for (int i = 0; i < l->nmaps; i++) {
        tc_buf_printf(b, "%s\n\t.param .align 64 .b8 %s[128]",
                      l->func->nparams + i > 0 ? "," : "",
                      tc_name_of(&e->names, l->maps[i]->var));
    }
}

/* --- groups ----------------------------------------------------------------*/

tc_val tc_ptx_op_PTX_CP_ASYNC_BULK_COMMIT_GROUP(tc_pe e, const tc_expr *call) {
    (void)call;
    tc_pe_needs(e, 80, 90);
    tc_pe_ins(e, "cp.async.bulk.commit_group");
    return nothing;
}

tc_val tc_ptx_op_PTX_CP_ASYNC_BULK_WAIT_GROUP(tc_pe e, const tc_expr *call) {
    int64_t n, read;
    tc_pe_needs(e, 80, 90);
    if (constant(e, call, 0, "number", &n) &&
        constant(e, call, 1, "kind", &read)) {
        tc_pe_ins(e, "cp.async.bulk.wait_group%s \t%lld", read ? ".read" : "",
                  (long long)n);
    }
    return nothing;
}

/* mbarrier.c - barriers in shared memory, proxies, clusters and the bulk
 * copy between their CTAs, as PTX (PTX ISA 9.7.13, 9.7.9.25.4, 9.7.9.22). */
#include "emit/ptx/ptx.h"

#include <string.h>

static const tc_val nothing = {.kind = TC_VAL_NONE, .type = TC_VOID};

/* --- arguments -------------------------------------------------------------*/

/* "[%r1+8]" of argument i, an address in shared memory. A uint64 is a generic
 * address (of mapa.u64), a uint32 one of the shared::cluster window. */
static const char *place_of(tc_pe e, const tc_expr *call, int i) {
    const tc_expr *arg = call->call.args[i];
    tc_val v = tc_pe_expr(e, arg);
    if (v.type == TC_UINT32) {
        v = tc_pe_in_reg(e, v);
        return tc_format(e->arena, "[%s]", tc_pe_text(e, v));
    }
    if (v.type == TC_UINT64) {
        tc_val wide = tc_pe_temp(e, TC_UINT64), at = tc_pe_temp(e, TC_UINT32);
        v = tc_pe_in_reg(e, v);
        tc_pe_needs(e, 78, 90);
        tc_pe_ins(e, "cvta.to.shared::cluster.u64 \t%s, %s",
                  tc_pe_text(e, wide), tc_pe_text(e, v));
        tc_pe_ins(e, "cvt.u32.u64 \t%s, %s", tc_pe_text(e, at),
                  tc_pe_text(e, wide));
        return tc_format(e->arena, "[%s]", tc_pe_text(e, at));
    }
    if (v.type != TC_HANDLE || v.window == TC_WIN_GLOBAL ||
        v.window == TC_WIN_LOCAL) {
        tc_pe_fail(e, arg->span, "A.ptr_to([i]) of a shared buffer",
                   "argument %d of %s must point to shared memory", i + 1,
                   tc_ops[call->call.op].name);
        return "[0]";
    }
    return tc_pe_address(e, tc_pe_to_window(e, v, TC_WIN_SHARED));
}

/* Argument i as an operand of 32 bits: a number or a register. */
static const char *number(tc_pe e, const tc_expr *call, int i) {
    return tc_pe_text(
        e, tc_pe_cast(e, TC_INT32, tc_pe_expr(e, call->call.args[i])));
}

static const char *string_of(const tc_expr *call, int i) {
    return i < call->call.n && call->call.args[i]->kind == TC_E_STRING
               ? call->call.args[i]->s
               : "";
}

/* "@%p1 ", or "" where argument i is always true; NULL: never. */
static const char *guard(tc_pe e, const tc_expr *call, int i) {
    tc_val p = tc_pe_cast(e, TC_BOOL, tc_pe_expr(e, call->call.args[i]));
    if (p.kind == TC_VAL_INT) {
        return p.i != 0 ? "" : NULL;
    }
    return tc_format(e->arena, "@%s ", tc_pe_text(e, tc_pe_in_reg(e, p)));
}

/* The barrier of argument 0 as CTA `rank` has it: mapa.shared::cluster. */
static const char *barrier_of_rank(tc_pe e, const tc_expr *call, int rank) {
    tc_val v = tc_pe_expr(e, call->call.args[0]);
    if (v.type != TC_HANDLE) {
        return place_of(e, call, 0); /* reports */
    }
    v = tc_pe_in_reg(e, tc_pe_to_window(e, v, TC_WIN_SHARED));
    tc_val r = tc_pe_temp(e, TC_UINT32);
    tc_pe_needs(e, 80, 90);
    tc_pe_ins(e, "mapa.shared::cluster.u32 \t%s, %s, %s", tc_pe_text(e, r),
              tc_pe_text(e, v), number(e, call, rank));
    return tc_format(e->arena, "[%s]", tc_pe_text(e, r));
}

/* --- barriers --------------------------------------------------------------*/

tc_val tc_ptx_op_PTX_MBARRIER_INIT(tc_pe e, const tc_expr *call) {
    const char *bar = place_of(e, call, 0);
    tc_pe_ins(e, "mbarrier.init.shared.b64 \t%s, %s", bar, number(e, call, 1));
    return nothing;
}

/* The result, a state token, goes to the sink. */
tc_val tc_ptx_op_PTX_MBARRIER_ARRIVE(tc_pe e, const tc_expr *call) {
    tc_pe_needs(e, 71, 80);
    if (call->call.n < 3) {
        tc_pe_ins(e, "mbarrier.arrive.shared.b64 \t_, %s",
                  place_of(e, call, 0));
        return nothing;
    }
    const char *when = guard(e, call, 2);
    if (when != NULL) {
        const char *bar = barrier_of_rank(e, call, 1);
        const char *count =
            call->call.n > 3 ? tc_format(e->arena, ", %s", number(e, call, 3))
                             : "";
        tc_pe_ins(e, "%smbarrier.arrive.shared::cluster.b64 \t_, %s%s", when,
                  bar, count);
    }
    return nothing;
}

tc_val tc_ptx_op_PTX_MBARRIER_ARRIVE_EXPECT_TX(tc_pe e, const tc_expr *call) {
    const char *bytes = number(e, call, 1);
    tc_pe_needs(e, 80, 90);
    if (call->call.n < 4) {
        tc_pe_ins(e, "mbarrier.arrive.expect_tx.shared.b64 \t_, %s, %s",
                  place_of(e, call, 0), bytes);
        return nothing;
    }
    const char *when = guard(e, call, 3);
    if (when != NULL) {
        tc_pe_ins(e,
                  "%smbarrier.arrive.expect_tx.shared::cluster.b64 \t_, %s, %s",
                  when, barrier_of_rank(e, call, 2), bytes);
    }
    return nothing;
}

/* Again and again until the phase has completed. Each try may suspend the
 * thread for up to 10 ms, as TVM asks (intrinsics/sync.py). */
tc_val tc_ptx_op_PTX_MBARRIER_TRY_WAIT(tc_pe e, const tc_expr *call) {
    const char *bar = place_of(e, call, 0);
    tc_val phase = tc_pe_fixed(
        e, tc_pe_cast(e, TC_INT32, tc_pe_expr(e, call->call.args[1])));
    tc_val done = tc_pe_temp(e, TC_BOOL);
    int again = ++e->nlabels;
    tc_pe_needs(e, 78, 90);
    tc_pe_label(e, again);
    tc_pe_ins(e, "mbarrier.try_wait.parity.shared::cta.b64 \t%s, %s, %s, %d",
              tc_pe_text(e, done), bar, tc_pe_text(e, phase), 10000000);
    tc_pe_ins(e, "@!%s bra \t$L_%d", tc_pe_text(e, done), again);
    return nothing;
}

tc_val tc_ptx_op_PTX_CP_ASYNC_MBARRIER_ARRIVE(tc_pe e, const tc_expr *call) {
    tc_pe_ins(e, "cp.async.mbarrier.arrive.shared.b64 \t%s",
              place_of(e, call, 0));
    return nothing;
}

/* --- order -----------------------------------------------------------------*/

tc_val tc_ptx_op_PTX_FENCE_MBARRIER_INIT(tc_pe e, const tc_expr *call) {
    (void)call;
    tc_pe_needs(e, 80, 90);
    tc_pe_ins(e, "fence.mbarrier_init.release.cluster");
    return nothing;
}

tc_val tc_ptx_op_PTX_FENCE_PROXY_ASYNC(tc_pe e, const tc_expr *call) {
    const char *space = string_of(call, 0);
    tc_pe_needs(e, 80, 90);
    tc_pe_ins(e, "fence.proxy.async%s%s", space[0] != '\0' ? "." : "", space);
    return nothing;
}

tc_val tc_ptx_op_CUDA_CLUSTER_SYNC(tc_pe e, const tc_expr *call) {
    (void)call;
    tc_pe_needs(e, 78, 90);
    tc_pe_ins(e, "barrier.cluster.arrive.aligned");
    tc_pe_ins(e, "barrier.cluster.wait.aligned");
    return nothing;
}

/* --- ranks -----------------------------------------------------------------*/

/* rank + the thread's index in dimension `axis` * scale. */
static tc_val add_index(tc_pe e, tc_val rank, char axis, int64_t scale) {
    tc_val i = tc_pe_temp(e, TC_INT32);
    tc_pe_ins(e, "mov.u32 \t%s, %%tid.%c", tc_pe_text(e, i), axis);
    if (scale == 1) {
        return i;
    }
    tc_val r = tc_pe_temp(e, TC_INT32);
    tc_pe_ins(e, "mad.lo.s32 \t%s, %s, %lld, %s", tc_pe_text(e, r),
              tc_pe_text(e, i), (long long)scale, tc_pe_text(e, rank));
    return r;
}

tc_val tc_ptx_op_CUDA_THREAD_RANK(tc_pe e, const tc_expr *call) {
    const int64_t *n = e->lowered->block;
    tc_val rank = tc_pe_int(TC_INT32, 0);
    int64_t scale = 1; /* the block's product is known not to overflow */
    (void)call;
    for (int i = 0; i < 3; i++) {
        if (n[i] > 1) {
            rank = add_index(e, rank, (char)('x' + i), scale);
            scale *= n[i];
        }
    }
    return rank;
}

/* mapa: where CTA `rank` of the cluster has what this CTA has here. */
tc_val tc_ptx_op_PTX_MAPA(tc_pe e, const tc_expr *call) {
    bool window = string_of(call, 2)[0] != '\0';
    tc_dtype type = window ? TC_UINT32 : TC_UINT64;
    tc_val v = tc_pe_expr(e, call->call.args[0]);
    if (v.type != TC_HANDLE) {
        place_of(e, call, 0); /* reports */
        return tc_pe_int(type, 0);
    }
    v = tc_pe_to_window(e, v, window ? TC_WIN_SHARED : TC_WIN_GENERIC);
    v = tc_pe_in_reg(e, v);
    tc_val r = tc_pe_temp(e, type);
    tc_pe_needs(e, 78, 90);
    tc_pe_ins(e, "mapa%s \t%s, %s, %s",
              window ? ".shared::cluster.u32" : ".u64", tc_pe_text(e, r),
              tc_pe_text(e, v), number(e, call, 1));
    return r;
}

/* --- bulk copies -----------------------------------------------------------*/

tc_val tc_ptx_op_PTX_CP_ASYNC_BULK_S2C(tc_pe e, const tc_expr *call) {
    const char *dst = place_of(e, call, 0), *src = place_of(e, call, 1);
    const char *bytes = number(e, call, 2);
    tc_pe_needs(e, 80, 90);
    tc_pe_ins(e,
              "cp.async.bulk.shared::cluster.shared::cta"
              ".mbarrier::complete_tx::bytes \t%s, %s, %s, %s",
              dst, src, bytes, place_of(e, call, 3));
    return nothing;
}

tc_val tc_ptx_op_POOL_COMMIT(tc_pe e, const tc_expr *call) {
    (void)e;
    (void)call;
    return nothing;
}

/* gmem_smem.c - global to shared or back, through registers. */
#include "dispatch/predicates.h"
#include "variants/gs_emit.h"

static const int bits[] = {128, 64, 32, 16, 8};

static bool applicable(const tc_dispatch_ctx *cx, tc_verdict *v,
                       const char *name, const char **reason) {
    static const tc_space_pair pairs[] = {{TC_SC_GLOBAL, TC_SC_SHARED},
                                          {TC_SC_SHARED, TC_SC_GLOBAL}};
    return tc_pred_gs(cx, v, name, reason, pairs, 2);
}

static bool lower(const tc_dispatch_ctx *cx, tc_verdict *v) {
    const tc_copy *c = cx->copy;
    bool load = c->src.buffer->space == TC_SPACE_GLOBAL;
    tc_widths widths = {bits, 5, true};
    tc_partition *p = tc_partition_find(cx, v, load ? &c->src : &c->dst,
                                        load ? &c->dst : &c->src, widths);
    if (p == NULL) {
        return false;
    }
    v->partition = p;
    tc_gs_emit(cx, v, p, TC_OPC_CUDA_COPY_BYTES, TC_LOOP_SERIAL);
    return true;
}

static const tc_predicate predicates[] = {{"gmem_smem_applicable", applicable}};

const tc_variant tc_variant_gmem_smem = {
    .id = TC_VARIANT_gmem_smem,
    .source = "copy/gmem_smem.py",
    .predicates = predicates,
    .npredicates = 1,
    .lower = lower,
};

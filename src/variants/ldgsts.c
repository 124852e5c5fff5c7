/* ldgsts.c - global to shared with cp.async (SASS: LDGSTS). */
#include "dispatch/predicates.h"
#include "variants/gs_emit.h"

/* cp.async moves 4, 8 or 16 bytes (PTX ISA 9.7.9.25.3.1). */
static const int bits[] = {128, 64, 32};

static bool applicable(const tc_dispatch_ctx *cx, tc_verdict *v,
                       const char *name, const char **reason) {
    static const tc_space_pair pairs[] = {{TC_SC_GLOBAL, TC_SC_SHARED}};
    return tc_pred_gs(cx, v, name, reason, pairs, 1);
}

static bool lower(const tc_dispatch_ctx *cx, tc_verdict *v) {
    tc_widths widths = {bits, 3, false};
    tc_partition *p =
        tc_partition_find(cx, v, &cx->copy->src, &cx->copy->dst, widths);
    if (p == NULL) {
        return false;
    }
    int n = p->vec_bytes;
    bool ok = n == 4 || n == 8 || n == 16;
    tc_check_add(cx, v, "lowering", "cp.async size", ok ? TC_YES : TC_NO,
                 "%d bytes at once: cp.async %s 4, 8 or 16", n,
                 ok ? "takes" : "takes only");
    if (!ok) {
        v->why = tc_format(cx->arena,
                           "no width that cp.async takes fits: only %d byte%s "
                           "at once could be moved",
                           n, n == 1 ? "" : "s");
        return false;
    }
    v->partition = p;
    tc_gs_emit(cx, v, p, TC_OPC_PTX_CP_ASYNC, TC_LOOP_UNROLL);
    return true;
}

static const tc_predicate predicates[] = {{"ldgsts_applicable", applicable}};

const tc_variant tc_variant_ldgsts = {
    .id = TC_VARIANT_ldgsts,
    .source = "copy_async/ldgsts.py",
    .predicates = predicates,
    .npredicates = 1,
    .lower = lower,
};

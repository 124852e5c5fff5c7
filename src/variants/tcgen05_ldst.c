/* tcgen05_ldst.c - tensor memory to registers and back, a warpgroup at a time
 * (tcgen05.ld, tcgen05.st). The lowering comes later. */
#include "dispatch/predicates.h"

static bool exec_scope(const tc_dispatch_ctx *cx, tc_verdict *v,
                       const char *name, const char **reason) {
    int from = v->nchecks;
    bool ok = tc_pred_scope(cx, v, name, 1u << TC_SCOPE_WARPGROUP);
    *reason = tc_pred_reason(v, from);
    return ok;
}

static bool storage_scope(const tc_dispatch_ctx *cx, tc_verdict *v,
                          const char *name, const char **reason) {
    static const tc_space_pair pairs[] = {{TC_SC_TMEM, TC_SC_LOCAL},
                                          {TC_SC_LOCAL, TC_SC_TMEM}};
    int from = v->nchecks;
    bool ok = tc_pred_spaces(cx, v, name, pairs, 2);
    *reason = tc_pred_reason(v, from);
    return ok;
}

static const tc_predicate predicates[] = {
    {"validate_copy_op", tc_predicate_valid_copy},
    {"exec_scope", exec_scope},
    {"storage_scope", storage_scope},
};

const tc_variant tc_variant_tcgen05_ldst = {
    .id = TC_VARIANT_tcgen05_ldst,
    .source = "copy_async/tcgen05_ldst.py",
    .predicates = predicates,
    .npredicates = 3,
};

/* ldstmatrix.c - registers to shared and back with ldmatrix and stmatrix: what
 * it asks. */
#include "dispatch/predicates.h"
#include "variants/sides.h"

static bool applicable(const tc_dispatch_ctx *cx, tc_verdict *v,
                       const char *name, const char **reason) {
    static const tc_space_pair pairs[] = {{TC_SC_LOCAL, TC_SC_SHARED},
                                          {TC_SC_SHARED, TC_SC_LOCAL}};
    int from = v->nchecks;
    bool ok = tc_pred_target(cx, v, name);
    ok &= tc_pred_scope(cx, v, name,
                        1u << TC_SCOPE_WARP | 1u << TC_SCOPE_WARPGROUP |
                            1u << TC_SCOPE_CTA);
    ok &= tc_pred_all_active(cx, v, name);
    ok &= tc_pred_valid_copy(cx, v, name);
    ok &= tc_pred_spaces(cx, v, name, pairs, 2);
    *reason = tc_pred_reason(v, from);
    return ok;
}

static const tc_predicate predicates[] = {
    {"ldstmatrix_applicable", applicable}};

const tc_variant tc_variant_ldstmatrix = {
    .id = TC_VARIANT_ldstmatrix,
    .source = "copy/ld_stmatrix.py",
    .predicates = predicates,
    .npredicates = 1,
    .lower = tc_ldstmatrix_lower,
};

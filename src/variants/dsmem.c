/* dsmem.c - shared to the shared memory of another CTA of the cluster, with
 * cp.async.bulk. Its lowering comes later. */
#include "dispatch/predicates.h"

static bool shared_to_shared(const tc_dispatch_ctx *cx, tc_verdict *v,
                             const char *name, const char **reason) {
    static const tc_space_pair pairs[] = {{TC_SC_SHARED, TC_SC_SHARED}};
    int from = v->nchecks;
    bool ok = tc_pred_spaces(cx, v, name, pairs, 1);
    *reason = tc_pred_reason(v, from);
    return ok;
}

static const tc_predicate predicates[] = {
    {"validate_copy_op", tc_predicate_valid_copy},
    {"single_thread", tc_predicate_single_thread},
    {"is_shared_to_shared", shared_to_shared},
};

const tc_variant tc_variant_dsmem = {
    .id = TC_VARIANT_dsmem,
    .source = "copy_async/dsmem.py",
    .predicates = predicates,
    .npredicates = 3,
};

/* tcgen05_cp.c - shared to tensor memory (tcgen05.cp). The lowering comes
 * later. */
#include "dispatch/predicates.h"

#include <inttypes.h>
#include <string.h>

/* The tile part has exactly R[4 : 32@TLane]: warpx4 broadcast. */
static bool broadcast(const tc_dispatch_ctx *cx, tc_verdict *v,
                      const char *name, const tc_layout *l) {
    if (l == NULL || l->kind != TC_LAYOUT_TILE) {
        return tc_check_add(cx, v, name, "replica",
                            l == NULL ? TC_UNASKED : TC_NO,
                            l == NULL ? "cannot be asked: no layout"
                                      : "dst layout is swizzled: needs the "
                                        "replica R[4 : 32@TLane]");
    }
    const tc_iter *r = l->replica;
    bool ok = l->nreplica == 1 && r->extent == 4 && r->stride == 32 &&
              strstr(r->axis->name, "TLane") != NULL;
    if (l->nreplica == 0) {
        return tc_check_add(cx, v, name, "replica", TC_NO,
                            "dst layout has no replica: needs R[4 : 32@TLane]");
    }
    return tc_check_add(cx, v, name, "replica", ok ? TC_YES : TC_NO,
                        "dst replica R[%" PRId64 " : %" PRId64 "@%s]%s: %s",
                        r->extent, r->stride, r->axis->name,
                        l->nreplica > 1 ? " and more" : "",
                        ok ? "as needed" : "needs R[4 : 32@TLane]");
}

static bool valid(const tc_dispatch_ctx *cx, tc_verdict *v, const char *name,
                  const char **reason) {
    static const tc_space_pair pairs[] = {{TC_SC_SHARED, TC_SC_TMEM}};
    const tc_buffer *d = cx->copy->dst.buffer, *s = cx->copy->src.buffer;
    int from = v->nchecks;
    bool ok = tc_pred_spaces(cx, v, name, pairs, 1);
    bool layouts = d->layout != NULL && s->layout != NULL;
    ok &= tc_check_add(cx, v, name, "layouts", layouts ? TC_YES : TC_NO, "%s",
                       layouts ? "both sides have a layout"
                               : "a side has no layout");
    if (d->space == TC_SPACE_TMEM) {
        bool placed = d->allocated_addr != NULL;
        ok &= tc_check_add(cx, v, name, "address", placed ? TC_YES : TC_NO,
                           "%s %s an allocated_addr", d->name,
                           placed ? "has" : "needs");
    } else {
        tc_check_add(cx, v, name, "address", TC_UNASKED,
                     "cannot be asked: dst is not tensor memory");
    }
    ok &= broadcast(cx, v, name, d->layout);
    *reason = tc_pred_reason(v, from);
    return ok;
}

static const tc_predicate predicates[] = {
    {"validate_smem_tmem_copy", valid},
    {"exec_scope", tc_predicate_single_thread},
};

const tc_variant tc_variant_tcgen05_cp = {
    .id = TC_VARIANT_tcgen05_cp,
    .source = "copy_async/tcgen05_cp.py",
    .predicates = predicates,
    .npredicates = 2,
};

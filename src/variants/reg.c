/* reg.c - registers to shared or global and back: what it asks. */
#include "dispatch/predicates.h"
#include "dispatch/region.h"
#include "variants/sides.h"

#include <inttypes.h>
#include <string.h>

/* How the register side's thread axes may look: stride 1, each once, of a
 * scope no wider than the copy's (_r_side_layout_valid). NULL, or why not. */
static const char *bad_axis(const tc_dispatch_ctx *cx, const tc_layout *l) {
    for (int i = 0; i < l->nshard; i++) {
        const tc_iter *it = &l->shard[i];
        const tc_axis *ax = it->axis;
        if (ax->cls == TC_AXIS_UNKNOWN) {
            return tc_format(cx->arena, "axis %s is not a known axis",
                             ax->name);
        }
        if (ax->cls != TC_AXIS_THREAD) {
            continue;
        }
        if (ax->subscope == TC_SCOPE_NONE || ax->subscope >= TC_SCOPE_CTA) {
            return tc_format(cx->arena,
                             "%s numbers %ss, not threads, warps or "
                             "warpgroups",
                             ax->name, tc_scope_name(ax->subscope));
        }
        if (ax->scope > cx->copy->scope) {
            return tc_format(cx->arena, "%s spans a %s, but the copy only a %s",
                             ax->name, tc_scope_name(ax->scope),
                             tc_scope_name(cx->copy->scope));
        }
        if (it->stride != 1) {
            return tc_format(cx->arena, "%s has stride %" PRId64 ", needs 1",
                             ax->name, it->stride);
        }
        for (int k = 0; k < i; k++) {
            if (tc_axis_eq(l->shard[k].axis, ax)) {
                return tc_format(cx->arena, "%s appears more than once",
                                 ax->name);
            }
        }
    }
    return NULL;
}

/* The region may not start at another thread than the first. */
static bool starts_at_thread_0(const tc_dispatch_ctx *cx, tc_verdict *v,
                               const char *name, const tc_region *r) {
    tc_slice slice;
    const char *why = NULL;
    if (tc_region_slice(cx, r, &slice, &why) != TC_LAYOUT_OK) {
        return tc_check_add(cx, v, name, "register region", TC_NO, "%s", why);
    }
    for (int i = 0; i < slice.layout->noffset; i++) {
        const tc_offset *o = &slice.layout->offset[i];
        if (o->axis->cls == TC_AXIS_THREAD && o->value != 0) {
            return tc_check_add(cx, v, name, "register region", TC_NO,
                                "it starts at %s %" PRId64 ", needs 0",
                                o->axis->name, o->value);
        }
    }
    return tc_check_add(cx, v, name, "register region", TC_YES,
                        "it starts at the first thread");
}

static bool register_side(const tc_dispatch_ctx *cx, tc_verdict *v,
                          const char *name, const tc_region *r) {
    const tc_layout *l = r->buffer->layout;
    bool tile = l != NULL && l->kind == TC_LAYOUT_TILE;
    bool ok = tc_check_add(cx, v, name, "register layout",
                           tile ? TC_YES : TC_NO, "%s is %s", r->buffer->name,
                           l == NULL ? "without a layout"
                           : tile    ? "a tile layout"
                                     : "swizzled: registers cannot be");
    if (!tile) {
        tc_check_add(cx, v, name, "register axes", TC_UNASKED,
                     "cannot be asked: no tile layout");
        tc_check_add(cx, v, name, "register region", TC_UNASKED,
                     "cannot be asked: no tile layout");
        return false;
    }
    const char *bad = bad_axis(cx, l);
    ok &= tc_check_add(cx, v, name, "register axes",
                       bad == NULL ? TC_YES : TC_NO, "%s",
                       bad == NULL ? "thread axes have stride 1, each "
                                     "once"
                                   : bad);
    return ok & starts_at_thread_0(cx, v, name, r);
}

static bool memory_side(const tc_dispatch_ctx *cx, tc_verdict *v,
                        const char *name, const tc_region *r) {
    tc_slice slice;
    const char *why = NULL;
    bool ok = r->buffer->layout != NULL &&
              tc_region_slice(cx, r, &slice, &why) == TC_LAYOUT_OK;
    return tc_check_add(cx, v, name, "memory region", ok ? TC_YES : TC_NO,
                        "%s: %s", r->buffer->name,
                        ok            ? "the region is a layout"
                        : why != NULL ? why
                                      : "no layout");
}

static bool applicable(const tc_dispatch_ctx *cx, tc_verdict *v,
                       const char *name, const char **reason) {
    static const tc_space_pair pairs[] = {{TC_SC_LOCAL, TC_SC_SHARED},
                                          {TC_SC_SHARED, TC_SC_LOCAL},
                                          {TC_SC_LOCAL, TC_SC_GLOBAL},
                                          {TC_SC_GLOBAL, TC_SC_LOCAL}};
    const tc_region *d = &cx->copy->dst, *s = &cx->copy->src;
    int from = v->nchecks;
    bool ok = tc_pred_target(cx, v, name);
    ok &= tc_pred_scope(cx, v, name,
                        1u << TC_SCOPE_THREAD | 1u << TC_SCOPE_WARP |
                            1u << TC_SCOPE_WARPGROUP | 1u << TC_SCOPE_CTA);
    ok &= tc_pred_all_active(cx, v, name);
    ok &= tc_pred_valid_copy(cx, v, name);
    ok &= tc_pred_spaces(cx, v, name, pairs, 4);
    bool from_reg = s->buffer->space == TC_SPACE_LOCAL;
    if (from_reg || d->buffer->space == TC_SPACE_LOCAL) {
        ok &= register_side(cx, v, name, from_reg ? s : d);
        ok &= memory_side(cx, v, name, from_reg ? d : s);
    } else {
        tc_check_add(cx, v, name, "register layout", TC_UNASKED,
                     "cannot be asked: neither side is local");
        tc_check_add(cx, v, name, "memory region", TC_UNASKED,
                     "cannot be asked: neither side is local");
    }
    *reason = tc_pred_reason(v, from);
    return ok;
}

static const tc_predicate predicates[] = {{"reg_applicable", applicable}};

const tc_variant tc_variant_reg = {
    .id = TC_VARIANT_reg,
    .source = "copy/reg.py",
    .predicates = predicates,
    .npredicates = 1,
    .lower = tc_reg_lower,
};

/* tma.c - copies by the tensor memory accelerator: one thread, global and
 * shared memory, either way (TVM 0.25.0: copy_async/tma.py). */
#include "variants/tma/tma.h"
#include "dispatch/predicates.h"

/* Which region is which; false with v->why where the memories do not suit. */
static bool find_sides(const tc_dispatch_ctx *cx, tc_verdict *v,
                       const tc_region **g, const tc_region **s,
                       tc_tma_options *options) {
    const tc_region *src = &cx->copy->src, *dst = &cx->copy->dst;
    tc_space_class from = tc_space_classify(src->buffer->space);
    tc_space_class to = tc_space_classify(dst->buffer->space);
    options->to_shared = from == TC_SC_GLOBAL && to == TC_SC_SHARED;
    *g = options->to_shared ? src : dst;
    *s = options->to_shared ? dst : src;
    if (options->to_shared || (from == TC_SC_SHARED && to == TC_SC_GLOBAL)) {
        return tc_check_add(cx, v, "lowering", "direction", TC_YES,
                            "%s -> %s: between global and shared memory",
                            tc_space_name(src->buffer->space),
                            tc_space_name(dst->buffer->space));
    }
    return tc_tma_no(cx, v, "direction",
                     "%s -> %s: tma copies from global to shared memory or "
                     "back",
                     tc_space_name(src->buffer->space),
                     tc_space_name(dst->buffer->space));
}

static bool lower(const tc_dispatch_ctx *cx, tc_verdict *v) {
    const tc_region *g, *s;
    tc_tma_options options = {.to_shared = false};
    tc_tma_parts parts;
    tc_tma_plan plan;
    if (!find_sides(cx, v, &g, &s, &options)) {
        tc_check_add(cx, v, "lowering", "tensor map", TC_UNASKED,
                     "not asked: no tensor map joins these memories");
        return false;
    }
    bool fill = tc_tma_read_oob(cx, v, &options);
    bool split = tc_tma_split(cx, v, g, s, &parts);
    bool found = split && tc_tma_search(cx, v, &parts, &plan);
    if (!split) {
        tc_check_add(cx, v, "lowering", "box", TC_UNASKED,
                     "not asked: the layouts do not come apart");
    }
    bool options_ok = tc_tma_read_options(cx, v, &options);
    if (!fill || !found || !options_ok) {
        return false;
    }
    tc_tma_emit(cx, v, &parts, s, &plan, &options);
    return true;
}

static const tc_predicate predicates[] = {
    {"validate_copy_op", tc_predicate_valid_copy},
    {"single_thread", tc_predicate_single_thread},
};

const tc_variant tc_variant_tma = {
    .id = TC_VARIANT_tma,
    .source = "copy_async/tma.py",
    .predicates = predicates,
    .npredicates = 2,
    .lower = lower,
};

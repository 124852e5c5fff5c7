/* fallback.c - one thread copies element by element (copy/fallback.py). */
#include "dispatch/predicates.h"
#include "variants/gs_emit.h"

#include <inttypes.h>
#include <string.h>

/* The number of the scope's first active thread. */
static int64_t first_thread(const tc_dispatch_ctx *cx) {
    int64_t first = 0;
    for (int i = 0; i < cx->nintra; i++) {
        bool lanes = strcmp(cx->intra[i].axis->name, "laneid") == 0;
        first += cx->intra[i].offset * (lanes ? 1 : 32);
    }
    return first;
}

/* The start of each dimension, plus the next loop variable where it is wider
 * than one. */
static tc_expr **coordinates(tc_arena *a, const tc_region *r, tc_var **loops) {
    tc_expr **at = TC_NEWN(a, tc_expr *, r->buffer->rank + 1);
    for (int i = 0, k = 0; i < r->buffer->rank; i++) {
        at[i] = r->range[i].min;
        if (r->range[i].extent != 1) {
            at[i] = tc_binary(a, TC_ADD, at[i], tc_var_ref(a, loops[k++]));
        }
    }
    return at;
}

static void emit(const tc_dispatch_ctx *cx, tc_block *b) {
    tc_arena *a = cx->arena;
    const tc_region *d = &cx->copy->dst, *s = &cx->copy->src;
    tc_var **loops = TC_NEWN(a, tc_var *, d->buffer->rank + 1);
    int n = 0;
    for (int i = 0; i < d->buffer->rank; i++) {
        if (d->range[i].extent != 1) {
            tc_stmt *loop =
                tc_new_loop(cx, b, "v", d->range[i].extent, TC_LOOP_SERIAL);
            loops[n++] = loop->var;
            b = &loop->body;
        }
    }
    tc_expr *value =
        tc_load(a, s->buffer, coordinates(a, s, loops), s->buffer->rank);
    tc_stmt *store = tc_store(a, d->buffer, coordinates(a, d, loops),
                              d->buffer->rank, value);
    store->span = cx->span;
    tc_block_add(b, store);
}

static bool lower(const tc_dispatch_ctx *cx, tc_verdict *v) {
    int64_t elements = tc_region_elements(&cx->copy->dst);
    bool wide = elements != 1;
    bool ok = tc_check_add(cx, v, "lowering", "loops", wide ? TC_YES : TC_NO,
                           "%" PRId64 " element%s, one after the other%s",
                           elements, elements == 1 ? "" : "s",
                           wide ? ""
                                : ": TVM 0.25.0 cannot make a loop nest over "
                                  "no dimension");
    /* TVM raises from T.grid() without arguments; agreed with. */
    bool scoped = cx->copy->scope == TC_SCOPE_THREAD || cx->nintra > 0;
    if (!scoped) {
        ok = tc_check_add(cx, v, "lowering", "active threads", TC_NO,
                          "the active threads cross a warpgroup: no first "
                          "thread");
    }
    if (!ok) {
        v->why = v->checks[v->nchecks - 1].detail;
        return false;
    }
    tc_block *b = &v->lowered;
    if (cx->copy->scope != TC_SCOPE_THREAD) {
        tc_expr *tid = tc_thread_in_scope(cx, b);
        tc_stmt *only = tc_stmt_new(cx->arena, TC_S_IF, cx->span);
        only->value = tc_binary(cx->arena, TC_EQ, tid,
                                tc_int(cx->arena, first_thread(cx)));
        tc_block_add(b, only);
        b = &only->body;
    }
    emit(cx, b);
    return true;
}

static const tc_predicate predicates[] = {
    {"validate_copy_op", tc_predicate_valid_copy}};

const tc_variant tc_variant_fallback = {
    .id = TC_VARIANT_fallback,
    .source = "copy/fallback.py",
    .predicates = predicates,
    .npredicates = 1,
    .lower = lower,
};

/* dispatch.c - asking every variant about every copy.
 *
 * TVM stops at the first variant that accepts (dispatcher.py, run_dispatch);
 * here all are asked, and the choice is made from the answers by its rule. */
#include "dispatch/launch.h"
#include "dispatch/variant.h"

#include <string.h>

typedef struct walker {
    tc_arena *arena;
    const tc_func *func;
    bool target_cuda;
    tc_decisions *out;
    tc_launch launch;
    const tc_scope_id **ids; /* declared so far: what conditions may name */
    int nids, ids_cap;
    tc_var *thread_x;
    const tc_axis *laneid, *warpid, *wid_in_wg;
} walker;

static bool kind_of(const void *user, const tc_var *v, tc_scope_id_kind *kind) {
    const walker *w = user;
    for (int i = w->nids - 1; i >= 0; i--) {
        const tc_scope_id *id = w->ids[i];
        for (int k = 0; k < id->n; k++) {
            if (id->var[k] == v) {
                *kind = id->kind;
                return id->n == 1;
            }
        }
    }
    return false;
}

static void add_intra(tc_dispatch_ctx *cx, const tc_axis *axis, int64_t extent,
                      int64_t offset) {
    cx->intra[cx->nintra++] = (tc_intra){axis, extent, offset};
    cx->threads *= extent;
}

/* The active threads within the copy's scope (ScopeSwitch, exec_context.cc). */
static void set_intra(const walker *w, tc_dispatch_ctx *cx,
                      const tc_active *act) {
    int64_t extent, offset;
    cx->threads = 1;
    switch (cx->copy->scope) {
    case TC_SCOPE_WARPGROUP:
        if (!tc_active_in_warpgroup(act, &extent, &offset)) {
            return; /* crosses a warpgroup: TVM knows nothing then */
        }
        add_intra(cx, w->wid_in_wg, extent, offset);
        break;
    case TC_SCOPE_CTA:
        add_intra(cx, w->warpid, act->warp, act->warp0);
        break;
    case TC_SCOPE_WARP:
        break;
    default:
        return;
    }
    add_intra(cx, w->laneid, act->lane, act->lane0);
}

static void ask(const tc_dispatch_ctx *cx, tc_verdict *v) {
    const tc_variant *variant = v->variant;
    bool ok = true;
    v->npredicates = variant->npredicates;
    v->predicates =
        TC_NEWN(cx->arena, tc_predicate_result, variant->npredicates);
    for (int i = 0; i < variant->npredicates; i++) {
        tc_predicate_result *r = &v->predicates[i];
        const char *reason = NULL;
        r->name = variant->predicates[i].name;
        r->ok = variant->predicates[i].fn(cx, v, r->name, &reason);
        r->reason = r->ok ? NULL : reason;
        ok &= r->ok;
    }
    v->lowering_built = variant->lower != NULL;
    if (!ok) {
        v->outcome = TC_REJECT;
    } else if (variant->lower == NULL) {
        v->outcome = TC_ACCEPT;
        tc_check_add(cx, v, "lowering", "lowering", TC_UNASKED,
                     "accepted; lowering not built yet: only the predicates "
                     "were asked");
    } else {
        v->outcome = variant->lower(cx, v) ? TC_ACCEPT : TC_DECLINE;
    }
}

static void decide(walker *w, const tc_stmt *s, const tc_active *act) {
    tc_decision d = {.copy = s->copy, .span = s->span};
    tc_dispatch_ctx cx = {.arena = w->arena,
                          .func = w->func,
                          .copy = s->copy,
                          .span = s->span,
                          .target_cuda = w->target_cuda,
                          .launch_threads = w->thread_x->hi,
                          .thread_x = tc_var_ref(w->arena, w->thread_x)};
    set_intra(w, &cx, act);
    memcpy(d.intra, cx.intra, sizeof d.intra);
    d.nintra = cx.nintra;
    d.verdicts = TC_NEWN(w->arena, tc_verdict, TC_VARIANT_COUNT);
    for (int i = 0; i < TC_VARIANT_COUNT; i++) {
        if (tc_variants[i].op != s->copy->op) {
            continue;
        }
        tc_verdict *v = &d.verdicts[d.nverdicts++];
        v->variant = tc_variants[i].variant;
        ask(&cx, v);
        const char *forced = s->copy->forced;
        if (d.chosen == NULL && v->outcome == TC_ACCEPT &&
            (forced == NULL || strcmp(forced, tc_variants[i].name) == 0)) {
            d.chosen = v;
        }
    }
    TC_PUSH(w->arena, w->out->items, w->out->n, w->out->cap, d);
}

static void walk(walker *w, const tc_block *block, const tc_active *act) {
    for (const tc_stmt *s = block->first; s != NULL; s = s->next) {
        if (s->kind == TC_S_SCOPE_ID) {
            TC_PUSH(w->arena, w->ids, w->nids, w->ids_cap, s->id);
        } else if (s->kind == TC_S_COPY) {
            decide(w, s, act);
        } else if (s->kind == TC_S_IF) {
            tc_active inner = *act;
            tc_active_narrow(w->arena, &inner, s->value, kind_of, w);
            walk(w, &s->body, &inner);
            walk(w, &s->orelse, act);
        } else {
            walk(w, &s->body, act);
        }
    }
}

void tc_dispatch(tc_arena *a, const tc_func *func, bool target_cuda,
                 tc_decisions *out) {
    walker w = {.arena = a,
                .func = func,
                .target_cuda = target_cuda,
                .out = out,
                .laneid = tc_axis_find("laneid"),
                .warpid = tc_axis_find("warpid"),
                .wid_in_wg = tc_axis_find("wid_in_wg")};
    int64_t dims[3];
    *out = (tc_decisions){0};
    tc_launch_read(a, &func->body, &w.launch); /* its errors: tc_lower's */
    tc_launch_dims(&w.launch, TC_ID_THREAD, dims);
    w.thread_x = TC_NEW(a, tc_var);
    *w.thread_x = (tc_var){.name = "threadIdx_x",
                           .type = TC_INT32,
                           .bind = TC_BIND_THREAD_X,
                           .hi = w.launch.fused[TC_ID_THREAD] ? dims[0] : 0};
    int64_t threads = w.launch.fused[TC_ID_THREAD]; /* no launch has 2^40 */
    threads = threads < INT64_C(1) << 40 ? threads : INT64_C(1) << 40;
    tc_active all = {.lane = 32, .warp = threads / 32};
    walk(&w, &func->body, &all);
}

/* ids.c - scope ids: T.cta_id([n]) and its kin, and extents left open. */
#include "front/internal.h"

static const char *const id_names[] = {
    [TC_ID_CTA] = "T.cta_id",
    [TC_ID_CTA_IN_CLUSTER] = "T.cta_id_in_cluster",
    [TC_ID_CLUSTER] = "T.cluster_id",
    [TC_ID_WARPGROUP] = "T.warpgroup_id",
    [TC_ID_WARP] = "T.warp_id",
    [TC_ID_WARP_IN_WG] = "T.warp_id_in_wg",
    [TC_ID_LANE] = "T.lane_id",
    [TC_ID_THREAD] = "T.thread_id",
    [TC_ID_THREAD_IN_WG] = "T.thread_id_in_wg",
};

bool tc_call_device_entry(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    *out = tc_value_none();
    if (!tc_need_body(e, args->function, args->span)) {
        return false;
    }
    if (args->n > 0) {
        return tc_front_fail(e, args->span, NULL,
                             "T.device_entry takes no arguments");
    }
    if (e->body->entered) {
        return tc_front_fail(e, args->span, NULL,
                             "T.device_entry() is there already");
    }
    e->body->entered = true;
    return true;
}

/* [4], (2, 2), or nothing: then the extent follows from the other ids. */
static bool want_extents(tc_eval_ctx *e, const tc_arg *arg, tc_scope_id *id) {
    id->n = 1;
    if (arg == NULL || arg->value.kind == TC_V_NONE) {
        return true; /* extent 0: open */
    }
    if (!tc_value_is_sequence(&arg->value)) {
        return tc_front_fail(
            e, arg->span,
            arg->value.kind == TC_V_INT
                ? tc_format(e->arena, "write [%lld]", (long long)arg->value.i)
                : "write [128]",
            "the extents of a scope id are a list");
    }
    int64_t *extents;
    if (arg->value.nitems > 3) {
        return tc_front_fail(e, arg->span, NULL,
                             "a scope id has at most 3 dimensions");
    }
    if (!tc_want_shape(e, &arg->value, arg->span, "the extents", &extents,
                       &id->n)) {
        return false;
    }
    for (int i = 0; i < id->n; i++) {
        id->extent[i] = extents[i];
    }
    return true;
}

static void make_vars(tc_eval_ctx *e, tc_scope_id *id, tc_span span,
                      tc_value *out) {
    tc_value *values = TC_NEWN(e->arena, tc_value, 3);
    for (int i = 0; i < id->n; i++) {
        tc_var *v = TC_NEW(e->arena, tc_var);
        v->type = TC_INT32;
        v->hi = id->extent[i];
        v->span = span;
        id->var[i] = v;
        tc_note_unnamed(e, v, NULL, &id->named[i]);
        tc_expr *x = tc_var_ref(e->arena, v);
        values[i] = tc_value_expr(x);
    }
    *out = id->n == 1 ? values[0] : tc_value_items(TC_V_LIST, values, id->n);
}

static bool scope_id(tc_eval_ctx *e, const tc_args *args, tc_scope_id_kind kind,
                     tc_value *out) {
    const tc_arg *b[2];
    bool cta = kind == TC_ID_CTA || kind == TC_ID_CTA_IN_CLUSTER;
    if (!tc_need_body(e, args->function, args->span) ||
        !tc_bind_args(e, args, cta ? "extents,preferred" : "extents", 0, b)) {
        return false;
    }
    if (cta && b[1] != NULL && b[1]->value.kind != TC_V_NONE) {
        return tc_front_fail(e, b[1]->span, NULL,
                             "the argument 'preferred' is not built yet");
    }
    if (!e->body->entered) {
        return tc_front_fail(
            e, args->span, "put T.device_entry() above the first scope id",
            "%s stands before T.device_entry()", id_names[kind]);
    }
    tc_scope_id *id = TC_NEW(e->arena, tc_scope_id);
    id->kind = kind;
    if (!want_extents(e, b[0], id)) {
        return false;
    }
    tc_stmt *s = tc_emit_stmt(e, TC_S_SCOPE_ID, args->span);
    s->id = id;
    TC_PUSH(e->arena, e->body->ids, e->body->nids, e->body->ids_cap, id);
    make_vars(e, id, args->span, out);
    return true;
}

bool tc_call_cta_id(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return scope_id(e, args, TC_ID_CTA, out);
}

bool tc_call_cta_id_in_cluster(tc_eval_ctx *e, const tc_args *args,
                               tc_value *out) {
    return scope_id(e, args, TC_ID_CTA_IN_CLUSTER, out);
}

bool tc_call_cluster_id(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return scope_id(e, args, TC_ID_CLUSTER, out);
}

bool tc_call_warpgroup_id(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return scope_id(e, args, TC_ID_WARPGROUP, out);
}

bool tc_call_warp_id(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return scope_id(e, args, TC_ID_WARP, out);
}

bool tc_call_warp_id_in_wg(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return scope_id(e, args, TC_ID_WARP_IN_WG, out);
}

bool tc_call_lane_id(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return scope_id(e, args, TC_ID_LANE, out);
}

bool tc_call_thread_id(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return scope_id(e, args, TC_ID_THREAD, out);
}

bool tc_call_thread_id_in_wg(tc_eval_ctx *e, const tc_args *args,
                             tc_value *out) {
    return scope_id(e, args, TC_ID_THREAD_IN_WG, out);
}

/* --- open extents ------------------------------------------------------ */

static int64_t product(const tc_scope_id *id) {
    int64_t n = 1;
    for (int i = 0; i < id->n; i++) {
        n *= id->extent[i]; /* bounded by tc_want_shape */
    }
    return n;
}

/* The extent of a kind that the program declares, or 0. */
static int64_t declared(const tc_body *b, tc_scope_id_kind kind) {
    for (int i = 0; i < b->nids; i++) {
        if (b->ids[i]->kind == kind && b->ids[i]->extent[0] > 0) {
            return product(b->ids[i]);
        }
    }
    return 0;
}

/* Threads of a CTA, as far as the declared ids tell; 0 if they do not. */
static int64_t cta_threads(const tc_body *b) {
    int64_t n = declared(b, TC_ID_THREAD);
    if (n == 0) {
        n = declared(b, TC_ID_WARP) * 32;
    }
    return n != 0 ? n : declared(b, TC_ID_WARPGROUP) * 128;
}

static int64_t inferred(const tc_body *b, tc_scope_id_kind kind) {
    int64_t threads = cta_threads(b);
    switch (kind) {
    case TC_ID_LANE:
        return 32;
    case TC_ID_WARP_IN_WG:
        return 4;
    case TC_ID_THREAD_IN_WG:
        return 128;
    case TC_ID_THREAD:
        return threads;
    case TC_ID_WARP:
        return threads % 32 == 0 ? threads / 32 : 0;
    case TC_ID_WARPGROUP:
        return threads % 128 == 0 ? threads / 128 : 0;
    default:
        return 0;
    }
}

bool tc_infer_ids(tc_eval_ctx *e) {
    const tc_body *b = e->body;
    for (int i = 0; i < b->nids; i++) {
        tc_scope_id *id = b->ids[i];
        if (id->extent[0] > 0) {
            continue;
        }
        int64_t n = inferred(b, id->kind);
        if (n == 0) {
            return tc_front_fail(
                e, id->var[0]->span,
                tc_format(e->arena, "write the extent: %s([...])",
                          id_names[id->kind]),
                "the extent of %s does not follow from the other ids",
                id_names[id->kind]);
        }
        id->extent[0] = n;
        id->var[0]->hi = n;
    }
    return true;
}

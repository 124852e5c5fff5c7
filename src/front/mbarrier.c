/* mbarrier.c - MBarrier and TMABar: barriers in a pool, and their methods as
 * the intrinsics that TVM writes (backend/cuda/lang/pipeline.py). */
#include "front/internal.h"

#include <string.h>

static tc_stmt *add_eval(tc_eval_ctx *e, tc_block *b, tc_expr *x,
                         tc_span span) {
    tc_stmt *s = tc_eval(e->arena, x);
    s->span = span;
    x->span = span;
    tc_block_add(b, s);
    return s;
}

/* --- making ------------------------------------------------------------ */

static bool alloc_words(tc_eval_ctx *e, tc_object *pool, tc_object *o,
                        tc_span span) {
    tc_value *depth = TC_NEW(e->arena, tc_value), made;
    *depth = tc_value_int(o->depth);
    tc_arg items[] = {
        {"shape", tc_value_items(TC_V_TUPLE, depth, 1), span},
        {"dtype", tc_value_string("uint64"), span},
        {"align", tc_value_int(8), span},
    };
    tc_args args = {
        .function = "pool.alloc", .span = span, .items = items, .n = 3};
    if (!tc_pool_alloc(e, pool, &args, &made)) {
        return false;
    }
    o->buf = made.buffer;
    return true;
}

/* Who initialises: thread 0 of the CTA, unless the program says another. */
static bool want_leader(tc_eval_ctx *e, const tc_arg *arg, tc_expr **out) {
    if (arg != NULL && arg->value.kind != TC_V_NONE) {
        return tc_want_condition(e, &arg->value, arg->span, out);
    }
    tc_expr *rank =
        tc_call(e->arena, TC_OPC_CUDA_THREAD_RANK, TC_INT32, NULL, 0);
    *out = tc_binary(e->arena, TC_EQ, rank, tc_int(e->arena, 0));
    return true;
}

static bool make(tc_eval_ctx *e, tc_object_kind kind, const tc_args *args,
                 tc_value *out) {
    const tc_arg *b[4];
    tc_object *o = TC_NEW(e->arena, tc_object);
    o->kind = kind;
    if (!tc_need_body(e, args->function, args->span) ||
        !tc_bind_args(e, args, "pool,depth,phase_offset,leader", 2, b) ||
        !tc_want_int(e, &b[1]->value, b[1]->span, "the depth", &o->depth) ||
        (b[2] != NULL && !tc_want_int(e, &b[2]->value, b[2]->span,
                                      "phase_offset", &o->phase_offset)) ||
        !want_leader(e, b[3], &o->leader)) {
        return false;
    }
    const tc_value *pool = &b[0]->value;
    if (pool->kind != TC_V_OBJECT || pool->object->kind != TC_O_SMEM_POOL) {
        return tc_front_fail(e, b[0]->span, "pool = T.SMEMPool()",
                             "%s lies in a pool, and this is %s",
                             args->function, tc_value_kind_text(pool));
    }
    if (o->depth < 1 || o->depth > 1024) {
        return tc_front_fail(e, b[1]->span, NULL,
                             "%lld barriers: 1 to 1024 are possible",
                             (long long)o->depth);
    }
    if (!alloc_words(e, pool->object, o, args->span)) {
        return false;
    }
    *out = (tc_value){.kind = TC_V_OBJECT, .object = o, .buffer = o->buf};
    return true;
}

bool tc_call_mbarrier(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return make(e, TC_O_MBARRIER, args, out);
}

bool tc_call_tma_bar(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return make(e, TC_O_TMA_BAR, args, out);
}

/* --- methods ----------------------------------------------------------- */

/* A given argument as an expression; *out stays NULL where it is None. */
static bool want_optional(tc_eval_ctx *e, const tc_arg *arg, const char *what,
                          tc_expr **out) {
    *out = NULL;
    return arg == NULL || arg->value.kind == TC_V_NONE ||
           tc_want_expr(e, &arg->value, arg->span, what, out);
}

/* The address of one of the barriers. */
static bool want_stage(tc_eval_ctx *e, tc_object *o, const tc_arg *arg,
                       tc_expr **out) {
    tc_value element;
    if (!tc_buffer_at(e, o->buf, &arg->value, 1, arg->span, &element)) {
        return false;
    }
    *out = tc_addr(e->arena, o->buf, element.expr->mem.index, 1);
    (*out)->span = arg->span;
    return true;
}

/* if leader: for i in T.unroll(depth): T.ptx.mbarrier.init(buf[i], count) */
static bool init(tc_eval_ctx *e, tc_object *o, const tc_args *args) {
    tc_arena *a = e->arena;
    const tc_arg *b[1];
    tc_expr *count;
    if (!tc_bind_args(e, args, "count", 1, b) ||
        !tc_want_expr(e, &b[0]->value, b[0]->span, "the count", &count)) {
        return false;
    }
    tc_stmt *leader = tc_emit_stmt(e, TC_S_IF, args->span);
    leader->value = o->leader;
    tc_stmt *loop = tc_stmt_new(a, TC_S_FOR, args->span);
    loop->var = TC_NEW(a, tc_var);
    *loop->var = (tc_var){
        .name = "i", .type = TC_INT32, .hi = o->depth, .span = args->span};
    loop->begin = tc_int(a, 0);
    loop->extent = tc_int(a, o->depth);
    loop->loop = TC_LOOP_UNROLL;
    tc_block_add(&leader->body, loop);
    tc_expr *i = tc_var_ref(a, loop->var);
    tc_expr *x[] = {tc_addr(a, o->buf, &i, 1), tc_cast(a, TC_INT32, count)};
    add_eval(e, &loop->body,
             tc_call(a, TC_OPC_PTX_MBARRIER_INIT, TC_VOID, x, 2), args->span);
    return true;
}

static bool barrier_wait(tc_eval_ctx *e, tc_object *o, const tc_args *args) {
    tc_arena *a = e->arena;
    const tc_arg *b[2];
    tc_expr *x[2];
    if (!tc_bind_args(e, args, "stage,phase", 2, b) ||
        !want_stage(e, o, b[0], &x[0]) ||
        !tc_want_expr(e, &b[1]->value, b[1]->span, "the phase", &x[1])) {
        return false;
    }
    if (!tc_dtypes[x[1]->type].bits || x[1]->type == TC_HANDLE ||
        tc_dtypes[x[1]->type].cls >= TC_CLASS_FLOAT) {
        return tc_front_fail(e, b[1]->span, NULL, "the phase is 0 or 1");
    }
    x[1] = tc_cast(a, TC_INT32, x[1]);
    if (o->phase_offset != 0) {
        x[1] =
            tc_binary(a, TC_BITXOR, x[1], tc_int(a, (int32_t)o->phase_offset));
    }
    add_eval(e, e->body->block,
             tc_call(a, TC_OPC_PTX_MBARRIER_TRY_WAIT, TC_VOID, x, 2),
             args->span);
    return true;
}

/* Argument `from` on are cta_id, pred, and for MBarrier count. */
static bool arrive(tc_eval_ctx *e, tc_object *o, const tc_args *args) {
    tc_arena *a = e->arena;
    bool tma = o->kind == TC_O_TMA_BAR;
    const tc_arg *b[4];
    tc_expr *x[4], *cta, *pred, *more;
    if (!tc_bind_args(e, args,
                      tma ? "stage,tx_count,cta_id,pred"
                          : "stage,cta_id,pred,count",
                      1, b) ||
        !want_stage(e, o, b[0], &x[0]) ||
        !want_optional(e, b[tma ? 2 : 1], "cta_id", &cta) ||
        !want_optional(e, b[tma ? 3 : 2], "pred", &pred) ||
        !want_optional(e, b[tma ? 1 : 3], tma ? "tx_count" : "count", &more)) {
        return false;
    }
    tc_op op = TC_OPC_PTX_MBARRIER_ARRIVE;
    int n = 1;
    if (tma && more != NULL) {
        op = TC_OPC_PTX_MBARRIER_ARRIVE_EXPECT_TX;
        x[n++] = tc_cast(a, TC_INT32, more);
    } else if (cta != NULL) {
        x[n++] = tc_cast(a, TC_INT32, cta);
        x[n++] = pred != NULL ? pred : tc_int_t(a, TC_BOOL, 1);
        if (!tma && more != NULL) {
            x[n++] = tc_cast(a, TC_INT32, more);
        }
    }
    add_eval(e, e->body->block, tc_call(a, op, TC_VOID, x, n), args->span);
    return true;
}

bool tc_barrier_method(tc_eval_ctx *e, tc_object *o, const char *method,
                       tc_span method_span, const tc_args *args,
                       tc_value *out) {
    static const char *const known[] = {"init", "wait", "arrive", "ptr_to"};
    *out = tc_value_none();
    if (strcmp(method, "ptr_to") == 0) {
        return tc_call_buffer_method(e, o->buf, method, method_span, args, out);
    }
    if (strcmp(method, "remote_view") == 0) {
        return tc_front_fail(e, method_span, "arrive(stage, cta_id=...)",
                             "remote_view is not built yet");
    }
    bool is_init = strcmp(method, "init") == 0;
    bool is_wait = strcmp(method, "wait") == 0;
    if (!is_init && !is_wait && strcmp(method, "arrive") != 0) {
        return tc_front_fail(
            e, method_span, tc_did_you_mean(e, method, known, 4),
            "%s has no method '%s'", tc_object_class(o), method);
    }
    if (!e->body->entered) {
        return tc_front_fail(
            e, args->span, "put T.device_entry() above the kernel's code",
            "%s stands before T.device_entry()", args->function);
    }
    return is_init   ? init(e, o, args)
           : is_wait ? barrier_wait(e, o, args)
                     : arrive(e, o, args);
}

/* gs_emit.c - the loop that gmem_smem and ldgsts lower to, statement by
 * statement as TVM writes it (copy/gmem_smem.py, copy_async/ldgsts.py). */
#include "variants/gs_emit.h"

#include <stddef.h>

tc_buffer *tc_new_local(const tc_dispatch_ctx *cx, tc_block *b,
                        const char *name, tc_dtype type) {
    tc_buffer *local = TC_NEW(cx->arena, tc_buffer);
    local->name = name;
    local->type = type;
    local->space = TC_SPACE_LOCAL;
    local->shape = TC_NEW(cx->arena, int64_t);
    local->shape[0] = 1;
    local->rank = 1;
    local->scalar = true;
    local->span = cx->span;
    tc_stmt *s = tc_stmt_new(cx->arena, TC_S_ALLOC, cx->span);
    s->buffer = local;
    tc_block_add(b, s);
    return local;
}

void tc_set_local(const tc_dispatch_ctx *cx, tc_block *b, tc_buffer *local,
                  tc_expr *value) {
    tc_expr *zero = tc_int(cx->arena, 0);
    tc_stmt *s = tc_store(cx->arena, local, &zero, 1, value);
    s->span = cx->span;
    tc_block_add(b, s);
}

tc_expr *tc_get_local(const tc_dispatch_ctx *cx, tc_buffer *local) {
    tc_expr *zero = tc_int(cx->arena, 0);
    return tc_load(cx->arena, local, &zero, 1);
}

tc_expr *tc_thread_in_scope(const tc_dispatch_ctx *cx, tc_block *b) {
    bool warp = cx->copy->scope == TC_SCOPE_WARP;
    if (cx->copy->scope == TC_SCOPE_CTA) {
        return cx->thread_x;
    }
    tc_scope_id *id = TC_NEW(cx->arena, tc_scope_id);
    tc_var *tid = TC_NEW(cx->arena, tc_var);
    int64_t n = warp ? 32 : 128;
    *tid = (tc_var){.name = "tid", .type = TC_INT32, .hi = n, .span = cx->span};
    *id = (tc_scope_id){.kind = warp ? TC_ID_LANE : TC_ID_THREAD_IN_WG,
                        .extent = {n},
                        .n = 1,
                        .var = {tid},
                        .named = {true}};
    tc_stmt *s = tc_stmt_new(cx->arena, TC_S_SCOPE_ID, cx->span);
    s->id = id;
    tc_block_add(b, s);
    return tc_var_ref(cx->arena, tid);
}

tc_stmt *tc_new_loop(const tc_dispatch_ctx *cx, tc_block *b, const char *name,
                     int64_t extent, tc_loop loop) {
    tc_stmt *s = tc_stmt_new(cx->arena, TC_S_FOR, cx->span);
    s->var = TC_NEW(cx->arena, tc_var);
    *s->var = (tc_var){
        .name = name, .type = TC_INT32, .hi = extent, .span = cx->span};
    s->begin = tc_int(cx->arena, 0);
    s->extent = tc_int(cx->arena, extent);
    s->loop = loop;
    tc_block_add(b, s);
    return s;
}

void tc_add_issue(const tc_dispatch_ctx *cx, tc_verdict *v, tc_op op,
                  int64_t bytes, int64_t times) {
    tc_issue *all = TC_NEWN(cx->arena, tc_issue, v->nissues + 1);
    for (int i = 0; i < v->nissues; i++) {
        all[i] = v->issues[i];
    }
    all[v->nissues++] = (tc_issue){.op = op, .bytes = bytes, .times = times};
    v->issues = all;
}

/* A local pointer to `off` elements past the buffer's first. */
static tc_expr *pointer(const tc_dispatch_ctx *cx, tc_block *b,
                        const char *name, const tc_buffer *buffer,
                        tc_buffer *off) {
    tc_arena *a = cx->arena;
    tc_expr **zeros = TC_NEWN(a, tc_expr *, buffer->rank + 1);
    for (int i = 0; i < buffer->rank; i++) {
        zeros[i] = tc_int(a, 0);
    }
    tc_expr *args[] = {tc_addr(a, (tc_buffer *)buffer, zeros, buffer->rank),
                       tc_get_local(cx, off)};
    tc_buffer *ptr = tc_new_local(cx, b, name, TC_HANDLE);
    tc_set_local(cx, b, ptr,
                 tc_call(a, TC_OPC_POINTER_OFFSET, TC_HANDLE, args, 2));
    return tc_get_local(cx, ptr);
}

static void move(const tc_dispatch_ctx *cx, tc_block *b, tc_op op, tc_expr *dst,
                 tc_expr *src, int bytes) {
    tc_arena *a = cx->arena;
    /* the defaults of T.ptx.cp_async: no cache policy, no prefetch, no
     * predicate, no fill (tirx/op.py) */
    tc_expr *args[] = {dst,
                       src,
                       tc_int(a, bytes),
                       tc_int_t(a, TC_UINT64, 0),
                       tc_int(a, 0),
                       tc_int(a, -1),
                       tc_int(a, -1),
                       tc_string(a, "")};
    tc_stmt *s = tc_eval(
        a, tc_call(a, op, TC_VOID, args, op == TC_OPC_PTX_CP_ASYNC ? 8 : 3));
    s->span = cx->span;
    tc_block_add(b, s);
}

/* The thread's number as the loop uses it: TVM keeps the 0 of a lone thread in
 * a local. */
static tc_expr *thread_number(const tc_dispatch_ctx *cx, tc_block *b,
                              const tc_partition *p) {
    if (p->threads > 1) {
        return tc_thread_in_scope(cx, b);
    }
    tc_buffer *tid = tc_new_local(cx, b, "tid", TC_INT32);
    tc_set_local(cx, b, tid, tc_int(cx->arena, 0));
    return tc_get_local(cx, tid);
}

void tc_gs_emit(const tc_dispatch_ctx *cx, tc_verdict *v, const tc_partition *p,
                tc_op op, tc_loop loop) {
    tc_arena *a = cx->arena;
    tc_expr *tid = thread_number(cx, &v->lowered, p);
    tc_stmt *rounds = tc_new_loop(cx, &v->lowered, "f", p->outer, loop);
    tc_expr *f = tc_var_ref(a, rounds->var);
    tc_block *b = &rounds->body;

    tc_buffer *s_lin = tc_new_local(cx, b, "s_lin", TC_INT32);
    tc_set_local(cx, b, s_lin,
                 tc_partition_offset(a, p, p->s, p->s_base, f, tid));
    tc_buffer *g_lin = tc_new_local(cx, b, "g_lin", TC_INT32);
    tc_set_local(cx, b, g_lin,
                 tc_partition_offset(a, p, p->g, p->g_base, f, tid));
    tc_buffer *s_off = tc_new_local(cx, b, "s_off", TC_INT32);
    tc_expr *lin = tc_get_local(cx, s_lin);
    tc_set_local(cx, b, s_off,
                 p->has_swizzle ? tc_swizzle_expr(a, p->swizzle, lin) : lin);
    tc_expr *s_ptr = pointer(cx, b, "s_ptr", p->s_buffer, s_off);
    tc_expr *g_ptr = pointer(cx, b, "g_ptr", p->g_buffer, g_lin);
    bool from_g = cx->copy->src.buffer == p->g_buffer;
    move(cx, b, op, from_g ? s_ptr : g_ptr, from_g ? g_ptr : s_ptr,
         p->vec_bytes);
    tc_add_issue(cx, v, op, p->vec_bytes, p->outer);
}

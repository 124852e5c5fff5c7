/* emit.c - the statements of tmem<->local, one by one as TVM writes
 * them (copy_async/tcgen05_ldst.py). */
#include "variants/gs_emit.h"
#include "variants/tcgen05/ldst.h"

#include <string.h>

static tc_buffer *view(const tc_dispatch_ctx *cx, tc_block *b, const char *name,
                       tc_buffer *of, tc_dtype type, int64_t n) {
    tc_buffer *v = TC_NEW(cx->arena, tc_buffer);
    v->name = name;
    v->type = type;
    v->space = of->space;
    v->rank = 1;
    v->shape = TC_NEW(cx->arena, int64_t);
    v->shape[0] = n;
    v->base = of;
    v->span = cx->span;
    tc_stmt *s = tc_stmt_new(cx->arena, TC_S_ALLOC, cx->span);
    s->buffer = v;
    s->is_view = true;
    tc_block_add(b, s);
    return v;
}

/* The registers as words: local_32b. */
static tc_buffer *words(const tc_dispatch_ctx *cx, tc_block *b,
                        const tc_tcgen05_move *m) {
    tc_buffer *r = m->reg->buffer;
    bool atom = m->shape->cols > 1;
    int64_t n = atom ? m->shape->regs * m->num * m->slabs * m->per_word
                     : r->shape[1] * m->per_word;
    tc_buffer *flat = view(cx, b, "local_storage", r, r->type, n);
    /* a view of nothing new is one of the same buffer */
    return view(cx, b, "local_32b", r->type == TC_UINT32 ? r : flat, TC_UINT32,
                n / m->per_word);
}

static tc_expr *times(tc_arena *a, tc_expr *x, int64_t n) {
    return tc_binary(a, TC_MUL, x, tc_int_t(a, x->type, n));
}

static tc_expr *over(tc_arena *a, tc_expr *x, int64_t n) {
    return tc_binary(a, TC_FLOORDIV, x, tc_int_t(a, x->type, n));
}

static void issue(const tc_dispatch_ctx *cx, tc_block *b,
                  const tc_tcgen05_move *m, tc_buffer *w, tc_expr *row,
                  tc_expr *first) {
    tc_arena *a = cx->arena;
    tc_expr **args = TC_NEWN(a, tc_expr *, 6 + m->regs_eff);
    int n = 0;
    args[n++] = m->tmem->buffer->allocated_addr;
    args[n++] = row;
    args[n++] = over(a, m->tmem->range[1].min, m->per_word);
    args[n++] = tc_string(a, m->shape->name);
    args[n++] = tc_int(a, m->num_eff);
    args[n++] = tc_int_t(a, TC_BOOL, 0);
    for (int64_t i = 0; i < m->regs_eff; i++) {
        tc_expr *at = tc_binary(a, TC_ADD, first, tc_int_t(a, first->type, i));
        args[n++] = tc_load(a, w, &at, 1);
    }
    tc_op op = m->load ? TC_OPC_PTX_TCGEN05_LD : TC_OPC_PTX_TCGEN05_ST;
    tc_stmt *s = tc_eval(a, tc_call(a, op, TC_VOID, args, n));
    s->span = cx->span;
    tc_block_add(b, s);
}

/* A column of the register buffer lies at its share of a slab's registers. */
static void each_slab(const tc_dispatch_ctx *cx, tc_block *b,
                      const tc_tcgen05_move *m, tc_buffer *w) {
    tc_arena *a = cx->arena;
    int64_t regs = m->shape->regs * m->num;
    tc_expr *col = m->reg->range[1].min;
    tc_expr *share = over(a, times(a, col, regs), m->reg->buffer->shape[1]);
    tc_buffer *from = tc_new_local(cx, b, "local_reg_base", TC_INT32);
    tc_set_local(cx, b, from, tc_cast(a, TC_INT32, share));
    tc_stmt *loop = tc_new_loop(cx, b, "slab", m->slabs, TC_LOOP_SERIAL);
    tc_expr *slab = tc_var_ref(a, loop->var);
    tc_buffer *base = tc_new_local(cx, &loop->body, "reg_base", TC_INT32);
    tc_set_local(cx, &loop->body, base, times(a, slab, regs));
    tc_expr *first =
        tc_binary(a, TC_ADD, tc_get_local(cx, from), tc_get_local(cx, base));
    issue(cx, &loop->body, m, w, times(a, slab, 16), first);
}

void tc_tcgen05_emit(const tc_dispatch_ctx *cx, tc_verdict *v,
                     const tc_tcgen05_move *m) {
    tc_buffer *w = words(cx, &v->lowered, m);
    if (m->shape->cols > 1) {
        each_slab(cx, &v->lowered, m, w);
    } else {
        issue(cx, &v->lowered, m, w, tc_int(cx->arena, 0),
              over(cx->arena, m->reg->range[1].min, m->per_word));
    }
}

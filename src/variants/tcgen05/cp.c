/* cp.c - shared to tensor memory with tcgen05.cp (PTX ISA 9.7.16.9).
 * tcgen05.commit, which tells when it is done, is the program's own. */
#include "dispatch/predicates.h"
#include "variants/gs_emit.h"
#include "variants/tcgen05/plan.h"

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

/* --- the statements, as TVM writes them ------------------------------------*/

/* tcgen05.cp.32x128b reads no leading offset; TVM's value for it. */
enum { LEADING_OFFSET = 16 };

/* A descriptor of the shared buffer's first byte, made beside the buffer. */
static tc_expr *descriptor(const tc_dispatch_ctx *cx, tc_verdict *v,
                           const tc_cp_plan *p) {
    tc_arena *a = cx->arena;
    tc_buffer *s = cx->copy->src.buffer;
    tc_hoisted *h = TC_NEW(a, tc_hoisted);
    tc_expr *zero = tc_int(a, 0);
    tc_expr **zeros = TC_NEWN(a, tc_expr *, s->rank + 1);
    for (int i = 0; i < s->rank; i++) {
        zeros[i] = tc_int(a, 0);
    }
    h->after = s;
    h->key = tc_format(a, "desc %d %" PRId64 " %" PRId64, LEADING_OFFSET,
                       p->stride, p->swizzle);
    h->made = tc_new_local(cx, &h->block, "cp_desc", TC_UINT64);
    tc_expr *args[] = {tc_addr(a, h->made, &zero, 1),
                       tc_addr(a, s, zeros, s->rank), tc_int(a, LEADING_OFFSET),
                       tc_int(a, p->stride), tc_int(a, p->swizzle)};
    tc_stmt *encode =
        tc_eval(a, tc_call(a, TC_OPC_PTX_TCGEN05_DESC, TC_VOID, args, 5));
    encode->span = cx->span;
    tc_block_add(&h->block, encode);
    v->hoisted = h;
    return tc_get_local(cx, h->made);
}

static tc_expr *add(tc_arena *a, tc_expr *x, tc_expr *y) {
    return tc_binary(a, TC_ADD, x, y);
}

/* The position in loop i of piece `flat`, times step. */
static tc_expr *stepped(tc_arena *a, const tc_cp_plan *p, tc_expr *flat,
                        bool column) {
    tc_expr *sum = tc_int(a, 0);
    int64_t before = 1;
    for (int i = 0; flat != NULL && i < p->nloops; i++) {
        const tc_cp_loop *l = &p->loops[i];
        tc_expr *at = tc_binary(a, TC_FLOORDIV, flat, tc_int(a, before));
        at = tc_binary(a, TC_FLOORMOD, at, tc_int(a, l->n));
        before *= l->n;
        int64_t step = column ? l->column_step : l->shared_step;
        sum = add(a, sum, tc_binary(a, TC_MUL, at, tc_int(a, step)));
    }
    return sum;
}

static void issue(const tc_dispatch_ctx *cx, tc_block *b, const tc_cp_plan *p,
                  tc_expr *desc, tc_expr *flat) {
    tc_arena *a = cx->arena;
    tc_expr *to = cx->copy->dst.buffer->allocated_addr;
    tc_expr *columns[] = {p->column, stepped(a, p, flat, true)};
    for (int i = 0; i < 2; i++) {
        int64_t none;
        if (!tc_expr_const(columns[i], &none) || none != 0) {
            to = add(a, to, tc_cast(a, to->type, columns[i]));
        }
    }
    tc_expr *from[] = {desc, add(a, p->shared_at, stepped(a, p, flat, false))};
    tc_expr *args[] = {to,
                       tc_call(a, TC_OPC_SMEM_DESC_ADD, TC_UINT64, from, 2),
                       tc_string(a, "32x128b"),
                       tc_int(a, p->cta_group),
                       tc_string(a, "warpx4"),
                       tc_string(a, ""),
                       tc_int(a, 0),
                       tc_int(a, 0)};
    tc_stmt *s =
        tc_eval(a, tc_call(a, TC_OPC_PTX_TCGEN05_CP, TC_VOID, args, 8));
    s->span = cx->span;
    tc_block_add(b, s);
}

static bool lower(const tc_dispatch_ctx *cx, tc_verdict *v) {
    tc_cp_plan p = {0};
    if (!tc_cp_plan_make(cx, v, &p)) {
        return false;
    }
    tc_expr *desc = descriptor(cx, v, &p), *flat = NULL;
    tc_block *b = &v->lowered;
    if (p.pieces > 1) {
        tc_stmt *loop = tc_new_loop(cx, b, "flat", p.pieces, TC_LOOP_UNROLL);
        flat = tc_var_ref(cx->arena, loop->var);
        b = &loop->body;
    }
    issue(cx, b, &p, desc, flat);
    int64_t ints[] = {p.cta_group, 0, 0};
    tc_add_issue_ints(cx, v, TC_OPC_PTX_TCGEN05_CP, ints, 3, "32x128b.warpx4",
                      p.pieces);
    return true;
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
    .lower = lower,
};

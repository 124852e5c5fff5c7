/* sides.c - cutting both sides of a register copy (copy/reg.py,
 * copy/ld_stmatrix.py), and the statements that both lowerings write. */
#include "variants/sides.h"
#include "dispatch/region.h"
#include "variants/gs_emit.h"

#include <stddef.h>

bool tc_sides_decline(const tc_dispatch_ctx *cx, tc_verdict *v,
                      const char *check, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *text = tc_vformat(cx->arena, fmt, ap);
    va_end(ap);
    tc_check_add(cx, v, "lowering", check, TC_NO, "%s", text);
    if (v->why == NULL) {
        v->why = text;
    }
    return false;
}

/* --- cutting ---------------------------------------------------------------*/

/* A bare swizzle is the identity over the region (_extract_tile). */
static const tc_layout *tile_of(tc_arena *a, const tc_layout *l,
                                const tc_region *r) {
    const tc_layout *tile = tc_layout_tile_part(a, l);
    if (tile != NULL) {
        return tile;
    }
    int64_t *shape = TC_NEWN(a, int64_t, r->buffer->rank + 1);
    for (int i = 0; i < r->buffer->rank; i++) {
        shape[i] = r->range[i].extent;
    }
    return tc_layout_row_major(a, shape, r->buffer->rank);
}

/* The region over a canonical form of its buffer's layout. */
static bool canonical_region(tc_sides *s, tc_arena *a, tc_region *r) {
    tc_buffer *b = TC_NEW(a, tc_buffer);
    *b = *r->buffer;
    if (tc_layout_canonicalize(&s->lcx, b->layout, &b->layout) !=
        TC_LAYOUT_OK) {
        return false;
    }
    r->buffer = b;
    return true;
}

static bool cut(const tc_dispatch_ctx *cx, tc_verdict *v, tc_sides *s,
                bool canonical_first, const char *name, tc_side *side) {
    tc_region r = *side->region;
    tc_slice slice = {0};
    const tc_layout *l;
    const char *why = NULL;
    if (canonical_first && !canonical_region(s, cx->arena, &r)) {
        return tc_sides_decline(cx, v, name, "%s: %s", r.buffer->name,
                                s->lcx.message);
    }
    if (tc_region_slice(cx, &r, &slice, &why) != TC_LAYOUT_OK) {
        return tc_sides_decline(cx, v, name, "%s: %s", r.buffer->name, why);
    }
    if (tc_layout_canonicalize(&s->lcx, slice.layout, &l) != TC_LAYOUT_OK) {
        return tc_sides_decline(cx, v, name, "%s: %s", r.buffer->name,
                                s->lcx.message);
    }
    side->layout = tile_of(cx->arena, l, &r);
    side->base = slice.base;
    tc_buf text = TC_BUF_INIT;
    tc_layout_print(&text, side->layout);
    tc_check_add(cx, v, "lowering", name, TC_YES, "%s%s: %s",
                 side->region->buffer->name,
                 tc_layout_has_swizzle(side->region->buffer->layout)
                     ? " without its swizzle"
                     : "",
                 tc_buf_text(&text));
    tc_buf_free(&text);
    return true;
}

bool tc_sides_cut(const tc_dispatch_ctx *cx, tc_verdict *v,
                  bool canonical_first, tc_sides *out) {
    const tc_copy *c = cx->copy;
    *out =
        (tc_sides){.lcx = {.arena = cx->arena, .target_cuda = cx->target_cuda}};
    out->from_reg = c->src.buffer->space == TC_SPACE_LOCAL;
    out->reg.region = out->from_reg ? &c->src : &c->dst;
    out->mem.region = out->from_reg ? &c->dst : &c->src;
    const tc_buffer *r = out->reg.region->buffer, *m = out->mem.region->buffer;
    if (r->layout == NULL || m->layout == NULL) {
        return tc_sides_decline(cx, v, "layouts", "%s has no layout",
                                r->layout == NULL ? r->name : m->name);
    }
    out->has_swizzle = tc_layout_has_swizzle(m->layout);
    out->swizzle = m->layout->swizzle;
    bool ok = cut(cx, v, out, canonical_first, "register side", &out->reg);
    ok &= cut(cx, v, out, canonical_first, "memory side", &out->mem);
    return ok;
}

int *tc_sides_order(tc_arena *a, const tc_layout *l) {
    int *perm = TC_NEWN(a, int, l->nshard + 1);
    for (int i = 0; i < l->nshard; i++) {
        const tc_iter *x = &l->shard[i];
        bool thread = x->axis->cls == TC_AXIS_THREAD;
        int k = i;
        for (; k > 0; k--) {
            const tc_iter *y = &l->shard[perm[k - 1]];
            bool other = y->axis->cls == TC_AXIS_THREAD;
            if (thread == other ? y->stride >= x->stride : other) {
                break;
            }
            perm[k] = perm[k - 1];
        }
        perm[k] = i;
    }
    return perm;
}

int64_t *tc_sides_extents(tc_arena *a, const tc_layout *l) {
    int64_t *extents = TC_NEWN(a, int64_t, l->nshard + 1);
    for (int i = 0; i < l->nshard; i++) {
        extents[i] = l->shard[i].extent;
    }
    return extents;
}

/* --- layouts applied to expressions ----------------------------------------*/

static tc_expr *by(tc_arena *a, tc_binop op, tc_expr *x, int64_t y) {
    return tc_binary(a, op, x, tc_int_t(a, x->type, y));
}

tc_expr *tc_apply_iters(tc_arena *a, const tc_layout *l, int from, int to,
                        tc_expr *coord, const tc_axis *only, tc_expr *sum) {
    for (int i = to - 1; i >= from; i--) {
        const tc_iter *it = &l->shard[i];
        tc_expr *digit =
            i > from ? by(a, TC_FLOORMOD, coord, it->extent) : coord;
        coord = i > from ? by(a, TC_FLOORDIV, coord, it->extent) : coord;
        if (only == NULL || tc_axis_eq(it->axis, only)) {
            digit = tc_simplify(a, digit);
            sum = tc_binary(a, TC_ADD, sum, by(a, TC_MUL, digit, it->stride));
        }
    }
    return sum;
}

tc_expr *tc_apply_groups(tc_arena *a, const tc_layout *l, const int *seps,
                         int n, tc_expr *const *coord, const tc_axis *only) {
    tc_expr *sum = tc_int(a, 0);
    for (int i = 0; i < n; i++) {
        sum = tc_apply_iters(a, l, seps[i], seps[i + 1], coord[i], only, sum);
    }
    for (int i = 0; i < l->noffset; i++) {
        if (only == NULL || tc_axis_eq(l->offset[i].axis, only)) {
            sum = tc_binary(a, TC_ADD, sum, tc_int(a, l->offset[i].value));
        }
    }
    return sum;
}

/* --- statements ------------------------------------------------------------*/

static tc_buffer *flat_buffer(const tc_dispatch_ctx *cx, const char *name,
                              tc_dtype type, int64_t n) {
    tc_buffer *b = TC_NEW(cx->arena, tc_buffer);
    b->name = name;
    b->type = type;
    b->space = TC_SPACE_LOCAL;
    b->shape = TC_NEW(cx->arena, int64_t);
    b->shape[0] = n;
    b->rank = 1;
    b->span = cx->span;
    return b;
}

static void declare(const tc_dispatch_ctx *cx, tc_block *b, tc_buffer *buffer,
                    bool is_view) {
    tc_stmt *s = tc_stmt_new(cx->arena, TC_S_ALLOC, cx->span);
    s->buffer = buffer;
    s->is_view = is_view;
    tc_block_add(b, s);
}

tc_buffer *tc_local_view(const tc_dispatch_ctx *cx, tc_block *b,
                         const tc_buffer *registers, int64_t n) {
    tc_buffer *view = flat_buffer(cx, "r_local", registers->type, n);
    view->base = (tc_buffer *)registers;
    declare(cx, b, view, true);
    return view;
}

tc_buffer *tc_local_array(const tc_dispatch_ctx *cx, tc_block *b,
                          const char *name, tc_dtype type, int64_t n) {
    tc_buffer *array = flat_buffer(cx, name, type, n);
    declare(cx, b, array, false);
    return array;
}

/* As in TVM, addresses are written without knowing its range. */
tc_expr *tc_declare_scope_id(const tc_dispatch_ctx *cx, tc_block *b,
                             tc_scope_id_kind kind, int64_t extent,
                             const char *name) {
    tc_scope_id *id = TC_NEW(cx->arena, tc_scope_id);
    tc_var *v = TC_NEW(cx->arena, tc_var);
    *v = (tc_var){
        .name = name != NULL ? name : "v", .type = TC_INT32, .span = cx->span};
    *id = (tc_scope_id){.kind = kind,
                        .extent = {extent},
                        .n = 1,
                        .var = {v},
                        .named = {name != NULL}};
    tc_stmt *s = tc_stmt_new(cx->arena, TC_S_SCOPE_ID, cx->span);
    s->id = id;
    tc_block_add(b, s);
    return tc_var_ref(cx->arena, v);
}

tc_expr *tc_pointer_to(const tc_dispatch_ctx *cx, const tc_buffer *buffer,
                       tc_expr *off) {
    tc_arena *a = cx->arena;
    tc_expr **zeros = TC_NEWN(a, tc_expr *, buffer->rank + 1);
    for (int i = 0; i < buffer->rank; i++) {
        zeros[i] = tc_int(a, 0);
    }
    tc_expr *args[] = {tc_addr(a, (tc_buffer *)buffer, zeros, buffer->rank),
                       off};
    return tc_call(a, TC_OPC_POINTER_OFFSET, TC_HANDLE, args, 2);
}

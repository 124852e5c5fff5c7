/* lower_expr.c - expressions over flat buffers and launch variables.
 *
 * An access is flattened through its buffer's layout, as TVM's LayoutApplier
 * does (src/tirx/transform/lower_tirx_cleanup.cc). */
#include "dispatch/lower.h"

#include <stdarg.h>
#include <string.h>

enum { DEPTH_LIMIT = 400 };

static tc_expr *rewrite(tc_lowering *l, tc_expr *e, bool inlined, int depth);

void tc_lower_fail(tc_lowering *l, tc_span span, const char *hint,
                   const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *text = tc_vformat(l->arena, fmt, ap);
    va_end(ap);
    if (!l->failed) { /* the first says what is wrong */
        tc_error(l->diags, span, hint, "%s", text);
    }
    l->failed = true;
}

bool tc_expr_is_pure(const tc_expr *e) {
    switch (e->kind) {
    case TC_E_LOAD:
    case TC_E_CALL:
    case TC_E_ADDR:
        return false;
    case TC_E_UNARY:
        return tc_expr_is_pure(e->un.a);
    case TC_E_BINARY:
        return tc_expr_is_pure(e->bin.a) && tc_expr_is_pure(e->bin.b);
    case TC_E_SELECT:
        return tc_expr_is_pure(e->sel.c) && tc_expr_is_pure(e->sel.a) &&
               tc_expr_is_pure(e->sel.b);
    case TC_E_CAST:
        return tc_expr_is_pure(e->cast.a);
    default:
        return true;
    }
}

/* --- indices ---------------------------------------------------------------*/

static tc_expr *binary_int(tc_arena *a, tc_binop op, tc_expr *x, int64_t y) {
    return tc_binary(a, op, x, tc_int_t(a, x->type, y));
}

static tc_expr *row_major(tc_lowering *l, const tc_buffer *b, tc_expr **index) {
    tc_expr *x = tc_int(l->arena, 0);
    for (int i = 0; i < b->rank; i++) {
        x = tc_binary(l->arena, TC_ADD,
                      binary_int(l->arena, TC_MUL, x, b->shape[i]), index[i]);
    }
    return x;
}

/* coord split by iterators [from, to), the first taking the rest. */
static tc_expr *along(tc_arena *a, const tc_layout *t, int from, int to,
                      tc_expr *coord, tc_expr *sum) {
    for (int i = to - 1; i >= from; i--) {
        const tc_iter *it = &t->shard[i];
        tc_expr *digit =
            i > from ? binary_int(a, TC_FLOORMOD, coord, it->extent) : coord;
        if (i > from) {
            coord = binary_int(a, TC_FLOORDIV, coord, it->extent);
        }
        sum =
            tc_binary(a, TC_ADD, sum, binary_int(a, TC_MUL, digit, it->stride));
    }
    return sum;
}

static bool on_memory(const tc_layout *t) {
    for (int i = 0; i < t->nshard; i++) {
        if (t->shard[i].axis->cls != TC_AXIS_MEMORY) {
            return false;
        }
    }
    return true;
}

static tc_expr *through_tile(tc_lowering *l, const tc_buffer *b,
                             const tc_layout *tile, tc_expr **index,
                             tc_span span) {
    tc_layout_ctx cx = {.arena = l->arena, .target_cuda = true};
    const tc_layout *flat, *grouped;
    int *seps;
    if (!on_memory(tile)) {
        tc_lower_fail(l, span,
                      "copy it with Tx, or view it with .local() first",
                      "an element of %s belongs to one thread: it cannot be "
                      "read or written by its index",
                      b->name);
        return tc_int(l->arena, 0);
    }
    if (tc_layout_canonicalize(&cx, tile, &flat) != TC_LAYOUT_OK) {
        tc_lower_fail(l, span, NULL, "%s: %s", b->name, cx.message);
        return tc_int(l->arena, 0);
    }
    tc_expr *sum = tc_int(l->arena, tc_layout_offset_of(flat, tc_axis_m));
    if (tc_layout_group(&cx, flat, b->shape, b->rank, &grouped, &seps) !=
        TC_LAYOUT_OK) {
        return along(l->arena, flat, 0, flat->nshard, row_major(l, b, index),
                     sum);
    }
    for (int i = 0; i < b->rank; i++) {
        sum = along(l->arena, grouped, seps[i], seps[i + 1], index[i], sum);
    }
    return sum;
}

/* SwizzleLayout.apply; see variants/address.c, which does the same. */
static tc_expr *through_swizzle(tc_arena *a, tc_swizzle sw, tc_expr *x) {
    int64_t low = INT64_C(1) << sw.per_element;
    int64_t mask = (INT64_C(1) << sw.swizzle_len) - 1;
    tc_expr *y = tc_simplify(a, binary_int(a, TC_FLOORDIV, x, low));
    tc_binop shift = sw.inner ? TC_SHR : TC_SHL;
    tc_expr *bits =
        binary_int(a, TC_BITAND, y, sw.inner ? mask << sw.atom_len : mask);
    tc_expr *moved =
        tc_binary(a, TC_BITXOR, y, binary_int(a, shift, bits, sw.atom_len));
    return tc_binary(a, TC_ADD, binary_int(a, TC_SHL, moved, sw.per_element),
                     binary_int(a, TC_FLOORMOD, x, low));
}

static tc_expr *flat_index(tc_lowering *l, const tc_buffer *b, tc_expr **index,
                           tc_span span) {
    tc_arena *a = l->arena;
    if (b->layout == NULL) {
        return row_major(l, b, index);
    }
    const tc_layout *tile = tc_layout_tile_part(a, b->layout);
    tc_expr *x = tile != NULL ? through_tile(l, b, tile, index, span)
                              : row_major(l, b, index);
    return tc_layout_has_swizzle(b->layout)
               ? through_swizzle(a, b->layout->swizzle, tc_simplify(a, x))
               : x;
}

static tc_expr *index_of(tc_lowering *l, const tc_buffer *b, tc_expr **index,
                         int n, tc_span span, int depth) {
    tc_expr **at = TC_NEWN(l->arena, tc_expr *, n + 1);
    if (n != b->rank) {
        tc_lower_fail(l, span, NULL, "%s has %d dimension%s, but %d index%s",
                      b->name, b->rank, b->rank == 1 ? "" : "s", n,
                      n == 1 ? "" : "es");
        return tc_int(l->arena, 0);
    }
    for (int i = 0; i < n; i++) {
        at[i] = rewrite(l, index[i], true, depth + 1);
    }
    return tc_simplify(l->arena, flat_index(l, b, at, span));
}

tc_expr *tc_lower_index(tc_lowering *l, const tc_buffer *b, tc_expr **index,
                        int n, tc_span span) {
    return index_of(l, b, index, n, span, 0);
}

/* --- the walk --------------------------------------------------------------*/

static tc_expr *variable(tc_lowering *l, tc_expr *e, bool inlined) {
    tc_map_entry *m = tc_map_find(&l->map, e->var);
    if (m == NULL && e->var->bind > TC_BIND_NONE &&
        e->var->bind < TC_BIND_PARAM && l->launch_var[e->var->bind] != NULL) {
        return tc_var_ref(l->arena, l->launch_var[e->var->bind]);
    }
    if (m == NULL) {
        tc_lower_fail(l, e->span, NULL, "%s is used before it is defined",
                      e->var->name != NULL ? e->var->name : "a variable");
        return tc_int(l->arena, 0);
    }
    return inlined && m->inlined != NULL ? m->inlined : m->value;
}

/* The arguments that a script may leave out, as TVM fills them in. */
static tc_expr *default_argument(tc_arena *a, tc_op op, int i) {
    if (op == TC_OPC_PTX_CP_ASYNC_WAIT_GROUP) {
        return tc_int(a, 0);
    }
    switch (i) { /* T.ptx.cp_async */
    case 3:
        return tc_int_t(a, TC_UINT64, 0);
    case 4:
        return tc_int(a, 0);
    case 7:
        return tc_string(a, "");
    default:
        return tc_int(a, -1);
    }
}

static tc_expr *call(tc_lowering *l, tc_expr *e, bool inlined, int depth) {
    tc_arena *a = l->arena;
    tc_op op = e->call.op;
    int full = e->call.n;
    if (op == TC_OPC_PTX_CP_ASYNC || op == TC_OPC_PTX_CP_ASYNC_WAIT_GROUP) {
        full = tc_ops[op].max_args;
    }
    tc_expr **args = TC_NEWN(a, tc_expr *, full + 1);
    for (int i = 0; i < full; i++) {
        args[i] = i < e->call.n && e->call.args[i] != NULL
                      ? rewrite(l, e->call.args[i], inlined, depth + 1)
                      : default_argument(a, op, i);
    }
    if (tc_ops[op].least_sm > l->out->least_sm) {
        l->out->least_sm = tc_ops[op].least_sm;
    }
    return tc_call(a, op, e->type, args, full);
}

static tc_expr *rebuilt(tc_lowering *l, tc_expr *e, bool inlined, int depth) {
    tc_arena *a = l->arena;
    depth++;
    switch (e->kind) {
    case TC_E_VAR:
        return variable(l, e, inlined);
    case TC_E_UNARY:
        return tc_unary(a, e->un.op, rewrite(l, e->un.a, inlined, depth));
    case TC_E_BINARY: {
        tc_expr *x = rewrite(l, e->bin.a, inlined, depth);
        return tc_binary(a, e->bin.op, x, rewrite(l, e->bin.b, inlined, depth));
    }
    case TC_E_SELECT: {
        tc_expr *c = rewrite(l, e->sel.c, inlined, depth);
        tc_expr *x = rewrite(l, e->sel.a, inlined, depth);
        return tc_select(a, c, x, rewrite(l, e->sel.b, inlined, depth));
    }
    case TC_E_CAST:
        return tc_cast(a, e->type, rewrite(l, e->cast.a, inlined, depth));
    case TC_E_LOAD:
    case TC_E_ADDR: {
        tc_expr *at =
            index_of(l, e->mem.buffer, e->mem.index, e->mem.n, e->span, depth);
        tc_buffer *flat = tc_lower_buffer(l, e->mem.buffer);
        return e->kind == TC_E_LOAD ? tc_load(a, flat, &at, 1)
                                    : tc_addr(a, flat, &at, 1);
    }
    case TC_E_CALL:
        return call(l, e, inlined, depth);
    default:
        return e;
    }
}

static tc_expr *rewrite(tc_lowering *l, tc_expr *e, bool inlined, int depth) {
    if (depth > DEPTH_LIMIT) {
        tc_lower_fail(l, e->span, "split it with a variable",
                      "the expression is nested too deeply");
    }
    if (l->failed) {
        return e;
    }
    tc_expr *out = rebuilt(l, e, inlined, depth);
    if (out != e && out->span.source == NULL && out->kind != TC_E_VAR) {
        out->span = e->span;
    }
    return out;
}

tc_expr *tc_lower_expr(tc_lowering *l, tc_expr *e) {
    return rewrite(l, e, false, 0);
}

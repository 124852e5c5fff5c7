/* fragment.c - a thread's own part of a buffer: buffer.local(), fragments of
 * tcgen05.ld and st (python/tvm/tirx/buffer.py, script/builder/ir.py); and
 * layout.apply() where the kernel computes the coordinates. */
#include "front/internal.h"
#include "layout/algebra.h"
#include "layout/helpers.h"

#include <string.h>

/* --- views ------------------------------------------------------------- */

static tc_buffer *view_of(tc_eval_ctx *e, tc_buffer *of, const int64_t *shape,
                          int rank, const tc_layout *layout, tc_span span) {
    tc_buffer *b = tc_new_buffer(e, of->type, of->space, shape, rank, span);
    b->base = of->base != NULL ? of->base : of;
    b->elem_offset = of->elem_offset;
    b->allocated_addr = of->allocated_addr;
    b->align = of->align;
    b->layout = layout;
    tc_declare(e, b, true);
    return b;
}

static bool storage_of(tc_eval_ctx *e, const tc_buffer *of, tc_span at,
                       const tc_layout **out) {
    tc_layout_ctx cx = {.arena = e->arena,
                        .target_cuda = e->front->target_cuda};
    if (of->layout == NULL) {
        return tc_front_fail(e, at, NULL, "the buffer has no layout");
    }
    tc_layout_result r = tc_layout_storage(&cx, of->layout, out);
    return r == TC_LAYOUT_OK ||
           tc_front_fail(e, at, NULL, "%s",
                         r == TC_LAYOUT_FAILED ? cx.message
                                               : "its layout has no storage");
}

bool tc_buffer_local(tc_eval_ctx *e, tc_buffer *of, const tc_args *args,
                     tc_value *out) {
    const tc_layout *layout = NULL, *storage = NULL;
    int64_t *shape = TC_NEWN(e->arena, int64_t, args->n + 1);
    int rank = args->npositional;
    for (int i = 0; i < rank; i++) {
        if (!tc_want_int(e, &args->items[i].value, args->items[i].span,
                         "an extent", &shape[i])) {
            return false;
        }
        if (shape[i] < 1) {
            return tc_front_fail(e, args->items[i].span, NULL,
                                 "an extent of %lld", (long long)shape[i]);
        }
    }
    for (int i = rank; i < args->n; i++) {
        const tc_arg *a = &args->items[i];
        if (strcmp(a->name, "layout") != 0) {
            return tc_front_fail(e, a->span, "layout=...",
                                 "local has no argument '%s'", a->name);
        }
        if (a->value.kind != TC_V_NONE &&
            !tc_want_layout(e, &a->value, a->span, &layout)) {
            return false;
        }
    }
    if ((layout == NULL || rank == 0) &&
        !storage_of(e, of, args->span, &storage)) {
        return false;
    }
    if (rank == 0) {
        shape[0] = 1;
        for (int i = 0; i < storage->nshard; i++) {
            shape[0] *= storage->shard[i].extent;
        }
        rank = 1;
    }
    *out = (tc_value){.kind = TC_V_BUFFER,
                      .buffer = view_of(e, of, shape, rank,
                                        layout != NULL ? layout : storage,
                                        args->span)};
    return true;
}

bool tc_call_tcgen05_frag(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[3];
    const tc_layout *layout = NULL;
    const char *instruction;
    int64_t *shape;
    int rank;
    tc_dtype type;
    if (!tc_need_body(e, args->function, args->span) ||
        !tc_bind_args(e, args, "instr_shape,tensor_shape,dtype", 3, b) ||
        !tc_want_string(e, &b[0]->value, b[0]->span, "the shape",
                        &instruction) ||
        !tc_want_shape(e, &b[1]->value, b[1]->span, "the tensor's shape",
                       &shape, &rank) ||
        !tc_want_dtype(e, &b[2]->value, b[2]->span, &type)) {
        return false;
    }
    if (rank != 2 || shape[0] * shape[1] % 128 != 0) {
        return tc_front_fail(e, b[1]->span, NULL,
                             "a fragment is (rows, columns), divided by 128 "
                             "threads");
    }
    tc_layout_ctx cx = {.arena = e->arena,
                        .target_cuda = e->front->target_cuda};
    if (tc_tcgen05_atom_layout(&cx, instruction, shape[0], shape[1],
                               tc_dtypes[type].bits, &layout) != TC_LAYOUT_OK) {
        return tc_front_fail(e, args->span, NULL, "%s",
                             cx.message != NULL ? cx.message
                                                : "no such layout");
    }
    int64_t own = shape[0] * shape[1] / 128;
    tc_buffer *flat =
        tc_new_buffer(e, type, TC_SPACE_LOCAL, &own, 1, args->span);
    flat->layout = tc_layout_row_major(e->arena, &own, 1);
    tc_declare(e, flat, false);
    *out = (tc_value){.kind = TC_V_BUFFER,
                      .buffer = view_of(e, flat, shape, 2, layout, args->span)};
    return true;
}

/* --- apply ------------------------------------------------------------- */

static bool arith(tc_eval_ctx *e, tc_token_op op, tc_value *a, int64_t k,
                  tc_span at) {
    tc_value b = tc_value_int(k);
    return tc_arith_binary(e, op, a, &b, at, a);
}

/* The coordinates as one index into shape=. */
static bool linear(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *shape =
        args->n > args->npositional ? &args->items[args->n - 1] : NULL;
    int n = args->npositional;
    *out = args->items[0].value;
    if (n == 1) {
        return true;
    }
    if (shape == NULL || strcmp(shape->name, "shape") != 0 ||
        !tc_value_is_sequence(&shape->value) || shape->value.nitems != n) {
        return tc_front_fail(e, args->span, "shape=[128, 32]",
                             "%d coordinates need a shape of %d extents", n, n);
    }
    for (int i = 1; i < n; i++) {
        int64_t extent;
        if (!tc_want_int(e, &shape->value.items[i], shape->span, "an extent",
                         &extent) ||
            !arith(e, TC_OP_MUL, out, extent, args->span) ||
            !tc_arith_binary(e, TC_OP_ADD, out, &args->items[i].value,
                             args->span, out)) {
            return false;
        }
    }
    return true;
}

/* One coordinate for each iterator of the layout. */
static bool split(tc_eval_ctx *e, const tc_layout *l, const tc_args *args,
                  tc_value *each) {
    bool direct = args->n == args->npositional && args->n == l->nshard;
    tc_value all;
    if (direct) {
        for (int i = 0; i < l->nshard; i++) {
            each[i] = args->items[i].value;
        }
        return true;
    }
    if (!linear(e, args, &all)) {
        return false;
    }
    for (int i = l->nshard; i-- > 0;) {
        each[i] = all;
        if ((i > 0 &&
             !arith(e, TC_OP_MOD, &each[i], l->shard[i].extent, args->span)) ||
            !arith(e, TC_OP_FLOORDIV, &all, l->shard[i].extent, args->span)) {
            return false;
        }
    }
    return true;
}

typedef struct axes {
    tc_value *items; /* name, value, name, value ... */
    int n;
} axes;

static bool add(tc_eval_ctx *e, axes *all, const tc_axis *axis,
                const tc_value *v, tc_span at) {
    for (int i = 0; i < all->n; i += 2) {
        if (strcmp(all->items[i].s, axis->name) == 0) {
            return tc_arith_binary(e, TC_OP_ADD, &all->items[i + 1], v, at,
                                   &all->items[i + 1]);
        }
    }
    all->items[all->n++] = tc_value_string(axis->name);
    all->items[all->n++] = *v;
    return true;
}

bool tc_apply_runtime(tc_eval_ctx *e, const tc_layout *l, const tc_args *args,
                      tc_value *out) {
    if (l->kind != TC_LAYOUT_TILE) {
        return tc_front_fail(e, args->span, NULL,
                             "apply of a swizzled layout to run-time "
                             "coordinates is not built yet");
    }
    tc_value *each = TC_NEWN(e->arena, tc_value, l->nshard + 1);
    axes all = {TC_NEWN(e->arena, tc_value, 2 * (l->nshard + l->noffset) + 2),
                0};
    if (!split(e, l, args, each)) {
        return false;
    }
    for (int i = 0; i < l->nshard; i++) {
        if (!arith(e, TC_OP_MUL, &each[i], l->shard[i].stride, args->span) ||
            !add(e, &all, l->shard[i].axis, &each[i], args->span)) {
            return false;
        }
    }
    for (int i = 0; i < l->noffset; i++) {
        tc_value v = tc_value_int(l->offset[i].value);
        if (!add(e, &all, l->offset[i].axis, &v, args->span)) {
            return false;
        }
    }
    *out = tc_value_items(TC_V_DICT, all.items, all.n);
    return true;
}

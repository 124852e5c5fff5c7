/* emit.c - a plan as statements: one loop over all instructions, its
 * counter taken apart in the radix of the axes (copy_async/tma.py,
 * copy_tma_impl and TmaPlan.offsets_and_coords). */
#include "variants/gs_emit.h"
#include "variants/tma/tma.h"

#include <inttypes.h>
#include <stddef.h>

enum { MAX_DEPTH = 64 };

/* The instruction's arguments. */
typedef struct arguments {
    tc_expr *items[16];
    int n;
} arguments;

typedef struct emitter {
    const tc_dispatch_ctx *cx;
    tc_verdict *v;
    const tc_tma_plan *plan;
    const tc_tma_options *options;
    tc_expr *counter;               /* of the loop */
    tc_expr *coord[TC_TENSOR_DIMS]; /* outer first */
    tc_expr *s_offset;              /* elements */
} emitter;

static tc_expr *binary(tc_arena *a, tc_binop op, tc_expr *x, int64_t y) {
    return tc_binary(a, op, x, tc_int_t(a, x->type, y));
}

/* --- loops of one round: TVM writes their variable as its one value --------*/

static bool is_loop_var(const tc_block *b, const tc_var *v) {
    for (const tc_stmt *s = b->first; s != NULL; s = s->next) {
        if ((s->kind == TC_S_FOR && s->var == v) || is_loop_var(&s->body, v) ||
            is_loop_var(&s->orelse, v)) {
            return true;
        }
    }
    return false;
}

static tc_expr *fixed(const emitter *f, tc_expr *x, int depth) {
    tc_arena *a = f->cx->arena;
    if (depth > MAX_DEPTH) {
        return x;
    }
    switch (x->kind) {
    case TC_E_VAR:
        return x->var->bind == TC_BIND_NONE && x->var->hi == x->var->lo + 1 &&
                       is_loop_var(&f->cx->func->body, x->var)
                   ? tc_int_t(a, x->type, x->var->lo)
                   : x;
    case TC_E_BINARY: {
        tc_expr *l = fixed(f, x->bin.a, depth + 1);
        tc_expr *r = fixed(f, x->bin.b, depth + 1);
        return l == x->bin.a && r == x->bin.b ? x
                                              : tc_binary(a, x->bin.op, l, r);
    }
    case TC_E_CAST: {
        tc_expr *y = fixed(f, x->cast.a, depth + 1);
        return y == x->cast.a ? x : tc_cast(a, x->type, y);
    }
    default:
        return x;
    }
}

/* --- places ----------------------------------------------------------------*/

/* One sum under way: digits of the counter times what a step moves. Digits
 * that follow each other, as one wider digit would, are one. */
typedef struct places {
    int64_t radix, below; /* of the digit held back; radix 0: none */
    int64_t step;
    int axis; /* the axis that it ends with */
} places;

static tc_expr *add_digit(const emitter *f, tc_expr *sum, const places *p) {
    tc_arena *a = f->cx->arena;
    if (p->radix == 0) {
        return sum;
    }
    tc_expr *digit = binary(
        a, TC_FLOORMOD, binary(a, TC_FLOORDIV, f->counter, p->below), p->radix);
    return tc_binary(a, TC_ADD, sum, binary(a, TC_MUL, digit, p->step));
}

/* Axis i, whose digit stands for `below` instructions, moves the sum. */
static tc_expr *add_axis(const emitter *f, tc_expr *sum, places *p, int i,
                         int64_t below, int64_t step) {
    int64_t extent = f->plan->axes[i].extent, whole;
    if (p->radix > 0 && p->axis == i - 1 &&
        !__builtin_mul_overflow(step, extent, &whole) && p->step == whole) {
        p->radix *= extent; /* at most the number of instructions */
    } else {
        sum = add_digit(f, sum, p);
        p->radix = extent;
    }
    p->below = below;
    p->step = step;
    p->axis = i;
    return sum;
}

/* Coordinates and the offset in shared memory, over the loop's counter. */
static void find_places(emitter *f) {
    tc_arena *a = f->cx->arena;
    int64_t below = f->plan->times;
    places at_s = {0}, at[TC_TENSOR_DIMS] = {{0}};
    f->s_offset = tc_int(a, 0);
    for (int i = 0; i < f->plan->ndims; i++) {
        f->coord[i] = fixed(f, f->plan->dims[i].coord, 0);
    }
    for (int i = 0; i < f->plan->naxes; i++) {
        const tc_tma_axis *x = &f->plan->axes[i];
        below /= x->extent;
        f->s_offset = add_axis(f, f->s_offset, &at_s, i, below, x->stride);
        f->coord[x->dim] =
            add_axis(f, f->coord[x->dim], &at[x->dim], i, below, x->advance);
    }
    f->s_offset = tc_simplify(a, add_digit(f, f->s_offset, &at_s));
    for (int i = 0; i < f->plan->ndims; i++) {
        f->coord[i] = tc_simplify(a, add_digit(f, f->coord[i], &at[i]));
    }
}

/* The shared buffer without its swizzle, moved by s_offset; declared in b. */
static tc_expr *shared_pointer(const emitter *f, tc_block *b,
                               const tc_region *s) {
    tc_arena *a = f->cx->arena;
    const tc_buffer *own = s->buffer;
    int64_t zero;
    tc_buffer *moved = TC_NEW(a, tc_buffer);
    *moved = *own;
    moved->name = "s_buf_w_offset";
    moved->align = 0;
    moved->layout = tc_layout_tile_part(a, own->layout);
    if (moved->layout == NULL) {
        moved->layout = tc_layout_row_major(a, own->shape, own->rank);
    }
    moved->base = own->base != NULL ? own->base : (tc_buffer *)own;
    if (!tc_expr_const(f->s_offset, &zero) || zero != 0) {
        moved->elem_offset =
            own->elem_offset != NULL
                ? tc_binary(a, TC_ADD, own->elem_offset, f->s_offset)
                : f->s_offset;
    }
    moved->span = f->cx->span;
    tc_stmt *d = tc_stmt_new(a, TC_S_ALLOC, f->cx->span);
    d->buffer = moved;
    d->is_view = true;
    tc_block_add(b, d);
    tc_expr **at = TC_NEWN(a, tc_expr *, own->rank + 1);
    for (int i = 0; i < own->rank; i++) {
        at[i] = s->range[i].min;
    }
    return tc_addr(a, moved, at, own->rank);
}

static void push(arguments *args, tc_expr *x) {
    args->items[args->n++] = x;
}

/* Coordinates go innermost first, as the hardware takes them. */
static void push_coords(const emitter *f, arguments *args) {
    const tc_tma_options *o = f->options;
    push(args, o->policy);
    if (!o->policy_only) {
        push(args, tc_int(f->cx->arena, o->has_policy));
    }
    if (o->reduce != NULL) {
        push(args, tc_string(f->cx->arena, o->reduce));
    }
    for (int i = f->plan->ndims - 1; i >= 0; i--) {
        push(args, f->coord[i]);
    }
}

/* What the corpus calls ints and times of an issue. */
static void add_issue(const emitter *f, tc_op op, const arguments *args) {
    int64_t *ints = TC_NEWN(f->cx->arena, int64_t, args->n + 1);
    int64_t bytes = f->plan->bytes;
    int n = 0;
    for (int i = 0; i < args->n; i++) {
        n += tc_expr_const(args->items[i], &ints[n]);
    }
    for (int i = 0; i < f->plan->ndims; i++) {
        if (__builtin_mul_overflow(bytes, f->plan->dims[i].box, &bytes)) {
            bytes = 0;
        }
    }
    tc_add_issue(f->cx, f->v, op, bytes, f->plan->times);
    tc_issue *is = &f->v->issues[f->v->nissues - 1];
    is->ints = ints;
    is->nints = n;
    is->str = f->options->reduce;
}

static void add_instruction(emitter *f, tc_block *b, const tc_region *s) {
    tc_arena *a = f->cx->arena;
    const tc_tma_options *o = f->options;
    tc_expr *var = tc_var_ref(a, f->v->map->var);
    tc_expr *map = tc_call(a, TC_OPC_ADDRESS_OF, TC_HANDLE, &var, 1);
    arguments args = {.n = 0};
    tc_op op = o->to_shared ? TC_OPC_PTX_CP_ASYNC_BULK_TENSOR_G2C
               : o->reduce  ? TC_OPC_PTX_CP_ASYNC_BULK_TENSOR_S2G_REDUCE
                            : TC_OPC_PTX_CP_ASYNC_BULK_TENSOR_S2G;
    push(&args, tc_int(a, f->plan->ndims));
    push(&args, shared_pointer(f, b, s));
    if (o->to_shared) {
        push(&args, o->mbar);
    }
    push(&args, map);
    if (o->to_shared) {
        push(&args, o->cta_mask);
        push(&args, o->cta_group);
    }
    push_coords(f, &args);
    tc_stmt *st = tc_eval(a, tc_call(a, op, TC_VOID, args.items, args.n));
    st->span = f->cx->span;
    tc_block_add(b, st);
    add_issue(f, op, &args);
}

/* --- the map ---------------------------------------------------------------*/

static const char *map_name(tc_arena *a, const tc_buffer *g) {
    while (g->base != NULL) {
        g = g->base;
    }
    return tc_format(a, "%s_tensormap",
                     g->param != NULL ? g->param->name : g->name);
}

static void make_map(const emitter *f, const tc_tma_parts *parts) {
    tc_arena *a = f->cx->arena;
    const tc_tma_plan *p = f->plan;
    tc_tensor_map *m = TC_NEW(a, tc_tensor_map);
    m->var = TC_NEW(a, tc_var);
    *m->var = (tc_var){.name = map_name(a, parts->g),
                       .type = TC_HANDLE,
                       .bind = TC_BIND_TENSOR_MAP,
                       .span = f->cx->span};
    m->buffer = parts->g;
    m->type = p->type;
    m->rank = p->ndims;
    for (int i = 0; i < p->ndims; i++) {
        const tc_tma_dim *d = &p->dims[p->ndims - 1 - i];
        m->shape[i] = d->shape;
        m->box[i] = d->box;
        m->element_stride[i] = 1;
        if (__builtin_mul_overflow(d->stride, p->bytes, &m->stride[i])) {
            m->stride[i] = INT64_MAX; /* the driver refuses it anyway */
        }
    }
    m->swizzle = (int)p->swizzle;
    m->l2_promotion = 2; /* CU_TENSOR_MAP_L2_PROMOTION_L2_128B */
    m->oob_fill = f->options->oob_fill;
    f->v->map = m;
    f->v->prefetch_map = f->options->prefetch;
}

/* The map as text, as the hardware counts: innermost first. */
static void tell_map(const emitter *f) {
    const tc_tensor_map *m = f->v->map;
    tc_buf b = TC_BUF_INIT;
    for (int i = 0; i < m->rank; i++) {
        tc_buf_printf(&b, "%s%" PRId64, i > 0 ? " x " : "", m->shape[i]);
    }
    for (int i = 1; i < m->rank; i++) {
        tc_buf_printf(&b, "%s%" PRId64, i > 1 ? ", " : ", strides ",
                      m->stride[i]);
    }
    tc_buf_puts(&b, m->rank > 1 ? " bytes, box " : ", box ");
    for (int i = 0; i < m->rank; i++) {
        tc_buf_printf(&b, "%s%" PRId64, i > 0 ? " x " : "", m->box[i]);
    }
    for (int i = 0; i < m->rank; i++) {
        tc_buf_printf(&b, "%s%s", i > 0 ? ", " : ", from (",
                      tc_tma_text(f->cx->arena, f->coord[m->rank - 1 - i]));
    }
    tc_check_add(f->cx, f->v, "lowering", "tensor map", TC_YES,
                 "innermost first: %s %s) on", tc_dtypes[m->type].name,
                 tc_buf_finish(&b, f->cx->arena));
}

/* TVM leaves these to the driver, which refuses the map when the kernel is
 * launched (CUDA driver API, cuTensorMapEncodeTiled). */
static void note_limits(const emitter *f) {
    const tc_tensor_map *m = f->v->map;
    tc_buf b = TC_BUF_INIT;
    int64_t inner = m->box[0] < 1 << 20 ? m->box[0] * f->plan->bytes : -1;
    for (int i = 0; i < m->rank; i++) {
        if (m->box[i] > 256) {
            tc_buf_printf(&b, "; the box is %" PRId64 " long: at most 256",
                          m->box[i]);
        }
        if (m->shape[i] < 1 || m->shape[i] > INT64_C(1) << 32) {
            tc_buf_printf(&b, "; a dimension is %" PRId64 " long", m->shape[i]);
        }
        if (i > 0 && (m->stride[i] % 16 != 0 || m->stride[i] < 0 ||
                      m->stride[i] >= INT64_C(1) << 40)) {
            tc_buf_printf(&b,
                          "; a stride is %" PRId64 " bytes: it must be a "
                          "multiple of 16",
                          m->stride[i]);
        }
    }
    if (inner % 16 != 0) {
        tc_buf_printf(&b,
                      "; the box's rows are %" PRId64 " bytes: they must be a "
                      "multiple of 16",
                      inner);
    }
    const char *all = tc_buf_finish(&b, f->cx->arena);
    if (all[0] != '\0') {
        tc_check_add(f->cx, f->v, "lowering", "limits of the driver",
                     TC_UNASKED,
                     "TVM does not ask: cuTensorMapEncodeTiled refuses this "
                     "map when the kernel is launched%s",
                     all);
    }
}

/* The hardware takes addresses in shared memory that are multiples of 128, and
 * a swizzle counts its lines from multiples of 256, 512 or 1024 (PTX ISA,
 * cp.async.bulk.tensor and "Swizzling Modes"). TVM aligns to 64. */
static void note_alignment(const emitter *f, const tc_buffer *s) {
    int64_t need = f->plan->swizzle == TC_SWIZZLE_NONE
                       ? 128
                       : INT64_C(128) << f->plan->swizzle;
    int64_t has = s->align > 64 ? s->align : 64, step = 0;
    tc_buf b = TC_BUF_INIT;
    if (s->base == NULL && s->elem_offset == NULL && has % need != 0) {
        tc_buf_printf(&b,
                      "; %s begins at a multiple of %" PRId64
                      ", which is enough only by chance: write align=%" PRId64,
                      s->name, has, need);
    }
    for (int i = 0; i < f->plan->naxes && step % 128 == 0; i++) {
        if (__builtin_mul_overflow(f->plan->axes[i].stride,
                                   tc_dtype_bytes(s->type), &step)) {
            step = 0;
        }
    }
    if (step % 128 != 0) {
        tc_buf_printf(&b, "; the instructions are %" PRId64 " bytes apart",
                      step);
    }
    const char *all = tc_buf_finish(&b, f->cx->arena);
    if (all[0] != '\0') {
        tc_check_add(f->cx, f->v, "lowering", "alignment", TC_UNASKED,
                     "TVM does not ask: the hardware needs shared addresses "
                     "that are multiples of %" PRId64 "%s",
                     need, all);
    }
}

void tc_tma_emit(const tc_dispatch_ctx *cx, tc_verdict *v,
                 const tc_tma_parts *parts, const tc_region *s,
                 const tc_tma_plan *plan, const tc_tma_options *options) {
    emitter f = {.cx = cx, .v = v, .plan = plan, .options = options};
    make_map(&f, parts);
    note_limits(&f);
    note_alignment(&f, s->buffer);
    tc_stmt *loop =
        tc_new_loop(cx, &v->lowered, "loop_vars", plan->times, TC_LOOP_UNROLL);
    f.counter = tc_var_ref(cx->arena, loop->var);
    find_places(&f);
    tell_map(&f);
    add_instruction(&f, &loop->body, s);
}

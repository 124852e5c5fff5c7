/* parts.c - the two layouts of a copy, taken apart for the plan: what
 * _build_l1_result of copy_async/tma.py asks of them. */
#include "dispatch/region.h"
#include "variants/tma/tma.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>

bool tc_tma_no(const tc_dispatch_ctx *cx, tc_verdict *v, const char *name,
               const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *text = tc_vformat(cx->arena, fmt, ap);
    va_end(ap);
    v->why = v->why != NULL ? v->why : text;
    return tc_check_add(cx, v, "lowering", name, TC_NO, "%s", text);
}

const char *tc_tma_text(tc_arena *a, const tc_expr *x) {
    tc_buf b = TC_BUF_INIT;
    tc_ir_print_expr(&b, x);
    return tc_buf_finish(&b, a);
}

bool tc_tma_divides(tc_arena *a, int64_t u, tc_expr *x) {
    int64_t rest;
    return u == 1 ||
           (u > 0 &&
            tc_expr_const(tc_simplify(a, tc_binary(a, TC_FLOORMOD, x,
                                                   tc_int_t(a, x->type, u))),
                          &rest) &&
            rest == 0);
}

tc_expr *tc_tma_divided(tc_arena *a, tc_expr *x, int64_t u) {
    return tc_simplify(a,
                       tc_binary(a, TC_FLOORDIV, x, tc_int_t(a, x->type, u)));
}

static const char *layout_text(tc_arena *a, const tc_layout *l) {
    tc_buf b = TC_BUF_INIT;
    tc_layout_print(&b, l);
    return tc_buf_finish(&b, a);
}

static tc_layout_ctx layout_ctx(const tc_dispatch_ctx *cx) {
    return (tc_layout_ctx){.arena = cx->arena, .target_cuda = cx->target_cuda};
}

/* All iterators lie in memory (_assert_memory_only). */
static bool memory_only(const tc_dispatch_ctx *cx, tc_verdict *v,
                        const tc_buffer *b, const tc_layout *l) {
    for (int i = 0; i < l->nshard; i++) {
        if (l->shard[i].axis->cls != TC_AXIS_MEMORY) {
            return tc_tma_no(cx, v, "memory axes",
                             "%s lies on the axis %s, which is no memory axis: "
                             "a tensor map describes memory alone",
                             b->name, l->shard[i].axis->name);
        }
    }
    return tc_check_add(cx, v, "lowering", "memory axes", TC_YES,
                        "every iterator of %s is in memory", b->name);
}

/* --- the shared side -------------------------------------------------------*/

static bool find_swizzle(const tc_dispatch_ctx *cx, tc_verdict *v,
                         tc_tma_parts *out) {
    const tc_layout *l = out->s->layout;
    if (tc_swizzle_mode_of(l, &out->swizzle) != TC_LAYOUT_OK) {
        return tc_tma_no(cx, v, "swizzle",
                         "swizzle_len is %" PRId64 ": a tensor map swizzles "
                         "over 32, 64 or 128 bytes, swizzle_len 1, 2 or 3",
                         l->swizzle.swizzle_len);
    }
    if (out->swizzle == TC_SWIZZLE_NONE) {
        return tc_check_add(cx, v, "lowering", "swizzle", TC_YES,
                            "%s has no swizzle", out->s->name);
    }
    return tc_check_add(cx, v, "lowering", "swizzle", TC_YES,
                        "swizzle_len %d: runs of %d bytes are swizzled",
                        (int)out->swizzle, 16 << out->swizzle);
}

/* TVM reads swizzle_len alone; the hardware moves units of 16 bytes by the
 * number of the 128-byte line (PTX ISA, "Swizzling Modes"). */
static void note_swizzle(const tc_dispatch_ctx *cx, tc_verdict *v,
                         const tc_tma_parts *p) {
    const tc_swizzle *s = &p->s->layout->swizzle;
    int bits = tc_dtypes[p->s->type].bits;
    int64_t unit = bits;
    for (int64_t i = 0; i < s->per_element && unit < 1 << 20; i++) {
        unit *= 2;
    }
    if (p->swizzle != TC_SWIZZLE_NONE &&
        (unit != 128 || s->atom_len != 3 || !s->inner)) {
        tc_check_add(cx, v, "lowering", "swizzle of the hardware", TC_UNASKED,
                     "TVM does not ask: the layout swizzles units of %" PRId64
                     " bits with atom_len %" PRId64 ", the hardware units of "
                     "128 bits with atom_len 3: bytes land elsewhere than "
                     "the layout says",
                     unit, s->atom_len);
    }
}

/* The tile under a swizzle: TMA itself swizzles. */
static bool shared_tile(const tc_dispatch_ctx *cx, tc_verdict *v,
                        tc_tma_parts *out, const tc_layout **tile) {
    const tc_buffer *s = out->s;
    tc_layout_ctx lcx = layout_ctx(cx);
    const tc_layout *plain = tc_layout_tile_part(cx->arena, s->layout);
    bool known = find_swizzle(cx, v, out);
    if (known) {
        note_swizzle(cx, v, out);
    }
    if (plain == NULL) {
        plain = tc_layout_row_major(cx->arena, s->shape, s->rank);
    }
    if (tc_layout_canonicalize(&lcx, plain, tile) != TC_LAYOUT_OK) {
        return tc_tma_no(cx, v, "shared layout", "%s: %s", s->name,
                         lcx.message);
    }
    return memory_only(cx, v, s, *tile) && known;
}

static bool slice_shared(const tc_dispatch_ctx *cx, tc_verdict *v,
                         const tc_region *s, const tc_layout *tile,
                         const tc_layout **out) {
    tc_buffer plain = *s->buffer;
    tc_region region = *s;
    tc_layout_ctx lcx = layout_ctx(cx);
    tc_slice slice;
    const char *why = "";
    plain.layout = tile;
    region.buffer = &plain;
    if (tc_region_slice(cx, &region, &slice, &why) != TC_LAYOUT_OK) {
        return tc_tma_no(cx, v, "shared region",
                         "the region of %s cannot be cut out of its layout: %s",
                         plain.name, why);
    }
    if (tc_layout_canonicalize(&lcx, slice.layout, out) != TC_LAYOUT_OK) {
        return tc_tma_no(cx, v, "shared region", "%s: %s", plain.name,
                         lcx.message);
    }
    return tc_check_add(cx, v, "lowering", "shared region", TC_YES,
                        "the region of %s is %s", plain.name,
                        layout_text(cx->arena, *out));
}

/* --- the global side -------------------------------------------------------*/

typedef struct global_side {
    const tc_dispatch_ctx *cx;
    tc_verdict *v;
    const tc_region *region;
    const tc_layout *grouped;
    int *seps;
    tc_tma_parts *out;
    int cap;
} global_side;

static bool group_global(global_side *f) {
    const tc_dispatch_ctx *cx = f->cx;
    const tc_buffer *g = f->region->buffer;
    tc_layout_ctx lcx = layout_ctx(cx);
    const tc_layout *flat;
    if (g->layout->kind != TC_LAYOUT_TILE) {
        return tc_tma_no(cx, f->v, "global layout",
                         "the layout of %s is swizzled: a tensor map needs a "
                         "plain tile layout in global memory",
                         g->name);
    }
    if (tc_layout_canonicalize(&lcx, g->layout, &flat) != TC_LAYOUT_OK) {
        return tc_tma_no(cx, f->v, "global layout", "%s: %s", g->name,
                         lcx.message);
    }
    if (!memory_only(cx, f->v, g, flat)) {
        return false;
    }
    if (tc_layout_group(&lcx, flat, g->shape, g->rank, &f->grouped, &f->seps) !=
        TC_LAYOUT_OK) {
        return tc_tma_no(cx, f->v, "global layout",
                         "the iterators of %s do not follow its dimensions: %s",
                         g->name, lcx.message != NULL ? lcx.message : "");
    }
    return tc_check_add(cx, f->v, "lowering", "global layout", TC_YES,
                        "%s is the plain layout %s", g->name,
                        layout_text(cx->arena, f->grouped));
}

static void add_iter(global_side *f, int64_t shape, int64_t stride,
                     tc_expr *start, int64_t extent) {
    tc_tma_iter it = {shape, stride, start, extent};
    TC_PUSH(f->cx->arena, f->out->iters, f->out->niters, f->cap, it);
}

/* Several iterators: the inner ones are copied whole, so the copy must start
 * and end at multiples of their product u. */
static bool split_dim(global_side *f, int d, const tc_iter *all, int n,
                      int64_t u) {
    const tc_dispatch_ctx *cx = f->cx;
    const tc_range *r = &f->region->range[d];
    bool starts = tc_tma_divides(cx->arena, u, r->min);
    bool ends = u > 0 && r->extent % u == 0;
    if (!starts) {
        tc_tma_no(
            cx, f->v, "global dimension",
            "dimension %d of %s is %d iterators, the inner ones of %" PRId64
            " elements: the copy starts at %s, no multiple of %" PRId64,
            d, f->region->buffer->name, n, u, tc_tma_text(cx->arena, r->min),
            u);
    }
    if (!ends) {
        tc_tma_no(
            cx, f->v, "global dimension",
            "dimension %d of %s is %d iterators, the inner ones of %" PRId64
            " elements: the copy is %" PRId64 " long, no multiple of %" PRId64,
            d, f->region->buffer->name, n, u, r->extent, u);
    }
    if (!starts || !ends) {
        return false;
    }
    add_iter(f, all[0].extent, all[0].stride,
             tc_tma_divided(cx->arena, r->min, u), r->extent / u);
    for (int i = 1; i < n; i++) {
        add_iter(f, all[i].extent, all[i].stride, tc_int(cx->arena, 0),
                 all[i].extent);
    }
    return tc_check_add(cx, f->v, "lowering", "global dimension", TC_YES,
                        "dimension %d of %s is %d iterators: start %s and "
                        "length %" PRId64
                        " are multiples of the inner %" PRId64,
                        d, f->region->buffer->name, n,
                        tc_tma_text(cx->arena, r->min), r->extent, u);
}

/* The iterators of dimension d (_split_multi_iter_group). */
static bool add_dim(global_side *f, int d) {
    const tc_range *r = &f->region->range[d];
    tc_iter *wide = TC_NEWN(f->cx->arena, tc_iter, f->grouped->nshard + 1);
    int n = 0;
    int64_t u = 1;
    for (int i = f->seps[d]; i < f->seps[d + 1]; i++) {
        if (f->grouped->shard[i].extent != 1) {
            wide[n++] = f->grouped->shard[i];
        }
    }
    if (n <= 1) { /* a dimension of one element has no iterator */
        add_iter(f, n ? wide[0].extent : 1, n ? wide[0].stride : 0, r->min,
                 r->extent);
        return true;
    }
    for (int i = 1; i < n; i++) {
        if (__builtin_mul_overflow(u, wide[i].extent, &u)) {
            return tc_tma_no(f->cx, f->v, "global dimension",
                             "dimension %d of %s is too large", d,
                             f->region->buffer->name);
        }
    }
    return split_dim(f, d, wide, n, u);
}

static bool split_global(global_side *f) {
    bool ok = group_global(f);
    for (int d = 0; ok && d < f->region->buffer->rank; d++) {
        ok = add_dim(f, d);
    }
    return ok;
}

/* TVM's map begins at the buffer's first byte and knows nothing of offsets. */
static void note_offset(const tc_dispatch_ctx *cx, tc_verdict *v,
                        const tc_buffer *g) {
    int64_t off = g->layout->kind == TC_LAYOUT_TILE
                      ? tc_layout_offset_of(g->layout, tc_axis_m)
                      : 0;
    if (off != 0) {
        tc_check_add(cx, v, "lowering", "offset in global memory", TC_UNASKED,
                     "TVM does not ask: the layout of %s begins at element "
                     "%" PRId64 ", but the tensor map begins at element 0, so "
                     "other elements are copied",
                     g->name, off);
    }
    if (g->elem_offset != NULL) {
        tc_check_add(cx, v, "lowering", "offset in global memory", TC_UNASKED,
                     "TVM does not ask: %s is a view that begins at element "
                     "%s of its memory, but the tensor map begins at element "
                     "0, so other elements are copied",
                     g->name, tc_tma_text(cx->arena, g->elem_offset));
    }
}

/* --- both ------------------------------------------------------------------*/

/* Shared iterators by the extents of the global ones that the copy spans. */
static bool pair(const tc_dispatch_ctx *cx, tc_verdict *v,
                 const tc_layout *sliced, tc_tma_parts *out) {
    tc_layout_ctx lcx = layout_ctx(cx);
    int64_t *shape = TC_NEWN(cx->arena, int64_t, out->niters + 1);
    const tc_layout *grouped;
    int *seps, n = 0;
    out->groups = TC_NEWN(cx->arena, tc_tma_group, out->niters + 1);
    for (int i = 0; i < out->niters; i++) {
        if (out->iters[i].extent != 1) {
            out->groups[n].iter = i;
            shape[n++] = out->iters[i].extent;
        }
    }
    out->ngroups = n;
    if (n == 0) {
        return tc_check_add(cx, v, "lowering", "pairs", TC_YES,
                            "one element is copied");
    }
    if (tc_layout_group(&lcx, sliced, shape, n, &grouped, &seps) !=
        TC_LAYOUT_OK) {
        return tc_tma_no(cx, v, "pairs",
                         "the region of %s does not split into the %d extents "
                         "that the region of %s has: %s",
                         out->s->name, n, out->g->name,
                         lcx.message != NULL ? lcx.message : "");
    }
    for (int i = 0; i < n; i++) {
        tc_tma_group *gr = &out->groups[i];
        gr->shards =
            TC_NEWN(cx->arena, tc_tma_shard, seps[i + 1] - seps[i] + 1);
        for (int k = seps[i]; k < seps[i + 1]; k++) {
            const tc_iter *it = &grouped->shard[k];
            if (it->extent != 1) {
                gr->shards[gr->n++] = (tc_tma_shard){it->extent, it->stride};
            }
        }
    }
    return tc_check_add(cx, v, "lowering", "pairs", TC_YES,
                        "by the global iterators that the copy spans, the "
                        "region of %s is %s",
                        out->s->name, layout_text(cx->arena, grouped));
}

bool tc_tma_split(const tc_dispatch_ctx *cx, tc_verdict *v, const tc_region *g,
                  const tc_region *s, tc_tma_parts *out) {
    const tc_layout *tile, *sliced;
    *out = (tc_tma_parts){.g = g->buffer, .s = s->buffer};
    if (g->buffer->layout == NULL || s->buffer->layout == NULL) {
        return tc_tma_no(cx, v, "layouts", "%s has no layout",
                         g->buffer->layout == NULL ? g->buffer->name
                                                   : s->buffer->name);
    }
    global_side f = {.cx = cx, .v = v, .region = g, .out = out};
    bool shared = shared_tile(cx, v, out, &tile);
    bool global = split_global(&f);
    note_offset(cx, v, g->buffer);
    shared = shared && slice_shared(cx, v, s, tile, &sliced);
    return shared && global && pair(cx, v, sliced, out);
}

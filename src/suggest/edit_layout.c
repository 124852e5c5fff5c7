/* edit_layout.c - edits of the layout of one side: strides of rows, their
 * order, swizzles. A layout is changed where its buffer is declared, and
 * written out there. */
#include "layout/helpers.h"
#include "suggest/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *layout_text(tc_arena *a, const tc_layout *l) {
    tc_buf b = TC_BUF_INIT;
    tc_layout_print(&b, l);
    return tc_buf_finish(&b, a);
}

/* The edit that gives b the layout l, as text (NULL: written out); NULL where
 * b is not declared in the program, or the edit is there already. */
static tc_edit *relayout_as(tc_editor *e, tc_edit_kind kind, const tc_buffer *b,
                            const char *site, const tc_layout *l,
                            const char *text, const char *summary) {
    const tc_node *call = tc_locate_buffer(e->t, b);
    if (call == NULL || b->name == NULL ||
        (b->layout != NULL && tc_layout_equal(b->layout, l))) {
        return NULL;
    }
    text = text != NULL ? text : layout_text(e->a, l);
    for (int i = 0; i < e->out->n; i++) { /* each layout once */
        const tc_edit *o = &e->out->items[i];
        if (strcmp(o->value, text) == 0 && strcmp(o->site, site) == 0) {
            return NULL;
        }
    }
    tc_edit *x = tc_edit_new(e, kind, site, text, "%s", summary);
    const tc_node *is = tc_locate_arg(call, -1, "layout");
    if (is != NULL) {
        tc_edit_patch(e, x, is->span.begin, is->span.end, text);
    } else {
        tc_edit_argument(e, x, call, tc_format(e->a, "layout=%s", text));
    }
    return x;
}

static tc_edit *relayout(tc_editor *e, tc_edit_kind kind, const tc_buffer *b,
                         const char *site, const tc_layout *l,
                         const char *summary) {
    return relayout_as(e, kind, b, site, l, NULL, summary);
}

static const tc_buffer *side_of(const tc_editor *e, int i) {
    const tc_copy *c = e->t->d->copy;
    const tc_buffer *d = c->dst.buffer, *s = c->src.buffer;
    /* the kernel's own memory before what its caller hands over */
    bool swap = d->space == TC_SPACE_GLOBAL && s->space != TC_SPACE_GLOBAL;
    return (i == 0) == swap ? s : d;
}

/* --- pad ------------------------------------------------------------------ */

static bool on_memory(const tc_iter *it) {
    return tc_axis_eq(it->axis, tc_axis_m);
}

/* The layout with iterator k at another stride; the strides that are whole
 * multiples of its run go with it. */
static const tc_layout *restride(tc_arena *a, const tc_layout *l, int k,
                                 int64_t stride) {
    tc_iter *it = TC_NEWN(a, tc_iter, l->nshard);
    memcpy(it, l->shard, sizeof *it * (size_t)l->nshard);
    int64_t was = l->shard[k].stride;
    it[k].stride = stride;
    for (int i = 0; i < l->nshard; i++) {
        int64_t to;
        if (i == k || !on_memory(&it[i]) || l->shard[i].stride <= was ||
            was == 0 || l->shard[i].stride % was != 0) {
            continue;
        }
        if (__builtin_mul_overflow(l->shard[i].stride / was, stride, &to)) {
            return NULL;
        }
        it[i].stride = to;
    }
    tc_layout *out = TC_NEW(a, tc_layout);
    *out = *l;
    out->shard = it;
    return out;
}

/* The elements that the iterators within k's stride span. */
static int64_t inner_span(const tc_layout *l, int k) {
    int64_t span = 1;
    for (int i = 0; i < l->nshard; i++) {
        const tc_iter *it = &l->shard[i];
        int64_t end;
        if (i != k && on_memory(it) && it->stride <= l->shard[k].stride &&
            !__builtin_mul_overflow(it->extent - 1, it->stride, &end) &&
            end + 1 > span) {
            span = end + 1;
        }
    }
    return span;
}

static void pad_one(tc_editor *e, const tc_buffer *b, int k, int64_t stride) {
    const tc_layout *l = b->layout;
    int64_t was = l->shard[k].stride, bytes = tc_dtype_bytes(b->type);
    if (stride < 1 || stride == was || stride > INT32_MAX) {
        return;
    }
    const tc_layout *to = restride(e->a, l, k, stride);
    if (to != NULL) {
        relayout(e, TC_EDIT_pad, b, tc_format(e->a, "%s %d", b->name, k), to,
                 tc_format(e->a,
                           "%s %s from stride %" PRId64 " (%" PRId64
                           " bytes) to %" PRId64 " (%" PRId64 " bytes)",
                           stride > was ? "pad" : "tighten", b->name, was,
                           was * bytes, stride, stride * bytes));
    }
}

static void pad_buffer(tc_editor *e, const tc_buffer *b, const char *values) {
    const tc_layout *l = b->layout;
    int bytes = tc_dtype_bytes(b->type);
    if (l == NULL || l->kind == TC_LAYOUT_SWIZZLE || bytes < 1) {
        return;
    }
    for (int k = l->nshard - 1; k >= 0; k--) {
        int64_t is = l->shard[k].stride;
        if (!on_memory(&l->shard[k]) || is < 1 || is > INT32_MAX ||
            l->shard[k].extent < 2) {
            continue;
        }
        const char *rest = values;
        for (const char *w; is > 1 && (w = tc_edit_value(e->a, &rest));) {
            int64_t unit = atoi(w) / bytes;
            if (unit > 1) {
                pad_one(e, b, k, (is + unit - 1) / unit * unit);
            }
        }
        pad_one(e, b, k, inner_span(l, k));
    }
}

void tc_edits_pad(tc_editor *e, const char *values) {
    for (int i = 0; i < 2; i++) {
        pad_buffer(e, side_of(e, i), values);
    }
}

/* --- order ---------------------------------------------------------------- */

/* Dense strides on m over the buffer's shape; the last dimension is contiguous,
 * or the first. */
static const tc_layout *dense(tc_arena *a, const tc_buffer *b, bool column) {
    tc_iter *it = TC_NEWN(a, tc_iter, b->rank);
    int64_t stride = 1;
    for (int n = 0; n < b->rank; n++) {
        int i = column ? n : b->rank - 1 - n;
        it[i] = (tc_iter){b->shape[i], stride, tc_axis_m};
        if (__builtin_mul_overflow(stride, b->shape[i], &stride)) {
            return NULL;
        }
    }
    return tc_layout_tile(a, it, b->rank, NULL, 0, NULL, 0);
}

static bool only_memory(const tc_layout *l) {
    for (int i = 0; i < l->nshard; i++) {
        if (!on_memory(&l->shard[i])) {
            return false;
        }
    }
    return l->nreplica == 0;
}

static void reorder(tc_editor *e, const tc_buffer *b, const char *value) {
    bool column = strcmp(value, "column") == 0;
    const tc_layout *l = b->layout;
    const char *site = tc_format(e->a, "%s order", b->name);
    if (b->rank < 1 || b->space == TC_SPACE_TMEM ||
        (l != NULL && !only_memory(l)) || (column && b->rank < 2)) {
        return;
    }
    const tc_layout *to = dense(e->a, b, column);
    if (to != NULL) {
        relayout(e, TC_EDIT_stride, b, site, to,
                 tc_format(e->a, "lay %s out %s", b->name,
                           column ? "with its first dimension contiguous"
                                  : "row after row, without gaps"));
    }
}

/* The four copies of 32 lanes that tcgen05.cp.warpx4 writes. */
static void replicate(tc_editor *e, const tc_buffer *b) {
    const tc_layout *l = b->layout;
    tc_iter four = {4, 32, tc_axis_find("TLane")};
    if (b->space != TC_SPACE_TMEM || l == NULL || l->kind != TC_LAYOUT_TILE ||
        four.axis == NULL) {
        return;
    }
    const tc_layout *to =
        tc_layout_tile(e->a, l->shard, l->nshard, &four,
                       l->nreplica > 0 ? 0 : 1, l->offset, l->noffset);
    relayout(e, TC_EDIT_stride, b, tc_format(e->a, "%s replica", b->name), to,
             l->nreplica > 0
                 ? tc_format(e->a, "keep %s in tensor memory once", b->name)
                 : tc_format(e->a,
                             "keep %s four times, once for each 32 lanes: "
                             "R[4 : 32@TLane]",
                             b->name));
}

/* Rows to lanes of tensor memory as a tcgen05 datapath has them. */
static void set_datapath(tc_editor *e, const tc_buffer *b) {
    static const char *const paths[] = {"D", "F"};
    tc_layout_ctx cx = {.arena = e->a, .target_cuda = true};
    const tc_layout *to;
    if (b->space != TC_SPACE_TMEM || b->rank != 2) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        if (tc_tmem_datapath_layout(&cx, paths[i], b->shape[0], b->shape[1],
                                    &to) == TC_LAYOUT_OK) {
            const char *text = tc_format(
                e->a, "tmem_datapath_layout(\"%s\", %" PRId64 ", %" PRId64 ")",
                paths[i], b->shape[0], b->shape[1]);
            relayout_as(e, TC_EDIT_stride, b,
                        tc_format(e->a, "%s lanes", b->name), to, text,
                        tc_format(e->a, "lay %s out as datapath %s", b->name,
                                  paths[i]));
        }
    }
}

/* The layout needs no more of a thread's registers than there are. */
static bool enough_registers(tc_layout_ctx *cx, const tc_buffer *b,
                             const tc_layout *l) {
    int64_t span;
    return tc_layout_span(cx, l, tc_axis_m, &span) == TC_LAYOUT_OK &&
           span <= tc_buffer_elements(b->base);
}

/* A view of registers in the shapes of tcgen05.ld and st. */
static void set_registers(tc_editor *e, const tc_buffer *b) {
    static const char *const shapes[] = {"32x32b", "16x64b", "16x128b",
                                         "16x256b"};
    tc_layout_ctx cx = {.arena = e->a, .target_cuda = true};
    const tc_layout *to;
    if (b->space != TC_SPACE_LOCAL || b->rank != 2 || b->base == NULL) {
        return;
    }
    for (int i = 0; i < 4; i++) {
        if (tc_tcgen05_atom_layout(&cx, shapes[i], b->shape[0], b->shape[1],
                                   tc_dtypes[b->type].bits,
                                   &to) != TC_LAYOUT_OK ||
            !enough_registers(&cx, b, to)) {
            continue;
        }
        const char *text = tc_format(
            e->a,
            "tcgen05_atom_layout(\"%s\", (%" PRId64 ", %" PRId64 "), \"%s\")",
            shapes[i], b->shape[0], b->shape[1], tc_dtypes[b->type].name);
        relayout_as(e, TC_EDIT_stride, b,
                    tc_format(e->a, "%s registers", b->name), to, text,
                    tc_format(e->a, "hold %s in the instruction's shape %s",
                              b->name, shapes[i]));
    }
}

void tc_edits_stride(tc_editor *e, const char *values) {
    for (const char *w; (w = tc_edit_value(e->a, &values)) != NULL;) {
        for (int i = 0; i < 2; i++) {
            const tc_buffer *b = side_of(e, i);
            if (strcmp(w, "replica") == 0) {
                replicate(e, b);
            } else if (strcmp(w, "datapath") == 0) {
                set_datapath(e, b);
            } else if (strcmp(w, "registers") == 0) {
                set_registers(e, b);
            } else {
                reorder(e, b, w);
            }
        }
    }
}

/* --- swizzle -------------------------------------------------------------- */

/* The tile under a swizzle; a bare swizzle's is row-major. */
static const tc_layout *tile_of(tc_arena *a, const tc_buffer *b) {
    const tc_layout *l = b->layout;
    if (l == NULL || l->kind == TC_LAYOUT_SWIZZLE) {
        return dense(a, b, false);
    }
    return tc_layout_tile(a, l->shard, l->nshard, l->replica, l->nreplica,
                          l->offset, l->noffset);
}

static int log2_of(int64_t n) {
    int k = 0;
    while (n > 1) {
        n >>= 1;
        k++;
    }
    return k;
}

/* Swizzles of 128, 64 and 32 bytes (lengths 3, 2, 1) of 16-byte units. */
static void set_swizzle(tc_editor *e, const tc_buffer *b, const char *value) {
    const char *site = tc_format(e->a, "%s swizzle", b->name);
    const tc_layout *tile = tile_of(e->a, b), *to;
    int bytes = tc_dtype_bytes(b->type);
    tc_layout_ctx cx = {.arena = e->a, .target_cuda = true};
    if (tile == NULL || !only_memory(tile) || bytes < 1 || bytes > 16) {
        return;
    }
    if (strcmp(value, "none") == 0) {
        if (b->layout != NULL && tc_layout_has_swizzle(b->layout)) {
            relayout(e, TC_EDIT_swizzle, b, site, tile,
                     tc_format(e->a, "take the swizzle off %s", b->name));
        }
        return;
    }
    int len = atoi(value);
    tc_swizzle sw = {log2_of(16 / bytes), len, 3, true};
    if (tc_layout_compose(&cx, sw, tile, &to) == TC_LAYOUT_OK) {
        relayout(e, TC_EDIT_swizzle, b, site, to,
                 tc_format(e->a,
                           "swizzle %s in units of 16 bytes, %d bytes "
                           "wide",
                           b->name, 16 << len));
    }
}

void tc_edits_swizzle(tc_editor *e, const char *values) {
    for (const char *w; (w = tc_edit_value(e->a, &values)) != NULL;) {
        for (int i = 0; i < 2; i++) {
            const tc_buffer *b = side_of(e, i);
            if (tc_space_is_shared(b->space)) {
                set_swizzle(e, b, w);
            }
        }
    }
}

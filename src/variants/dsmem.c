/* dsmem.c - shared to the shared memory of another CTA of the cluster: one
 * cp.async.bulk for each chunk that is contiguous on both sides. */
#include "dispatch/predicates.h"
#include "dispatch/region.h"
#include "variants/gs_emit.h"

#include <inttypes.h>
#include <string.h>

/* Of cp.async.bulk: sizes are multiples of it (PTX ISA 9.7.9.25.4.1). */
enum { UNIT = 16 };

typedef struct dsmem_plan {
    const tc_dispatch_ctx *cx;
    tc_verdict *v;
    tc_layout_ctx lcx;
    tc_expr *rank, *mbar;
    const tc_layout *src, *dst; /* grouped alike: iterator i of one belongs to
                                   iterator i of the other */
    bool *in_chunk;             /* by iterator */
    int64_t elements, bytes;    /* of a chunk */
    int64_t chunks;
} dsmem_plan;

static bool check(dsmem_plan *p, const char *name, bool ok, const char *text) {
    return tc_check_add(p->cx, p->v, "lowering", name, ok ? TC_YES : TC_NO,
                        "%s", text);
}

/* The first refusal is the reason. */
static bool decline(dsmem_plan *p, const char *name, const char *text) {
    check(p, name, false, text);
    if (p->v->why == NULL) {
        p->v->why = text;
    }
    return false;
}

static void unasked(dsmem_plan *p, const char *name, const char *text) {
    tc_check_add(p->cx, p->v, "lowering", name, TC_UNASKED,
                 "cannot be asked: %s", text);
}

/* --- arguments of the copy -------------------------------------------------*/

static tc_expr *config(const tc_copy *c, const char *name) {
    for (int i = 0; i < c->nconfig; i++) {
        if (strcmp(c->config[i].name, name) == 0) {
            return c->config[i].value;
        }
    }
    return NULL;
}

static bool arguments(dsmem_plan *p) {
    const tc_copy *c = p->cx->copy;
    p->rank = config(c, "remote_cta_id");
    p->mbar = config(c, "mbar");
    bool ok = true;
    if (p->rank == NULL) {
        ok = decline(p, "remote_cta_id",
                     "remote_cta_id=... is missing: which CTA of the cluster "
                     "receives the bytes");
    } else if (tc_dtypes[p->rank->type].cls != TC_CLASS_INT &&
               tc_dtypes[p->rank->type].cls != TC_CLASS_UINT) {
        ok = decline(p, "remote_cta_id", "remote_cta_id must be an integer");
    } else {
        tc_buf text = TC_BUF_INIT;
        tc_buf_puts(&text, "the bytes go to CTA ");
        tc_ir_print_expr(&text, p->rank);
        tc_buf_puts(&text, " of the cluster");
        check(p, "remote_cta_id", true, tc_buf_finish(&text, p->cx->arena));
    }
    if (p->mbar == NULL) {
        return decline(p, "mbar",
                       "mbar=... is missing: the mbarrier that counts the "
                       "bytes as they land");
    }
    if (p->mbar->type != TC_HANDLE || p->mbar->kind == TC_E_STRING) {
        return decline(p, "mbar", "mbar must be a pointer: mbar.ptr_to([0])");
    }
    check(p, "mbar", true,
          "an mbarrier counts the bytes, in the CTA that receives them");
    return ok;
}

/* --- two layouts, iterator by iterator -------------------------------------*/

static const char *layout_text(tc_arena *a, const tc_layout *l) {
    tc_buf b = TC_BUF_INIT;
    tc_layout_print(&b, l);
    return tc_buf_finish(&b, a);
}

/* A swizzle is left out, as TVM does (copy_async/utils.py, to_tile_layout). */
static const tc_layout *tile_of(tc_arena *a, const tc_buffer *b) {
    const tc_layout *tile = tc_layout_tile_part(a, b->layout);
    return tile != NULL ? tile : tc_layout_row_major(a, b->shape, b->rank);
}

static const tc_layout *cut(dsmem_plan *p, const tc_region *r,
                            const char *name) {
    tc_arena *a = p->cx->arena;
    tc_buffer tile = *r->buffer;
    tc_region region = *r;
    tc_slice slice;
    const char *why = "no such layout";
    const tc_layout *flat;
    tile.layout = tile_of(a, r->buffer);
    region.buffer = &tile;
    if (tc_region_slice(p->cx, &region, &slice, &why) != TC_LAYOUT_OK) {
        decline(p, name, tc_format(a, "%s: %s", r->buffer->name, why));
        return NULL;
    }
    if (tc_layout_canonicalize(&p->lcx, slice.layout, &flat) != TC_LAYOUT_OK) {
        decline(p, name,
                tc_format(a, "%s: %s", r->buffer->name, p->lcx.message));
        return NULL;
    }
    check(p, name, true,
          tc_format(a, "%s of %s: %s", tc_region_extents(a, r), r->buffer->name,
                    layout_text(a, flat)));
    return flat;
}

/* Notes what is not looked at. */
static void swizzles(dsmem_plan *p) {
    const tc_layout *d = p->cx->copy->dst.buffer->layout;
    const tc_layout *s = p->cx->copy->src.buffer->layout;
    if (tc_layout_has_swizzle(d) || tc_layout_has_swizzle(s)) {
        check(p, "swizzle", true,
              "a swizzle is not looked at (as in TVM): bytes go over as they "
              "lie, which is right only for equal swizzles that start alike");
    }
}

static bool group(dsmem_plan *p, const tc_layout *src, const tc_layout *dst) {
    tc_arena *a = p->cx->arena;
    const tc_region *r = &p->cx->copy->src;
    int n = r->buffer->rank, *seps;
    int64_t *extents = TC_NEWN(a, int64_t, n + 1);
    for (int i = 0; i < n; i++) {
        extents[i] = r->range[i].extent;
    }
    if (tc_layout_group(&p->lcx, src, extents, n, &p->src, &seps) !=
        TC_LAYOUT_OK) {
        return decline(
            p, "iterators",
            tc_format(a, "src does not divide into the region's extents: %s",
                      p->lcx.message));
    }
    extents = TC_NEWN(a, int64_t, p->src->nshard + 1);
    for (int i = 0; i < p->src->nshard; i++) {
        extents[i] = p->src->shard[i].extent;
    }
    if (tc_layout_group(&p->lcx, dst, extents, p->src->nshard, &p->dst,
                        &seps) != TC_LAYOUT_OK) {
        return decline(p, "iterators",
                       tc_format(a,
                                 "dst does not divide into src's iterators: %s",
                                 p->lcx.message));
    }
    return check(p, "iterators", true,
                 tc_format(a, "src %s, dst %s", layout_text(a, p->src),
                           layout_text(a, p->dst)));
}

/* --- the contiguous chunk --------------------------------------------------*/

/* Continues a chain: an iterator on memory with that stride, not in `used`; or
 * -1 (find_contiguous_region of utils.py). */
static int next_link(const tc_layout *l, const bool *used, int64_t stride) {
    for (int i = 0; i < l->nshard; i++) {
        const tc_iter *it = &l->shard[i];
        if (it->axis->cls == TC_AXIS_MEMORY && it->extent != 1 && !used[i] &&
            it->stride == stride) {
            return i;
        }
    }
    return -1;
}

static const char *link_text(dsmem_plan *p, const tc_layout *l, int i,
                             int64_t stride) {
    return i < 0 ? tc_format(p->cx->arena, "none has stride %" PRId64, stride)
                 : tc_format(p->cx->arena, "iterator %d, extent %" PRId64, i,
                             l->shard[i].extent);
}

/* Each side follows its own chain; they are compared link by link. */
static void search(dsmem_plan *p) {
    tc_arena *a = p->cx->arena;
    int64_t width = tc_dtypes[p->cx->copy->src.buffer->type].bits / 8;
    bool *used_s = TC_NEWN(a, bool, p->src->nshard + 1);
    bool *used_d = TC_NEWN(a, bool, p->dst->nshard + 1);
    int64_t stride_s = 1, stride_d = 1;
    p->elements = 1;
    p->in_chunk = TC_NEWN(a, bool, p->src->nshard + 1);
    for (;;) {
        int s = next_link(p->src, used_s, stride_s);
        int d = next_link(p->dst, used_d, stride_d);
        bool both = s >= 0 && s == d && s < p->src->nshard;
        const char *more = both             ? "both go on"
                           : s < 0 && d < 0 ? "the chunk ends"
                                            : "they differ: the chunk ends";
        check(p, "chunk search", true,
              tc_format(a, "stride %" PRId64 ": src: %s; dst: %s; %s", stride_s,
                        link_text(p, p->src, s, stride_s),
                        link_text(p, p->dst, d, stride_d), more));
        if (!both ||
            __builtin_mul_overflow(stride_s, p->src->shard[s].extent,
                                   &stride_s) ||
            __builtin_mul_overflow(stride_d, p->dst->shard[d].extent,
                                   &stride_d) ||
            __builtin_mul_overflow(p->elements, p->src->shard[s].extent,
                                   &p->elements)) {
            break;
        }
        used_s[s] = used_d[d] = p->in_chunk[s] = true;
    }
    if (__builtin_mul_overflow(p->elements, width, &p->bytes)) {
        p->bytes = INT64_MAX;
    }
}

static bool size(dsmem_plan *p) {
    tc_arena *a = p->cx->arena;
    const char *type = tc_dtypes[p->cx->copy->src.buffer->type].name;
    bool fits = p->bytes >= UNIT && p->bytes % UNIT == 0;
    bool small = p->bytes <= INT32_MAX;
    const char *text = tc_format(
        a, "%" PRId64 " x %s = %" PRId64 " bytes contiguous on both sides: %s",
        p->elements, type, p->bytes,
        !small ? "too many for one cp.async.bulk"
        : fits ? "cp.async.bulk takes them"
               : "cp.async.bulk needs 16 or more, in multiples of 16");
    if (!fits || !small) {
        return decline(p, "chunk size", text);
    }
    return check(p, "chunk size", true, text);
}

static bool count(dsmem_plan *p) {
    p->chunks = 1;
    for (int i = 0; i < p->src->nshard; i++) {
        if (!p->in_chunk[i] &&
            __builtin_mul_overflow(p->chunks, p->src->shard[i].extent,
                                   &p->chunks)) {
            return decline(p, "chunks", "too many chunks");
        }
    }
    return check(p, "chunks", true,
                 tc_format(p->cx->arena,
                           p->chunks == 1
                               ? "%" PRId64 " chunk: one instruction"
                               : "%" PRId64
                                 " chunks: a loop of one instruction each",
                           p->chunks));
}

/* --- statements ------------------------------------------------------------*/

/* &buffer[starts of r]; buffer has the region's own dimensions. */
static tc_expr *start_of(dsmem_plan *p, tc_buffer *buffer, const tc_region *r) {
    tc_arena *a = p->cx->arena;
    tc_expr **at = TC_NEWN(a, tc_expr *, r->buffer->rank + 1);
    for (int i = 0; i < r->buffer->rank; i++) {
        at[i] = r->range[i].min;
    }
    return tc_addr(a, buffer, at, r->buffer->rank);
}

static tc_expr *mapa(dsmem_plan *p, tc_expr *pointer) {
    tc_arena *a = p->cx->arena;
    tc_expr *args[] = {pointer, tc_cast(a, TC_INT32, p->rank), tc_string(a, ""),
                       tc_string(a, "u64"), tc_string(a, "uint64")};
    return tc_call(a, TC_OPC_PTX_MAPA, TC_UINT64, args, 5);
}

static tc_expr *local(dsmem_plan *p, tc_block *b, const char *name,
                      tc_dtype type, tc_expr *value) {
    tc_buffer *l = tc_new_local(p->cx, b, name, type);
    tc_set_local(p->cx, b, l, value);
    return tc_get_local(p->cx, l);
}

/* A view of r's buffer, `offset` elements further, without its swizzle. */
static tc_buffer *window(dsmem_plan *p, tc_block *b, const char *name,
                         const tc_region *r, tc_expr *offset) {
    tc_arena *a = p->cx->arena;
    tc_buffer *w = TC_NEW(a, tc_buffer);
    tc_buffer *of = r->buffer;
    *w = *of;
    w->name = name;
    w->base = of->base != NULL ? of->base : of;
    w->elem_offset = of->elem_offset != NULL
                         ? tc_binary(a, TC_ADD, of->elem_offset, offset)
                         : offset;
    w->align = 0;
    w->pool_bytes = 0;
    w->layout = tile_of(a, of);
    w->unnamed = true;
    w->span = p->cx->span;
    tc_stmt *s = tc_stmt_new(a, TC_S_ALLOC, p->cx->span);
    s->buffer = w;
    s->is_view = true;
    tc_block_add(b, s);
    return w;
}

/* One chunk: from &src to &dst of the other CTA. */
static void issue(dsmem_plan *p, tc_block *b, tc_buffer *src, tc_buffer *dst,
                  tc_expr *mbar) {
    tc_arena *a = p->cx->arena;
    tc_expr *from =
        local(p, b, "src_ptr", TC_HANDLE, start_of(p, src, &p->cx->copy->src));
    tc_expr *to = local(p, b, "cluster_dst", TC_UINT64,
                        mapa(p, start_of(p, dst, &p->cx->copy->dst)));
    tc_expr *args[] = {to, from, tc_int(a, p->bytes), mbar};
    tc_stmt *s =
        tc_eval(a, tc_call(a, TC_OPC_PTX_CP_ASYNC_BULK_S2C, TC_VOID, args, 4));
    s->span = p->cx->span;
    tc_block_add(b, s);
}

/* One loop an iterator outside of the chunk; returns the innermost body. */
static tc_block *loops(dsmem_plan *p, tc_block *b, tc_expr **src,
                       tc_expr **dst) {
    tc_arena *a = p->cx->arena;
    int n = 0, k = 0;
    for (int i = 0; i < p->src->nshard; i++) {
        n += !p->in_chunk[i];
    }
    *src = *dst = tc_int(a, 0);
    for (int i = 0; i < p->src->nshard; i++) {
        if (p->in_chunk[i]) {
            continue;
        }
        const char *name =
            n == 1 ? "loop_vars" : tc_format(a, "loop_vars_%d", k++);
        tc_stmt *s = tc_new_loop(p->cx, b, name, p->src->shard[i].extent,
                                 TC_LOOP_SERIAL);
        tc_expr *v = tc_var_ref(a, s->var);
        *src = tc_binary(
            a, TC_ADD, *src,
            tc_binary(a, TC_MUL, v, tc_int(a, p->src->shard[i].stride)));
        *dst = tc_binary(
            a, TC_ADD, *dst,
            tc_binary(a, TC_MUL, v, tc_int(a, p->dst->shard[i].stride)));
        b = &s->body;
    }
    return n > 0 ? b : NULL;
}

static void emit(dsmem_plan *p) {
    const tc_copy *c = p->cx->copy;
    tc_block *b = &p->v->lowered;
    tc_expr *src_off, *dst_off;
    tc_expr *mbar = local(p, b, "remote_mbar", TC_UINT64, mapa(p, p->mbar));
    tc_block *body = loops(p, b, &src_off, &dst_off);
    if (body == NULL) {
        issue(p, b, c->src.buffer, c->dst.buffer, mbar);
    } else {
        tc_buffer *src = window(p, body, "src_buf_w", &c->src, src_off);
        tc_buffer *dst = window(p, body, "dst_buf_w", &c->dst, dst_off);
        issue(p, body, src, dst, mbar);
    }
    tc_add_issue(p->cx, p->v, TC_OPC_PTX_CP_ASYNC_BULK_S2C, p->bytes,
                 p->chunks);
}

static bool lower(const tc_dispatch_ctx *cx, tc_verdict *v) {
    dsmem_plan p = {
        .cx = cx,
        .v = v,
        .lcx = {.arena = cx->arena, .target_cuda = cx->target_cuda}};
    bool ok = arguments(&p);
    const tc_layout *src = cut(&p, &cx->copy->src, "src region");
    const tc_layout *dst = cut(&p, &cx->copy->dst, "dst region");
    if (src == NULL || dst == NULL) {
        unasked(&p, "chunk size", "a region is no layout");
        return false;
    }
    swizzles(&p);
    if (!group(&p, src, dst)) {
        unasked(&p, "chunk size", "the two sides cannot be compared");
        return false;
    }
    search(&p);
    ok &= size(&p);
    ok &= count(&p);
    if (ok) {
        emit(&p);
    }
    return ok;
}

/* --- predicates ------------------------------------------------------------*/

static bool shared_to_shared(const tc_dispatch_ctx *cx, tc_verdict *v,
                             const char *name, const char **reason) {
    static const tc_space_pair pairs[] = {{TC_SC_SHARED, TC_SC_SHARED}};
    int from = v->nchecks;
    bool ok = tc_pred_spaces(cx, v, name, pairs, 1);
    *reason = tc_pred_reason(v, from);
    return ok;
}

static const tc_predicate predicates[] = {
    {"validate_copy_op", tc_predicate_valid_copy},
    {"single_thread", tc_predicate_single_thread},
    {"is_shared_to_shared", shared_to_shared},
};

const tc_variant tc_variant_dsmem = {
    .id = TC_VARIANT_dsmem,
    .source = "copy_async/dsmem.py",
    .predicates = predicates,
    .npredicates = 3,
    .lower = lower,
};

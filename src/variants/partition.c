/* partition.c - TVM's copy/_common.py, align_layouts_gs: the search for the
 * widest vector, and the thread split around it. */
#include "variants/partition.h"
#include "dispatch/region.h"
#include "ir/linear.h"

#include <inttypes.h>
#include <string.h>

/* A list of iterators, in TVM's order: outer first. */
typedef struct iters {
    tc_iter *items;
    int n;
} iters;

typedef struct partition_search {
    const tc_dispatch_ctx *cx;
    tc_layout_ctx lcx;
    tc_verdict *v;
    int elem_bits;
    const tc_layout *g, *s;     /* g sorted by stride, s following it */
    const tc_layout *g_p, *s_p; /* of the width found */
    tc_expr *g_base, *s_base;
    int64_t chunk; /* elements that a swizzle keeps together, 0 for none */
} partition_search;

static iters copy_iters(tc_arena *a, const tc_layout *l, int room) {
    iters out = {TC_NEWN(a, tc_iter, l->nshard + room), l->nshard};
    memcpy(out.items, l->shard, sizeof *out.items * (size_t)l->nshard);
    return out;
}

/* Positions by falling stride; equal strides keep their order. */
static int *by_stride(tc_arena *a, const tc_layout *l) {
    int *perm = TC_NEWN(a, int, l->nshard + 1);
    for (int i = 0; i < l->nshard; i++) {
        int k = i;
        for (; k > 0 && l->shard[perm[k - 1]].stride < l->shard[i].stride;
             k--) {
            perm[k] = perm[k - 1];
        }
        perm[k] = i;
    }
    return perm;
}

/* Splits so that the last iterators hold exactly chunk elements. items needs
 * room for one more. False when no divisor fits (_carve_tail). */
static bool carve_tail(iters *it, int64_t chunk) {
    int64_t rest = chunk;
    if (it->n == 0 || chunk <= 0) {
        return false;
    }
    for (int i = it->n - 1; i >= 0; i--) {
        tc_iter *x = &it->items[i];
        if (x->extent == rest) {
            return true;
        }
        if (x->extent < rest) {
            if (x->extent <= 0 || rest % x->extent != 0) {
                return false;
            }
            rest /= x->extent;
            continue;
        }
        if (x->extent % rest != 0) {
            return false;
        }
        memmove(x + 1, x, sizeof *x * (size_t)(it->n - i));
        it->n++;
        x[1].extent = rest;
        x[0].extent /= rest;
        return !__builtin_mul_overflow(x[0].stride, rest, &x[0].stride);
    }
    return false;
}

/* The last iterators of s run through vec elements one after the other
 * (_verify_s_tail_contig). */
static bool tail_contiguous(const tc_layout *s, int64_t vec) {
    if (s->nshard == 0) {
        return vec == 1;
    }
    const tc_iter *it = &s->shard[s->nshard - 1];
    if (it->stride != 1) {
        return false;
    }
    int64_t run = it->extent;
    for (int k = s->nshard - 2; run != vec && k >= 0; k--) {
        if (s->shard[k].stride != run ||
            __builtin_mul_overflow(run, s->shard[k].extent, &run)) {
            break;
        }
        if (run > vec) {
            return false;
        }
    }
    return run >= vec && run % vec == 0;
}

/* --- alignment -------------------------------------------------------------*/

/* The first term of a side that is no multiple of vec, as text; or NULL. */
static const char *misaligned(const partition_search *f, const char *side,
                              const tc_layout *l, tc_expr *base, int64_t vec) {
    for (int i = 0; i < l->nshard - 1; i++) {
        if (l->shard[i].stride % vec != 0) {
            return tc_format(f->cx->arena,
                             "%s stride %" PRId64
                             " is not a multiple of %" PRId64 " elements",
                             side, l->shard[i].stride, vec);
        }
    }
    tc_linear moving = {0};
    bool known = base == NULL || tc_linear_of(f->cx->arena, base, &moving);
    bool counted = false; /* the constant part of base */
    for (int i = 0; i < l->noffset; i++) {
        bool plain = tc_axis_eq(l->offset[i].axis, tc_axis_m);
        int64_t at = l->offset[i].value % vec;
        counted |= plain;
        if ((at + (plain ? moving.constant % vec : 0)) % vec != 0) {
            return tc_format(f->cx->arena,
                             "the %s region starts at element %" PRId64
                             ", not a multiple of %" PRId64,
                             side, l->offset[i].value, vec);
        }
    }
    if (!counted && moving.constant % vec != 0) {
        return tc_format(f->cx->arena,
                         "the %s region starts at element %" PRId64
                         ", not a multiple of %" PRId64,
                         side, moving.constant, vec);
    }
    if (!known || tc_linear_gcd(&moving) % vec != 0) {
        return tc_format(f->cx->arena,
                         "the %s region's start moves by amounts that are not "
                         "all multiples of %" PRId64,
                         side, vec);
    }
    return NULL;
}

static const char *alignment(const partition_search *f, int64_t vec) {
    const char *why = NULL;
    if (vec > 1) {
        why = misaligned(f, "shared", f->s_p, f->s_base, vec);
        why =
            why != NULL ? why : misaligned(f, "global", f->g_p, f->g_base, vec);
    }
    return why;
}

/* --- one width -------------------------------------------------------------*/

/* g's iterators as [outer..., threads..., vec]; NULL: why not. */
static const char *share_out(const partition_search *f, int64_t vec,
                             iters *out) {
    tc_arena *a = f->cx->arena;
    *out = copy_iters(a, f->g, 3);
    if (vec == 1) {
        const tc_axis *axis =
            f->g->nshard > 0 ? f->g->shard[f->g->nshard - 1].axis : tc_axis_m;
        out->items[out->n++] = (tc_iter){1, 1, axis};
    } else if (f->chunk > 0 && vec > f->chunk) {
        return tc_format(a,
                         "the swizzle keeps only %" PRId64 " elements together",
                         f->chunk);
    } else if (!carve_tail(out, vec)) {
        return tc_format(a,
                         "the global side has no run of %" PRId64
                         " elements to split off",
                         vec);
    }
    tc_iter last = out->items[--out->n];
    if (f->cx->threads > 1 && !carve_tail(out, f->cx->threads)) {
        return tc_format(a,
                         "what is left does not split over %" PRId64 " threads",
                         f->cx->threads);
    }
    out->items[out->n++] = last;
    return NULL;
}

static const char *try_width(partition_search *f, int64_t vec) {
    iters it;
    const char *why = share_out(f, vec, &it);
    if (why != NULL) {
        return why;
    }
    int64_t *shape = TC_NEWN(f->cx->arena, int64_t, it.n);
    for (int i = 0; i < it.n; i++) {
        shape[i] = it.items[i].extent;
    }
    int *seps;
    if (tc_layout_group(&f->lcx, f->s, shape, it.n, &f->s_p, &seps) !=
        TC_LAYOUT_OK) {
        return "the shared side does not split the same way";
    }
    f->g_p = tc_layout_tile(f->cx->arena, it.items, it.n, f->g->replica,
                            f->g->nreplica, f->g->offset, f->g->noffset);
    if (!tail_contiguous(f->s_p, vec)) {
        return tc_format(
            f->cx->arena,
            "the shared side has no %" PRId64 " elements in a row there", vec);
    }
    return alignment(f, vec);
}

/* Element counts to try, widest first (_vec_len_candidates). */
static int candidates(int elem_bits, tc_widths w, int64_t out[8]) {
    int n = 0;
    for (int i = 0; i < w.n; i++) {
        if (w.bits[i] >= elem_bits && w.bits[i] % elem_bits == 0) {
            out[n++] = w.bits[i] / elem_bits;
        }
    }
    if (w.scalar && (n == 0 || out[n - 1] != 1)) {
        out[n++] = 1;
    }
    return n;
}

/* Tries the widths; the vector length, or 0 when none fits. */
static int64_t try_widths(partition_search *f, tc_widths widths) {
    int64_t vecs[8];
    int n = candidates(f->elem_bits, widths, vecs);
    for (int i = 0; i < n; i++) {
        const char *why = try_width(f, vecs[i]);
        tc_check_add(f->cx, f->v, "lowering",
                     tc_format(f->cx->arena, "vec %" PRId64, vecs[i]),
                     why == NULL ? TC_YES : TC_NO, "%" PRId64 " bytes: %s",
                     vecs[i] * f->elem_bits / 8,
                     why == NULL ? "fits both sides" : why);
        if (why == NULL) {
            for (i++; i < n; i++) {
                tc_check_add(f->cx, f->v, "lowering",
                             tc_format(f->cx->arena, "vec %" PRId64, vecs[i]),
                             TC_UNASKED,
                             "not tried: %" PRId64 " bytes already fit",
                             f->g_p->shard[f->g_p->nshard - 1].extent *
                                 f->elem_bits / 8);
            }
            return f->g_p->shard[f->g_p->nshard - 1].extent;
        }
    }
    return 0;
}

/* --- both sides ------------------------------------------------------------*/

/* The tile of a sliced layout; a bare swizzle is the identity over the region
 * (_extract_tile). */
static const tc_layout *tile_of(const partition_search *f, const tc_layout *l,
                                const tc_region *r) {
    const tc_layout *tile = tc_layout_tile_part(f->cx->arena, l);
    if (tile != NULL) {
        return tile;
    }
    int64_t *shape = TC_NEWN(f->cx->arena, int64_t, r->buffer->rank + 1);
    for (int i = 0; i < r->buffer->rank; i++) {
        shape[i] = r->range[i].extent;
    }
    tile = tc_layout_row_major(f->cx->arena, shape, r->buffer->rank);
    if (tile == NULL) {
        f->v->why = "the region is too large";
    }
    return tile;
}

static const tc_layout *cut(partition_search *f, const tc_region *r,
                            const char *side, tc_expr **base) {
    tc_slice slice;
    const char *why = NULL;
    if (tc_region_slice(f->cx, r, &slice, &why) != TC_LAYOUT_OK) {
        tc_check_add(f->cx, f->v, "lowering", "slice", TC_NO, "%s side: %s",
                     side, why);
        f->v->why = f->v->checks[f->v->nchecks - 1].detail;
        return NULL;
    }
    *base = slice.base;
    return tile_of(f, slice.layout, r);
}

static const tc_layout *refused(partition_search *f, const char *side) {
    f->v->why = tc_format(f->cx->arena, "%s side: %s", side, f->lcx.message);
    tc_check_add(f->cx, f->v, "lowering", "align", TC_NO, "%s", f->v->why);
    return NULL;
}

static const tc_layout *canonical(partition_search *f, const tc_layout *l,
                                  const char *side) {
    const tc_layout *out;
    return tc_layout_canonicalize(&f->lcx, l, &out) == TC_LAYOUT_OK
               ? out
               : refused(f, side);
}

/* Brings g into falling strides and s into the same order. *aligned is false
 * where s cannot be grouped by g's iterators. Returns false on a refusal. */
static bool align(partition_search *f, bool *aligned) {
    tc_arena *a = f->cx->arena;
    int *perm = by_stride(a, f->g), *seps;
    int64_t *extents = TC_NEWN(a, int64_t, f->g->nshard + 1);
    const tc_layout *grouped, *permuted;
    for (int i = 0; i < f->g->nshard; i++) {
        extents[i] = f->g->shard[i].extent;
    }
    *aligned = tc_layout_group(&f->lcx, f->s, extents, f->g->nshard, &grouped,
                               &seps) == TC_LAYOUT_OK;
    if (*aligned) {
        if (tc_layout_permute_by_groups(&f->lcx, grouped, seps,
                                        f->g->nshard + 1, perm, f->g->nshard,
                                        &permuted) != TC_LAYOUT_OK) {
            return refused(f, "shared") != NULL;
        }
        f->s = canonical(f, permuted, "shared");
    }
    if (tc_layout_permute_dims(&f->lcx, f->g, perm, f->g->nshard, &permuted) !=
        TC_LAYOUT_OK) {
        return refused(f, "global") != NULL;
    }
    f->g = canonical(f, permuted, "global");
    return f->g != NULL && f->s != NULL;
}

/* With no width that fits, TVM takes single elements of layouts that are not
 * aligned. Where even the grouping failed, it has sorted g but not s. */
static int64_t give_up(partition_search *f, bool aligned) {
    f->g_p = f->g;
    f->s_p = f->s;
    tc_check_add(f->cx, f->v, "lowering", "vec 1", TC_YES,
                 aligned ? "no split fits both sides: single elements, found "
                           "by their linear index"
                         : "the shared side cannot be grouped like the global "
                           "one: single elements (as TVM 0.25.0, which has "
                           "sorted only the global side by then, so that the "
                           "elements may land in another order)");
    return 1;
}

static bool memory_only(const tc_layout *l) {
    bool found = false;
    for (int i = 0; i < l->nshard; i++) {
        found |= tc_axis_eq(l->shard[i].axis, tc_axis_m);
    }
    for (int i = 0; i < l->noffset; i++) {
        found |= tc_axis_eq(l->offset[i].axis, tc_axis_m);
    }
    return found;
}

/* Fills p from the search; false (with why) when nothing can be addressed. */
static bool finish(partition_search *f, tc_partition *p) {
    tc_verdict *v = f->v;
    int64_t elements = 1, each;
    for (int i = 0; i < p->s->nshard; i++) {
        if (__builtin_mul_overflow(elements, p->s->shard[i].extent,
                                   &elements)) {
            v->why = "the region is too large";
            return false;
        }
    }
    if (__builtin_mul_overflow(p->threads, p->vec, &each) || each <= 0 ||
        elements % each != 0) {
        v->why = tc_format(f->cx->arena,
                           "%" PRId64 " elements do not divide over %" PRId64
                           " threads of %" PRId64,
                           elements, p->threads, p->vec);
        return false;
    }
    if (!memory_only(p->g) || !memory_only(p->s)) {
        v->why = "a side has no iterator on plain memory (m)";
        return false;
    }
    p->elements = elements;
    p->outer = elements / each;
    return true;
}

tc_partition *tc_partition_find(const tc_dispatch_ctx *cx, tc_verdict *v,
                                const tc_region *g, const tc_region *s,
                                tc_widths widths) {
    partition_search f = {
        .cx = cx,
        .lcx = {.arena = cx->arena, .target_cuda = cx->target_cuda},
        .v = v,
        .elem_bits = tc_dtypes[cx->copy->src.buffer->type].bits};
    tc_partition *p = TC_NEW(cx->arena, tc_partition);
    bool aligned;
    p->has_swizzle = tc_layout_has_swizzle(s->buffer->layout);
    p->swizzle = s->buffer->layout->swizzle;
    if (p->has_swizzle && p->swizzle.per_element < 40) {
        f.chunk = INT64_C(1) << p->swizzle.per_element;
    }
    f.g = cut(&f, g, "global", &f.g_base);
    f.s = cut(&f, s, "shared", &f.s_base);
    if (f.g == NULL || f.s == NULL || !align(&f, &aligned)) {
        return NULL;
    }
    p->vec = aligned ? try_widths(&f, widths) : 0;
    if (p->vec == 0) {
        p->vec = give_up(&f, aligned);
    }
    p->threads = cx->threads;
    p->vec_bytes = (int)(p->vec * f.elem_bits / 8);
    p->g = f.g_p;
    p->s = f.s_p;
    p->g_buffer = g->buffer;
    p->s_buffer = s->buffer;
    p->g_base = f.g_base;
    p->s_base = f.s_base;
    return finish(&f, p) ? p : NULL;
}

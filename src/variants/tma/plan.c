/* plan.c - the search for a tensor map (copy_async/tma.py,
 * _build_plan_with_shrink and what it calls).
 *
 * The shards of shared memory that follow each other without a gap, from
 * stride 1 on, are the chain. A prefix of it becomes the box of one
 * instruction; every other shard becomes a loop. TVM takes the longest prefix
 * that gives a map which the hardware takes. */
#include "variants/tma/tma.h"

#include <inttypes.h>
#include <stddef.h>

typedef struct link { /* one shard of the chain */
    int group, shard;
} link;

typedef struct tma_planner {
    const tc_dispatch_ctx *cx;
    tc_verdict *v;
    const tc_tma_parts *parts;
    link *chain; /* inner first */
    int nchain;
    int nshards;
} tma_planner;

/* Elements of the copy inside shard k of a group. */
static int64_t inside(const tc_tma_group *g, int k) {
    int64_t u = 1;
    for (int m = k + 1; m < g->n; m++) {
        u *= g->shards[m].extent; /* the group's product fits */
    }
    return u;
}

static int64_t product(const tc_tma_group *g, int from, int to) {
    int64_t p = 1;
    for (int m = from; m <= to; m++) {
        p *= g->shards[m].extent;
    }
    return p;
}

/* --- the chain -------------------------------------------------------------*/

static bool linked(const tma_planner *f, int group, int shard) {
    for (int i = 0; i < f->nchain; i++) {
        if (f->chain[i].group == group && f->chain[i].shard == shard) {
            return true;
        }
    }
    return false;
}

/* The first shard of this stride that is not in the chain yet. */
static bool next_link(const tma_planner *f, int64_t stride, link *out) {
    for (int g = 0; g < f->parts->ngroups; g++) {
        const tc_tma_group *group = &f->parts->groups[g];
        for (int k = 0; k < group->n; k++) {
            if (group->shards[k].stride == stride && !linked(f, g, k)) {
                *out = (link){g, k};
                return true;
            }
        }
    }
    return false;
}

static void find_chain(tma_planner *f) {
    int64_t stride = 1;
    link next;
    tc_buf b = TC_BUF_INIT;
    for (int g = 0; g < f->parts->ngroups; g++) {
        f->nshards += f->parts->groups[g].n;
    }
    f->chain = TC_NEWN(f->cx->arena, link, f->nshards + 1);
    while (next_link(f, stride, &next)) {
        const tc_tma_shard *s =
            &f->parts->groups[next.group].shards[next.shard];
        tc_buf_printf(&b, "%s%" PRId64 " at stride %" PRId64,
                      f->nchain > 0 ? ", " : ": ", s->extent, s->stride);
        f->chain[f->nchain++] = next;
        if (__builtin_mul_overflow(stride, s->extent, &stride)) {
            break;
        }
    }
    char *list = tc_buf_finish(&b, f->cx->arena);
    tc_check_add(f->cx, f->v, "lowering", "chain", TC_YES,
                 "%d of %d shared iterators follow each other without a gap%s",
                 f->nchain, f->nshards, list);
}

/* --- one prefix ------------------------------------------------------------*/

/* A prefix under way: dimensions in the order of the iterators. */
typedef struct draft {
    tma_planner *f;
    int length; /* of the prefix */
    tc_tma_dim *dims;
    int *rank_in_chain; /* of each dimension; -1: box of 1 */
    int ndims, dims_cap, ranks_cap;
    tc_tma_axis *axes;
    int naxes, axes_cap;
    bool failed; /* a number does not fit */
} draft;

/* Where the chain holds this shard, within the prefix; -1: it does not. */
static int selected(const draft *d, int group, int shard) {
    for (int i = 0; i < d->length; i++) {
        if (d->f->chain[i].group == group && d->f->chain[i].shard == shard) {
            return i;
        }
    }
    return -1;
}

static void add_dim(draft *d, tc_tma_dim dim, int rank_in_chain) {
    tc_arena *a = d->f->cx->arena;
    int n = d->ndims;
    TC_PUSH(a, d->dims, d->ndims, d->dims_cap, dim);
    TC_PUSH(a, d->rank_in_chain, n, d->ranks_cap, rank_in_chain);
}

static int64_t times(draft *d, int64_t x, int64_t y) {
    int64_t z;
    d->failed |= __builtin_mul_overflow(x, y, &z);
    return d->failed ? 0 : z;
}

/* Shards [from, to] that are not in the box move the dimension under way by
 * steps; unit is what one step of its coordinate is. */
static void add_axes(draft *d, int group, int from, int to, int64_t unit) {
    const tc_tma_group *g = &d->f->parts->groups[group];
    for (int m = from; m <= to; m++) {
        if (selected(d, group, m) < 0) {
            tc_tma_axis x = {g->shards[m].extent, d->ndims, inside(g, m) / unit,
                             g->shards[m].stride};
            TC_PUSH(d->f->cx->arena, d->axes, d->naxes, d->axes_cap, x);
        }
    }
}

/* Cuts one global iterator after each selected shard (_build_segments): the
 * first piece takes what the copy leaves of the dimension, the others are
 * whole. */
static void add_pieces(draft *d, int group) {
    const tc_tma_group *g = &d->f->parts->groups[group];
    const tc_tma_iter *it = &d->f->parts->iters[g->iter];
    tc_arena *a = d->f->cx->arena;
    int from = 0;
    for (int k = 0; k < g->n; k++) {
        int at = selected(d, group, k);
        if (at < 0) {
            continue;
        }
        int64_t u = inside(g, k);
        tc_tma_dim dim = {from == 0 ? it->shape / u : product(g, from, k),
                          times(d, it->stride, u), g->shards[k].extent,
                          from == 0 ? tc_tma_divided(a, it->start, u)
                                    : tc_int(a, 0)};
        add_axes(d, group, from, k, u);
        add_dim(d, dim, at);
        from = k + 1;
    }
    if (from == 0) { /* nothing selected: box of 1 over the whole */
        add_axes(d, group, 0, g->n - 1, 1);
        add_dim(d, (tc_tma_dim){it->shape, it->stride, 1, it->start}, -1);
    } else if (from < g->n) {
        tc_tma_dim rest = {product(g, from, g->n - 1), it->stride, 1,
                           tc_int(a, 0)};
        add_axes(d, group, from, g->n - 1, 1);
        add_dim(d, rest, -1);
    }
}

/* The new position of dimension i: boxes of 1 first, in their order; then the
 * selected ones, the outermost of the chain first. */
static int position(const draft *d, int i) {
    int at = 0, mine = d->rank_in_chain[i];
    for (int k = 0; k < d->ndims; k++) {
        int other = d->rank_in_chain[k];
        at += mine < 0 ? other < 0 && k < i : other < 0 || other > mine;
    }
    return at;
}

static bool assemble(tma_planner *f, int length, tc_tma_plan *out) {
    draft d = {.f = f, .length = length};
    tc_arena *a = f->cx->arena;
    for (int i = 0; i < f->parts->niters; i++) {
        const tc_tma_iter *it = &f->parts->iters[i];
        if (it->extent == 1) {
            add_dim(&d, (tc_tma_dim){it->shape, it->stride, 1, it->start}, -1);
        }
    }
    for (int g = 0; g < f->parts->ngroups; g++) {
        add_pieces(&d, g);
    }
    *out = (tc_tma_plan){.swizzle = f->parts->swizzle,
                         .ndims = d.ndims,
                         .axes = d.axes,
                         .naxes = d.naxes,
                         .type = f->parts->g->type,
                         .bytes = tc_dtype_bytes(f->parts->g->type),
                         .times = 1};
    out->dims = TC_NEWN(a, tc_tma_dim, d.ndims + 1);
    for (int i = 0; i < d.ndims; i++) {
        out->dims[position(&d, i)] = d.dims[i];
    }
    for (int i = 0; i < d.naxes; i++) {
        d.axes[i].dim = position(&d, d.axes[i].dim);
        out->times = times(&d, out->times, d.axes[i].extent);
    }
    tc_tma_merge(a, out);
    return !d.failed;
}

/* --- what stops a prefix ---------------------------------------------------*/

/* The outermost selected shard cuts the dimension: its length and the copy's
 * start must be multiples of what lies inside (_check_alignment). */
static const char *misaligned(const tma_planner *f, int length) {
    draft d = {.f = (tma_planner *)f, .length = length};
    tc_arena *a = f->cx->arena;
    for (int i = 0; i < f->parts->ngroups; i++) {
        const tc_tma_group *g = &f->parts->groups[i];
        const tc_tma_iter *it = &f->parts->iters[g->iter];
        int k = 0;
        while (k < g->n && selected(&d, i, k) < 0) {
            k++;
        }
        int64_t u = k < g->n ? inside(g, k) : 1;
        if (it->shape % u != 0) {
            return tc_format(a,
                             "it cuts global iterator %d into runs of %" PRId64
                             ", and its length %" PRId64 " is no multiple",
                             g->iter, u, it->shape);
        }
        if (!tc_tma_divides(a, u, it->start)) {
            return tc_format(a,
                             "it cuts global iterator %d into runs of %" PRId64
                             ", and the copy's start %s is no multiple",
                             g->iter, u, tc_tma_text(a, it->start));
        }
    }
    return NULL;
}

/* _validate_hw_constraints. */
static const char *unfit(const tma_planner *f, const tc_tma_plan *p) {
    tc_arena *a = f->cx->arena;
    int bits = tc_dtypes[f->parts->s->type].bits;
    if (p->ndims < 1) {
        return "the map would have no dimension";
    }
    if (p->ndims > TC_TENSOR_DIMS) {
        return tc_format(a, "the map would have rank %d: at most %d", p->ndims,
                         TC_TENSOR_DIMS);
    }
    const tc_tma_dim *inner = &p->dims[p->ndims - 1];
    if (inner->stride != 1) {
        return tc_format(a,
                         "the map's innermost dimension would have stride "
                         "%" PRId64 " in global memory: it must be 1",
                         inner->stride);
    }
    int64_t atom = bits > 0 ? (128 << p->swizzle) / bits : 0;
    if (p->swizzle != TC_SWIZZLE_NONE && inner->box > atom) {
        return tc_format(a,
                         "the innermost box would be %" PRId64 " elements: "
                         "the swizzle of %d bytes holds %" PRId64,
                         inner->box, 16 << p->swizzle, atom);
    }
    return NULL;
}

/* "(64, 64)" of the boxes, outer first. */
static const char *box_text(tc_arena *a, const tc_tma_plan *p) {
    tc_buf b = TC_BUF_INIT;
    for (int i = 0; i < p->ndims; i++) {
        tc_buf_printf(&b, "%s%" PRId64, i > 0 ? ", " : "(", p->dims[i].box);
    }
    tc_buf_puts(&b, p->ndims == 1 ? ",)" : ")");
    return tc_buf_finish(&b, a);
}

static bool accept(const tma_planner *f, int length, const tc_tma_plan *p) {
    tc_check_add(f->cx, f->v, "lowering", "box", TC_YES,
                 "box of %d iterator%s: map of rank %d, box %s of %s, %" PRId64
                 " instruction%s",
                 length, length == 1 ? "" : "s", p->ndims,
                 box_text(f->cx->arena, p), tc_dtypes[p->type].name, p->times,
                 p->times == 1 ? "" : "s");
    return true;
}

/* Length by length. A prefix that fails is a check that failed, though the
 * variant may still accept with a shorter one. */
bool tc_tma_search(const tc_dispatch_ctx *cx, tc_verdict *v,
                   const tc_tma_parts *parts, tc_tma_plan *out) {
    tma_planner f = {.cx = cx, .v = v, .parts = parts};
    const char *last = NULL;
    find_chain(&f);
    for (int j = f.nchain; j >= 0; j--) {
        const char *stop = misaligned(&f, j);
        if (stop == NULL) {
            stop = assemble(&f, j, out) ? unfit(&f, out)
                                        : "a stride or a count does not fit";
        }
        if (stop == NULL) {
            return accept(&f, j, out);
        }
        tc_check_add(cx, v, "lowering", "box", TC_NO,
                     "box of %d iterator%s: %s", j, j == 1 ? "" : "s", stop);
        last = stop;
    }
    v->why = v->why != NULL
                 ? v->why
                 : tc_format(cx->arena,
                             "no tensor map fits, whatever part of the region "
                             "is the box; with a box of one element %s",
                             last);
    return false;
}

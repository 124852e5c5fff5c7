/* plan.c - the plan of tcgen05.cp, step by step. Each step adds its
 * check, also when an earlier one failed that it does not build on. */
#include "variants/tcgen05/plan.h"
#include "dispatch/region.h"
#include "layout/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32 };

typedef struct copy_side {
    const tc_region *region;
    const char *name;
    tc_slice slice;
    const tc_layout *l; /* of the region, canonical, then reordered */
    tc_iter *iters;     /* without those of stride 0 */
    int n;
    const tc_layout *lane, *middle, *col; /* the three blocks */
} copy_side;

typedef struct tcgen05_planner {
    tc_check_list q;
    tc_arena *a;
    tc_layout_ctx lcx;
    copy_side s, t; /* shared, tensor memory */
    int bits;
    int64_t per_col; /* elements in 128 bits */
    int64_t swizzle_len;
    int64_t row_stride; /* of the 8 rows of a group, in bytes */
    tc_cp_plan *plan;
} tcgen05_planner;

static const char *text(tcgen05_planner *p, const tc_layout *l) {
    tc_buf b = TC_BUF_INIT;
    tc_layout_print(&b, l);
    return tc_buf_finish(&b, p->a);
}

static const tc_layout *of_iters(tcgen05_planner *p, const tc_iter *it, int n) {
    return tc_layout_tile(p->a, it, n, NULL, 0, NULL, 0);
}

static bool on_axis(const tc_iter *it, const char *axis) {
    return strcmp(it->axis->name, axis) == 0;
}

/* --- the two regions -------------------------------------------------------*/

static bool cut(tcgen05_planner *p, copy_side *x, const char *check,
                bool tmem) {
    const char *why = NULL;
    tc_layout_result r =
        tmem ? tc_region_slice_tmem(p->q.cx, x->region, &x->slice, &why)
             : tc_region_slice(p->q.cx, x->region, &x->slice, &why);
    if (r != TC_LAYOUT_OK) {
        return tc_holds(&p->q, check, false, "%s", why);
    }
    if (tc_layout_canonicalize(&p->lcx, x->slice.layout, &x->l) !=
        TC_LAYOUT_OK) {
        return tc_holds(&p->q, check, false, "%s: %s", x->name, p->lcx.message);
    }
    return tc_holds(&p->q, check, true, "%s: %s", x->name, text(p, x->l));
}

static bool shared_region(tcgen05_planner *p) {
    return cut(p, &p->s, "shared region", false);
}

static bool tensor_region(tcgen05_planner *p) {
    return cut(p, &p->t, "tensor memory region", true);
}

static bool peel_swizzle(tcgen05_planner *p) {
    if (p->s.l->kind == TC_LAYOUT_SWIZZLE) {
        return tc_holds(&p->q, "swizzle", false,
                        "the region of %s is one unbroken run of swizzled "
                        "memory: the swizzle needs a tile layout under it with "
                        "rows of 16, 32, 64 or 128 bytes",
                        p->s.name);
    }
    p->swizzle_len =
        p->s.l->kind == TC_LAYOUT_COMPOSE ? p->s.l->swizzle.swizzle_len : 0;
    p->s.l = tc_layout_tile_part(p->a, p->s.l);
    return tc_holds(&p->q, "swizzle", true, "%s has swizzle_len %" PRId64,
                    p->s.name, p->swizzle_len);
}

static bool replica(tcgen05_planner *p) {
    const tc_layout *l = p->t.l;
    const tc_iter *r = l->replica;
    bool ok = l->kind == TC_LAYOUT_TILE && l->nreplica == 1 && r->extent == 4 &&
              r->stride == 32 && on_axis(r, "TLane");
    tc_holds(&p->q, "replica of the region", ok, "%s: %s", text(p, l),
             ok ? "each of the four warps' lanes gets a copy"
                : "needs R[4 : 32@TLane]");
    return l->kind == TC_LAYOUT_TILE;
}

/* --- one order for both: lanes, then columns by falling stride -------------*/

static int order_of(const tc_iter *x, const tc_iter *y) {
    bool xl = on_axis(x, "TLane"), yl = on_axis(y, "TLane");
    if (xl != yl) {
        return xl ? -1 : 1;
    }
    return (x->stride < y->stride) - (x->stride > y->stride);
}

/* A stable sort of few. */
static int *falling(tcgen05_planner *p, const tc_layout *l) {
    int *perm = TC_NEWN(p->a, int, l->nshard + 1);
    for (int i = 0; i < l->nshard; i++) {
        int k = i;
        while (k > 0 && order_of(&l->shard[perm[k - 1]], &l->shard[i]) > 0) {
            perm[k] = perm[k - 1];
            k--;
        }
        perm[k] = i;
    }
    return perm;
}

static bool reorder(tcgen05_planner *p) {
    const tc_layout *t = p->t.l, *s = p->s.l;
    int *seps, *perm = falling(p, t);
    int64_t *shape = TC_NEWN(p->a, int64_t, t->nshard + 1);
    for (int i = 0; i < t->nshard; i++) {
        shape[i] = t->shard[i].extent;
    }
    bool ok = tc_layout_group(&p->lcx, s, shape, t->nshard, &s, &seps) ==
                  TC_LAYOUT_OK &&
              tc_layout_permute_by_groups(&p->lcx, s, seps, t->nshard + 1, perm,
                                          t->nshard, &s) == TC_LAYOUT_OK &&
              tc_layout_canonicalize(&p->lcx, s, &p->s.l) == TC_LAYOUT_OK &&
              tc_layout_permute_dims(&p->lcx, t, perm, t->nshard, &t) ==
                  TC_LAYOUT_OK &&
              tc_layout_canonicalize(&p->lcx, t, &p->t.l) == TC_LAYOUT_OK;
    return tc_holds(&p->q, "order", ok, "%s",
                    ok ? tc_format(p->a, "lanes first: %s gets %s",
                                   text(p, p->t.l), text(p, p->s.l))
                       : p->lcx.message);
}

/* --- stride 0: the same element again --------------------------------------*/

/* Extents between and at the iterators of stride 0. */
static int64_t *split_by_zero(tcgen05_planner *p, copy_side *x, int *n) {
    const tc_layout *l = x->l;
    int64_t *seq = TC_NEWN(p->a, int64_t, 2 * l->nshard + 2), cur = 1;
    x->iters = TC_NEWN(p->a, tc_iter, l->nshard + 1);
    *n = 0;
    for (int i = 0; i < l->nshard; i++) {
        const tc_iter *it = &l->shard[i];
        if (it->stride != 0) {
            if (__builtin_mul_overflow(cur, it->extent, &cur)) {
                cur = INT64_MAX;
            }
            x->iters[x->n++] = *it;
            continue;
        }
        if (cur > 1) {
            seq[(*n)++] = cur;
        }
        seq[(*n)++] = it->extent;
        cur = 1;
    }
    if (cur > 1) {
        seq[(*n)++] = cur;
    }
    return seq;
}

static bool broadcast(tcgen05_planner *p) {
    int nt, ns;
    int64_t *t = split_by_zero(p, &p->t, &nt);
    int64_t *s = split_by_zero(p, &p->s, &ns);
    bool ok = nt == ns && memcmp(t, s, sizeof *t * (size_t)nt) == 0;
    return tc_holds(&p->q, "repeats", ok, "%s",
                    ok ? "iterators of stride 0 stand at the same places"
                       : "iterators of stride 0 stand at other places in "
                         "shared than in tensor memory");
}

/* --- 32 lanes, pieces, 16 bytes --------------------------------------------*/

static bool blocks_of(tcgen05_planner *p, copy_side *x, int64_t *pieces) {
    const tc_layout *l = of_iters(p, x->iters, x->n), *g;
    int64_t size;
    int *seps;
    if (tc_layout_size(&p->lcx, l, NULL, &size) != TC_LAYOUT_OK) {
        return tc_holds(&p->q, "pieces", false, "%s: %s", x->name,
                        p->lcx.message);
    }
    int64_t piece = LANES * p->per_col;
    *pieces = size / piece;
    if (*pieces == 0) {
        return tc_holds(&p->q, "pieces", false,
                        "%s: %" PRId64 " elements, one tcgen05.cp moves 32 x "
                        "%" PRId64,
                        x->name, size, p->per_col);
    }
    int64_t shape[3] = {LANES, *pieces, p->per_col};
    if (tc_layout_group(&p->lcx, l, shape, 3, &g, &seps) != TC_LAYOUT_OK) {
        return tc_holds(&p->q, "pieces", false, "%s: %s", x->name,
                        p->lcx.message);
    }
    const tc_layout **out[3] = {&x->lane, &x->middle, &x->col};
    for (int i = 0; i < 3; i++) {
        l = of_iters(p, &g->shard[seps[i]], seps[i + 1] - seps[i]);
        /* the lanes of shared memory keep their iterators: they are cut again
         */
        if (x == &p->s && i == 0) {
            *out[i] = l;
        } else if (tc_layout_canonicalize(&p->lcx, l, out[i]) != TC_LAYOUT_OK) {
            return tc_holds(&p->q, "pieces", false, "%s: %s", x->name,
                            p->lcx.message);
        }
    }
    return true;
}

static bool blocks(tcgen05_planner *p) {
    int64_t t, s;
    bool ok = p->per_col > 0;
    if (!ok) {
        return tc_holds(&p->q, "pieces", false, "elements of %d bits", p->bits);
    }
    ok = blocks_of(p, &p->t, &t) && blocks_of(p, &p->s, &s);
    return ok && tc_holds(&p->q, "pieces", true,
                          "32 lanes x %" PRId64 " pieces x %" PRId64
                          " elements of 128 bits",
                          t, p->per_col);
}

/* --- the pieces, one iterator against one ----------------------------------*/

static int by_size(const void *x, const void *y) {
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

static int bounds_of(const tc_layout *l, int64_t *out, int n) {
    int64_t prod = 1;
    for (int i = 0; i < l->nshard; i++) {
        prod *= l->shard[i].extent; /* the size was counted without overflow */
        out[n++] = prod;
    }
    return n;
}

/* l cut at the shape's borders, each part being one iterator. */
static bool cut_middle(tcgen05_planner *p, const copy_side *x,
                       const tc_layout **l, const int64_t *shape, int n) {
    const tc_layout *g, *part;
    tc_iter *out = TC_NEWN(p->a, tc_iter, n + 1);
    int *seps;
    if ((*l)->nshard == 1 && n == 1 && shape[0] == (*l)->shard[0].extent) {
        return true;
    }
    if (tc_layout_group(&p->lcx, *l, shape, n, &g, &seps) != TC_LAYOUT_OK) {
        return tc_holds(&p->q, "pieces in step", false, "%s: %s", x->name,
                        p->lcx.message);
    }
    for (int i = 0; i < n; i++) {
        part = of_iters(p, &g->shard[seps[i]], seps[i + 1] - seps[i]);
        if (tc_layout_canonicalize(&p->lcx, part, &part) != TC_LAYOUT_OK ||
            part->nshard != 1) {
            return tc_holds(&p->q, "pieces in step", false,
                            "%s: part %d of the pieces is not one iterator: %s",
                            x->name, i, text(p, part));
        }
        out[i] = part->shard[0];
    }
    *l = of_iters(p, out, n);
    return true;
}

static bool align_pieces(tcgen05_planner *p) {
    const tc_layout *t = p->t.middle, *s = p->s.middle;
    int most = t->nshard + s->nshard;
    int64_t *cuts = TC_NEWN(p->a, int64_t, most + 1), prev = 1;
    int64_t *shape = TC_NEWN(p->a, int64_t, most + 1);
    int nt = bounds_of(t, cuts, 0), n = bounds_of(s, cuts, nt), k = 0;
    if (n == 0) {
        return true;
    }
    int64_t whole = nt > 0 ? cuts[nt - 1] : cuts[n - 1];
    if (n > nt && cuts[n - 1] != whole) {
        return tc_holds(&p->q, "pieces in step", false,
                        "%" PRId64 " pieces in tensor memory, %" PRId64
                        " in shared",
                        whole, cuts[n - 1]);
    }
    qsort(cuts, (size_t)n, sizeof *cuts, by_size);
    for (int i = 0; i < n; i++) {
        if (cuts[i] == (i > 0 ? cuts[i - 1] : 0)) {
            continue;
        }
        if (cuts[i] % prev != 0) {
            return tc_holds(&p->q, "pieces in step", false,
                            "a run of %" PRId64 " pieces does not divide into "
                            "runs of %" PRId64,
                            cuts[i], prev);
        }
        shape[k++] = cuts[i] / prev;
        prev = cuts[i];
    }
    return cut_middle(p, &p->t, &p->t.middle, shape, k) &&
           cut_middle(p, &p->s, &p->s.middle, shape, k);
}

static bool in_step(tcgen05_planner *p) {
    return align_pieces(p) &&
           tc_holds(&p->q, "pieces in step", true, "%s and %s",
                    text(p, p->t.middle), text(p, p->s.middle));
}

/* --- what one tcgen05.cp needs (PTX ISA 9.7.16.9) --------------------------*/

static bool is_iter(const tc_layout *l, int64_t extent, const char *axis) {
    return l->nshard == 1 && l->shard[0].extent == extent &&
           l->shard[0].stride == 1 &&
           (axis == NULL || on_axis(&l->shard[0], axis));
}

static bool lanes(tcgen05_planner *p) {
    bool ok = is_iter(p->t.lane, LANES, "TLane");
    tc_holds(&p->q, "lanes", ok, "rows of tensor memory: %s%s",
             text(p, p->t.lane), ok ? "" : ", needs S[32 : 1@TLane]");
    if (ok && (p->t.slice.lane_moves ||
               tc_layout_offset_of(p->t.l, tc_axis_find("TLane")) != 0)) {
        tc_check_optional(
            &p->q, "first lane", true,
            "the region starts at another lane than 0, and TVM 0.25.0 "
            "leaves that out: the rows go to lane 0 on");
    }
    return true;
}

static bool sixteen_bytes(tcgen05_planner *p) {
    bool t = is_iter(p->t.col, p->per_col, "TCol");
    bool s = is_iter(p->s.col, p->per_col, NULL);
    tc_holds(
        &p->q, "16 bytes of tensor memory", t,
        "columns of a piece in tensor memory: %s%s", text(p, p->t.col),
        t ? ""
          : tc_format(p->a, ", needs S[%" PRId64 " : 1@TCol]", p->per_col));
    tc_holds(&p->q, "16 bytes of shared memory", s,
             "columns of a piece in shared memory: %s%s", text(p, p->s.col),
             s ? ""
               : tc_format(p->a, ", needs S[%" PRId64 " : 1]", p->per_col));
    return true;
}

static bool in_bytes(tcgen05_planner *p, int64_t stride, int64_t *out) {
    if (__builtin_mul_overflow(stride, p->bits, out)) {
        return tc_holds(&p->q, "rows", false, "stride %" PRId64 " is too large",
                        stride);
    }
    *out = (*out - (*out % 8 + 8) % 8) / 8; /* floor */
    return true;
}

static bool rows(tcgen05_planner *p) {
    static const int64_t shape[2] = {4, 8};
    const tc_layout *g;
    int64_t stride;
    int *seps;
    if (tc_layout_group(&p->lcx, p->s.lane, shape, 2, &g, &seps) !=
        TC_LAYOUT_OK) {
        return tc_holds(&p->q, "rows", false, "%s", p->lcx.message);
    }
    if (seps[1] - seps[0] != 1 || seps[2] - seps[1] != 1) {
        return tc_holds(
            &p->q, "rows", false,
            "the 32 rows of shared memory, %s, are not 4 groups of 8 "
            "with one stride each",
            text(p, p->s.lane));
    }
    if (!in_bytes(p, g->shard[seps[0]].stride, &stride) ||
        !in_bytes(p, g->shard[seps[1]].stride, &p->row_stride)) {
        return false;
    }
    p->plan->stride = (stride - (stride % 16 + 16) % 16) / 16;
    return tc_holds(&p->q, "rows", true,
                    "4 groups of 8: rows %" PRId64
                    " bytes apart, groups %" PRId64,
                    p->row_stride, stride);
}

static bool swizzle_mode(tcgen05_planner *p) {
    static const int64_t strides[] = {16, 32, 64, 128};
    p->plan->swizzle = -1;
    for (int i = 0; i < 4; i++) {
        if (strides[i] == p->row_stride) {
            p->plan->swizzle = i;
        }
    }
    if (p->plan->swizzle < 0) {
        return tc_holds(&p->q, "swizzle mode", false,
                        "rows %" PRId64 " bytes apart: tcgen05.cp takes 16 (no "
                        "swizzle), 32, 64 or 128",
                        p->row_stride);
    }
    bool ok = p->plan->swizzle == p->swizzle_len;
    tc_holds(&p->q, "swizzle mode", ok,
             "rows %" PRId64 " bytes apart mean swizzle_len %" PRId64
             ", the layout has %" PRId64,
             p->row_stride, p->plan->swizzle, p->swizzle_len);
    return true;
}

/* --- where it starts, and its steps ----------------------------------------*/

static tc_expr *start_of(tcgen05_planner *p, const tc_layout *l,
                         const char *axis, tc_expr *moving) {
    int64_t at = tc_layout_offset_of(l, tc_axis_find(axis));
    if (moving == NULL) {
        return tc_int(p->a, at);
    }
    return at == 0 ? moving
                   : tc_binary(p->a, TC_ADD, moving,
                               tc_int_t(p->a, moving->type, at));
}

static tc_expr *over(tcgen05_planner *p, tc_expr *x, int64_t n) {
    return tc_binary(p->a, TC_FLOORDIV, x, tc_int_t(p->a, x->type, n));
}

static bool first_column(tcgen05_planner *p) {
    int64_t n = p->bits > 0 ? 32 / p->bits : 0;
    tc_expr *at = start_of(p, p->t.l, "TCol", p->t.slice.column);
    bool ok = n > 0 && tc_divides_always(p->a, at, n);
    tc_holds(&p->q, "first column", ok,
             "column %s is %s multiple of the %" PRId64 " elements in 32 bits",
             tc_expr_text(p->a, at), tc_check_article(at, ok), n);
    p->plan->column = ok ? over(p, at, n) : NULL;
    return true;
}

static bool first_byte(tcgen05_planner *p) {
    bool none = p->plan->swizzle == 0;
    int64_t bytes = none ? 16 : 8 * p->row_stride;
    int64_t n = bytes * 8 / p->bits;
    tc_expr *at = start_of(p, p->s.l, "m", p->s.slice.base);
    bool ok = tc_divides_always(p->a, at, n);
    tc_holds(&p->q, "first byte", ok,
             "element %s of %s is %s multiple of %" PRId64 " = %" PRId64
             " bytes%s",
             tc_expr_text(p->a, at), p->s.name, tc_check_article(at, ok), n,
             bytes, none ? "" : ", the swizzle's atom");
    tc_expr *bits =
        tc_binary(p->a, TC_MUL, at, tc_int_t(p->a, at->type, p->bits));
    p->plan->shared_at = over(p, over(p, bits, 8), 16);
    return true;
}

static bool add_loop(tcgen05_planner *p, int i, const tc_iter *t,
                     const tc_iter *s) {
    int64_t bytes, words = 32 / p->bits;
    if (t->extent != s->extent || !on_axis(t, "TCol")) {
        return tc_holds(&p->q, "steps", false,
                        "pieces %d: %" PRId64 " on %s, %" PRId64
                        " in shared memory: needs TCol and as many",
                        i, t->extent, t->axis->name, s->extent);
    }
    if (!in_bytes(p, s->stride, &bytes)) {
        return false;
    }
    bool ok = bytes % 16 == 0;
    tc_holds(&p->q, "steps", ok,
             "%" PRId64 " pieces, %" PRId64 " bytes apart in shared memory (%s "
             "multiple of 16) and %" PRId64 " elements in tensor memory",
             t->extent, bytes, ok ? "a" : "no", t->stride);
    int64_t column = words > 0 ? t->stride / words : 0;
    column -= words > 0 && t->stride % words < 0;
    p->plan->loops[p->plan->nloops++] =
        (tc_cp_loop){t->extent, bytes / 16, column};
    p->plan->pieces *= t->extent;
    return true;
}

static bool steps(tcgen05_planner *p) {
    const tc_layout *t = p->t.middle, *s = p->s.middle;
    p->plan->pieces = 1;
    p->plan->loops = TC_NEWN(p->a, tc_cp_loop, t->nshard + 1);
    if (t->nshard != s->nshard) {
        return tc_holds(&p->q, "steps", false,
                        "%d loops over pieces in tensor memory, %d in shared",
                        t->nshard, s->nshard);
    }
    for (int i = 0; i < t->nshard; i++) {
        if (t->shard[i].extent == s->shard[i].extent &&
            t->shard[i].extent == 1) {
            continue;
        }
        if (!add_loop(p, i, &t->shard[i], &s->shard[i])) {
            return false;
        }
    }
    return true;
}

static bool cta_group(tcgen05_planner *p) {
    const tc_copy *c = p->q.cx->copy;
    p->plan->cta_group = 1;
    for (int i = 0; i < c->nconfig; i++) {
        if (strcmp(c->config[i].name, "cta_group") == 0 &&
            !tc_expr_const(c->config[i].value, &p->plan->cta_group)) {
            return tc_holds(&p->q, "cta_group", false,
                            "it is not known when the program is built");
        }
    }
    return tc_holds(&p->q, "cta_group",
                    p->plan->cta_group == 1 || p->plan->cta_group == 2,
                    "%" PRId64 ": 1 or 2", p->plan->cta_group);
}

/* What a step leaves for later ones. */
enum {
    SHARED = 1,
    TENSOR = 2,
    PEELED = 4,
    TILE = 8,
    ORDER = 16,
    SPLIT = 32,
    BLOCKS = 64,
    IN_STEP = 128,
    ROWS = 256,
    MODE = 512
};

static const struct plan_step {
    const char *name;
    bool (*ask)(tcgen05_planner *p); /* false: it leaves nothing */
    int needs, leaves;
} plan_steps[] = {
    {"cta_group", cta_group, 0, 0},
    {"shared region", shared_region, 0, SHARED},
    {"tensor memory region", tensor_region, 0, TENSOR},
    {"swizzle", peel_swizzle, SHARED, PEELED},
    {"replica of the region", replica, TENSOR, TILE},
    {"order", reorder, PEELED | TILE, ORDER},
    {"repeats", broadcast, ORDER, SPLIT},
    {"pieces", blocks, SPLIT, BLOCKS},
    {"pieces in step", in_step, BLOCKS, IN_STEP},
    {"lanes", lanes, BLOCKS, 0},
    {"16 bytes", sixteen_bytes, BLOCKS, 0},
    {"rows", rows, BLOCKS, ROWS},
    {"swizzle mode", swizzle_mode, ROWS, MODE},
    {"first column", first_column, TILE, 0},
    {"first byte", first_byte, PEELED | MODE, 0},
    {"steps", steps, IN_STEP, 0},
};
enum { NSTEPS = sizeof plan_steps / sizeof *plan_steps };

static void unasked(tcgen05_planner *p, const struct plan_step *s,
                    int missing) {
    for (int i = 0; i < NSTEPS; i++) {
        if (plan_steps[i].leaves & missing) {
            tc_check_skip(
                &p->q, s->name,
                tc_format(p->a, "'%s' does not hold", plan_steps[i].name));
            return;
        }
    }
}

bool tc_cp_plan_make(const tc_dispatch_ctx *cx, tc_verdict *v,
                     tc_cp_plan *out) {
    const tc_copy *c = cx->copy;
    tcgen05_planner p = {
        .q = {cx, v, false},
        .a = cx->arena,
        .lcx = {.arena = cx->arena, .target_cuda = cx->target_cuda},
        .s = {.region = &c->src, .name = c->src.buffer->name},
        .t = {.region = &c->dst, .name = c->dst.buffer->name},
        .bits = tc_dtypes[c->src.buffer->type].bits,
        .plan = out};
    int have = 0;
    p.per_col = p.bits > 0 ? 128 / p.bits : 0;
    for (int i = 0; i < NSTEPS; i++) {
        const struct plan_step *s = &plan_steps[i];
        if ((have & s->needs) != s->needs) {
            unasked(&p, s, s->needs & ~have);
        } else if (s->ask(&p)) {
            have |= s->leaves;
        }
    }
    return !p.q.failed;
}

/* ldstmatrix_lower.c - the search of copy/ld_stmatrix.py.
 *
 * ldmatrix moves `num` tiles of 8 x 8 two-byte elements: lane l names row l % 8
 * of tile l / 8, and receives elements 2 * (l % 4) and the next of row l / 4 of
 * every tile (PTX ISA 9.7.15.5.15). So both sides must split as
 * [warps, 8, 4, rounds, num, 2]. */
#include "variants/ldstmatrix.h"

#include <inttypes.h>
#include <string.h>

/* --- what must hold at all -------------------------------------------------*/

static bool check_element(tc_ldstmatrix *f) {
    const tc_buffer *b = f->cx->copy->src.buffer;
    int bits = tc_dtypes[b->type].bits;
    return tc_check_add(f->cx, f->v, "lowering", "element", TC_YES,
                        bits == 16
                            ? "%s has %d bits, what the instruction moves"
                            : "%s has %d bits; the instruction moves units of "
                              "16. TVM 0.25.0 does not ask: the values will "
                              "not be where the layouts say",
                        tc_dtypes[b->type].name, bits);
}

static bool check_swizzle(tc_ldstmatrix *f) {
    const tc_dispatch_ctx *cx = f->cx;
    if (!f->sides.has_swizzle) {
        return tc_check_add(cx, f->v, "lowering", "swizzle", TC_YES, "none");
    }
    int64_t p = f->sides.swizzle.per_element;
    if (p < 3) {
        return tc_sides_decline(cx, f->v, "swizzle",
                                "per_element=%" PRId64 " keeps %" PRId64
                                " elements together; a row of a tile has 8 "
                                "(per_element=3)",
                                p, INT64_C(1) << p);
    }
    return tc_check_add(
        cx, f->v, "lowering", "swizzle", TC_YES,
        "per_element=%" PRId64 " keeps a row of 8 elements together", p);
}

static bool check_replica(tc_ldstmatrix *f, const char *name,
                          const tc_side *side) {
    int n = side->layout->nreplica;
    if (n > 0) {
        return tc_sides_decline(f->cx, f->v, name,
                                "%s is replicated (R[%" PRId64 " : %" PRId64
                                "@%s]); a matrix is moved once",
                                side->region->buffer->name,
                                side->layout->replica[0].extent,
                                side->layout->replica[0].stride,
                                side->layout->replica[0].axis->name);
    }
    return tc_check_add(f->cx, f->v, "lowering", name, TC_YES,
                        "%s has no replica", side->region->buffer->name);
}

/* Exactly one thread axis, and one that numbers lanes. */
static bool check_lanes(tc_ldstmatrix *f) {
    const tc_layout *l = f->sides.reg.layout;
    const char *other = NULL;
    for (int i = 0; i < l->nshard; i++) {
        const tc_axis *x = l->shard[i].axis;
        if (x->cls != TC_AXIS_THREAD) {
            continue;
        }
        if (f->lanes != NULL && !tc_axis_eq(f->lanes, x)) {
            other = x->name;
        }
        f->lanes = x;
    }
    if (f->lanes == NULL || other != NULL) {
        return tc_sides_decline(
            f->cx, f->v, "lane axis",
            "%s%s%s%s%s: exactly one thread axis "
            "is needed",
            f->sides.reg.region->buffer->name,
            f->lanes == NULL ? " lies on no thread axis" : " lies on ",
            f->lanes == NULL ? "" : f->lanes->name,
            f->lanes == NULL ? "" : " and ", f->lanes == NULL ? "" : other);
    }
    const char *name = f->lanes->name;
    if (strcmp(name, "laneid") != 0 && strcmp(name, "tid_in_wg") != 0 &&
        strcmp(name, "tx") != 0) {
        return tc_sides_decline(f->cx, f->v, "lane axis",
                                "%s does not number lanes: laneid, tid_in_wg "
                                "or tx is needed",
                                name);
    }
    return tc_check_add(f->cx, f->v, "lowering", "lane axis", TC_YES, "%s",
                        name);
}

/* --- one order for both ----------------------------------------------------*/

static bool refused(tc_ldstmatrix *f) {
    return tc_sides_decline(f->cx, f->v, "align", "%s", f->sides.lcx.message);
}

/* Threads first, then by falling stride; the memory side follows. */
static bool align(tc_ldstmatrix *f) {
    tc_layout_ctx *lcx = &f->sides.lcx;
    const tc_layout *r = f->sides.reg.layout, *s = f->sides.mem.layout;
    int *perm = tc_sides_order(f->cx->arena, r), *seps, n = r->nshard;
    if (tc_layout_group(lcx, s, tc_sides_extents(f->cx->arena, r), n, &s,
                        &seps) != TC_LAYOUT_OK) {
        return tc_sides_decline(f->cx, f->v, "align",
                                "the memory side does not split like the "
                                "register side: %s",
                                lcx->message);
    }
    if (tc_layout_permute_dims(lcx, r, perm, n, &r) != TC_LAYOUT_OK ||
        tc_layout_permute_by_groups(lcx, s, seps, n + 1, perm, n, &s) !=
            TC_LAYOUT_OK ||
        tc_layout_canonicalize(lcx, r, &f->r) != TC_LAYOUT_OK ||
        tc_layout_canonicalize(lcx, s, &f->s) != TC_LAYOUT_OK) {
        return refused(f);
    }
    return true;
}

static bool count_threads(tc_ldstmatrix *f) {
    f->threads = f->held = 1;
    for (int i = 0; i < f->r->nshard; i++) {
        bool thread = f->r->shard[i].axis->cls == TC_AXIS_THREAD;
        int64_t *of = thread ? &f->threads : &f->held;
        if (__builtin_mul_overflow(*of, f->r->shard[i].extent, of)) {
            return tc_sides_decline(f->cx, f->v, "threads",
                                    "the region is too large");
        }
    }
    if (f->threads % 32 != 0) {
        return tc_sides_decline(f->cx, f->v, "threads",
                                "%" PRId64
                                " threads are not a multiple of the 32 of a "
                                "warp",
                                f->threads);
    }
    bool all = f->threads == f->cx->threads;
    return tc_check_add(
        f->cx, f->v, "lowering", "threads", TC_YES,
        "%" PRId64 " threads = %" PRId64 " warp%s, %" PRId64
        " elements a thread%s",
        f->threads, f->threads / 32, f->threads == 32 ? "" : "s", f->held,
        all ? ""
            : tc_format(f->cx->arena,
                        "; the copy's %s has %" PRId64
                        ": the others must execute it too",
                        tc_scope_name(f->cx->copy->scope), f->cx->threads));
}

/* Joins iterators [0, from) of l, mid, and [to, ...) of l. */
static const tc_layout *spliced(tc_arena *a, const tc_layout *l, int from,
                                int to, const tc_iter *mid, int n) {
    tc_iter *all = TC_NEWN(a, tc_iter, l->nshard + n + 1);
    int count = 0;
    for (int i = 0; i < from; i++) {
        all[count++] = l->shard[i];
    }
    for (int i = 0; i < n; i++) {
        all[count++] = mid[i];
    }
    for (int i = to; i < l->nshard; i++) {
        all[count++] = l->shard[i];
    }
    return tc_layout_tile(a, all, count, NULL, 0, l->offset, l->noffset);
}

static int *falling(tc_arena *a, const tc_iter *iters, int n, bool *sorted) {
    int *perm = TC_NEWN(a, int, n + 1);
    *sorted = true;
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && iters[perm[k - 1]].stride < iters[i].stride; k--) {
            perm[k] = perm[k - 1];
        }
        perm[k] = i;
        *sorted &= k == i;
    }
    return perm;
}

/* A second form to try: the pairs of elements by falling memory stride. There
 * is none where they are in that order, or do not split the same way. */
static void sort_pairs(tc_ldstmatrix *f) {
    tc_arena *a = f->cx->arena;
    tc_layout_ctx lcx = f->sides.lcx;
    int64_t shape[] = {f->threads / 32, 8, 4, f->held / 2, 2};
    const tc_layout *r, *s, *sub, *sorted_r;
    int *rs, *ss, *seps;
    bool sorted;
    if (tc_layout_group(&lcx, f->r, shape, 5, &r, &rs) != TC_LAYOUT_OK ||
        tc_layout_group(&lcx, f->s, shape, 5, &s, &ss) != TC_LAYOUT_OK) {
        return;
    }
    int n = ss[4] - ss[3];
    const tc_iter *pairs = s->shard + ss[3];
    int *perm = falling(a, pairs, n, &sorted);
    sub = tc_layout_tile(a, r->shard + rs[3], rs[4] - rs[3], NULL, 0, NULL, 0);
    int64_t *extents = TC_NEWN(a, int64_t, n + 1);
    tc_iter *mid = TC_NEWN(a, tc_iter, n + 1);
    for (int i = 0; i < n; i++) {
        extents[i] = pairs[i].extent;
        mid[i] = pairs[perm[i]];
    }
    if (sorted ||
        tc_layout_group(&lcx, sub, extents, n, &sub, &seps) != TC_LAYOUT_OK ||
        tc_layout_permute_by_groups(&lcx, sub, seps, n + 1, perm, n,
                                    &sorted_r) != TC_LAYOUT_OK) {
        return;
    }
    f->r_sorted =
        spliced(a, r, rs[3], rs[4], sorted_r->shard, sorted_r->nshard);
    f->s_sorted = spliced(a, s, ss[3], ss[4], mid, n);
}

/* --- one number of tiles ---------------------------------------------------*/

/* The stride of segment i, which must be one iterator. */
static bool single(const tc_layout *l, const int *seps, int i, int64_t *out) {
    if (seps[i + 1] - seps[i] != 1) {
        return false;
    }
    *out = l->shard[seps[i]].stride;
    return true;
}

static bool atoms_of(const tc_layout *l, const int *seps, int64_t out[3]) {
    return single(l, seps, TC_MX_ROWS, &out[0]) &&
           single(l, seps, TC_MX_COLUMNS, &out[1]) &&
           single(l, seps, TC_MX_PAIR, &out[2]);
}

static bool is_lanes(const tc_ldstmatrix *f, const tc_ldstmatrix_fit *x,
                     const int64_t at[3]) {
    int64_t warp;
    bool warps = f->threads == 32 ||
                 (single(x->r, x->r_seps, TC_MX_WARPS, &warp) && warp == 32);
    return warps && at[0] == 4 && at[1] == 1 && at[2] == 1;
}

/* A segment of the memory side whose strides are not multiples of a row. */
static const tc_iter *off_row(const tc_ldstmatrix_fit *x, int segment,
                              bool tiles) {
    for (int i = x->s_seps[segment]; i < x->s_seps[segment + 1]; i++) {
        const tc_iter *it = &x->s->shard[i];
        bool bad = it->stride % 8 != 0 || (tiles && it->stride <= 0);
        if (bad && (tiles || it->extent != 1)) {
            return it;
        }
    }
    return NULL;
}

/* Rows of 8 elements in a row in memory, or columns of them (.trans). */
static const char *match_rows(const tc_ldstmatrix *f, const int64_t at[3],
                              tc_ldstmatrix_fit *x) {
    x->trans = at[0] == 1;
    x->row = x->trans ? at[2] : at[0];
    bool pairs = x->trans ? at[1] == 2 * at[2] : at[1] == 2 && at[2] == 1;
    if (pairs && x->row > 0 && x->row % 8 == 0) {
        return NULL;
    }
    return tc_format(f->cx->arena,
                     "memory strides [8, 4, 2] = [%" PRId64 ", %" PRId64
                     ", %" PRId64 "]; a tile needs [8k, 2, 1], or [1, 16k, "
                     "8k] for .trans",
                     at[0], at[1], at[2]);
}

/* NULL with *x filled, or what stops it (_try_num). */
static const char *try_form(tc_ldstmatrix *f, const tc_layout *r,
                            const tc_layout *s, int64_t num,
                            tc_ldstmatrix_fit *x) {
    tc_layout_ctx lcx = f->sides.lcx;
    int64_t shape[TC_MX_SEGMENTS] = {f->threads / 32,     8,   4,
                                     f->held / (num * 2), num, 2};
    int64_t lanes[3], memory[3];
    const tc_iter *it;
    *x = (tc_ldstmatrix_fit){.num = num};
    memcpy(x->shape, shape, sizeof shape);
    if (tc_layout_group(&lcx, r, shape, TC_MX_SEGMENTS, &x->r, &x->r_seps) !=
        TC_LAYOUT_OK) {
        return "the register side does not split into [warps, 8, 4, rounds, "
               "tiles, 2]";
    }
    if (tc_layout_group(&lcx, s, shape, TC_MX_SEGMENTS, &x->s, &x->s_seps) !=
        TC_LAYOUT_OK) {
        return "the memory side does not split into [warps, 8, 4, rounds, "
               "tiles, 2]";
    }
    if (!atoms_of(x->r, x->r_seps, lanes) ||
        !atoms_of(x->s, x->s_seps, memory)) {
        return "the 8 rows, 4 columns or 2 elements are not one iterator each";
    }
    if (!is_lanes(f, x, lanes)) {
        return tc_format(f->cx->arena,
                         "register strides [8, 4, 2] = [%" PRId64 ", %" PRId64
                         ", %" PRId64
                         "]; a lane's place in a tile needs [4, 1, 1], and "
                         "warps 32 apart",
                         lanes[0], lanes[1], lanes[2]);
    }
    if ((num > 1 && (it = off_row(x, TC_MX_TILES, true)) != NULL) ||
        (it = off_row(x, TC_MX_ROUNDS, false)) != NULL) {
        return tc_format(f->cx->arena,
                         "tiles lie %" PRId64
                         " elements apart: rows would not start at a multiple "
                         "of 16 bytes",
                         it->stride);
    }
    return match_rows(f, memory, x);
}

/* Tries num tiles at once, in the sorted form first. */
static bool try_num(tc_ldstmatrix *f, int64_t num, tc_ldstmatrix_fit *x) {
    const char *name = tc_format(f->cx->arena, "num %" PRId64, num);
    const char *sorted = NULL, *why;
    if (f->held % (num * 2) != 0) {
        return tc_check_add(f->cx, f->v, "lowering", name, TC_NO,
                            "%" PRId64 " elements a thread are not a multiple "
                            "of %" PRId64,
                            f->held, num * 2);
    }
    if (f->r_sorted != NULL) {
        sorted = try_form(f, f->r_sorted, f->s_sorted, num, x);
    }
    bool first = f->r_sorted != NULL && sorted == NULL;
    why = first ? NULL : try_form(f, f->r, f->s, num, x);
    if (why != NULL) {
        bool both = sorted != NULL && strcmp(sorted, why) != 0;
        return tc_check_add(
            f->cx, f->v, "lowering", name, TC_NO, "%s%s%s", both ? sorted : why,
            both ? "; with the pairs not sorted by stride: " : "",
            both ? why : "");
    }
    return tc_check_add(f->cx, f->v, "lowering", name, TC_YES,
                        "%" PRId64 " round%s of %" PRId64
                        " tile%s of 8 x 8%s, rows %" PRId64 " elements apart%s",
                        x->shape[TC_MX_ROUNDS],
                        x->shape[TC_MX_ROUNDS] == 1 ? "" : "s", num,
                        num == 1 ? "" : "s", x->trans ? ", .trans" : "", x->row,
                        first ? ", pairs sorted by stride" : "");
}

static bool find_num(tc_ldstmatrix *f, bool asked, tc_ldstmatrix_fit *x) {
    bool found = false;
    for (int64_t num = 4; num >= 1; num /= 2) {
        const char *name = tc_format(f->cx->arena, "num %" PRId64, num);
        if (!asked) {
            tc_check_add(f->cx, f->v, "lowering", name, TC_UNASKED,
                         "cannot be asked: the sides are not aligned");
        } else if (found) {
            tc_check_add(f->cx, f->v, "lowering", name, TC_UNASKED,
                         "not tried: %" PRId64 " tiles at once already fit",
                         x->num);
        } else {
            found = try_num(f, num, x);
        }
    }
    if (asked && !found && f->v->why == NULL) {
        f->v->why = "no number of tiles (4, 2, 1) fits both layouts";
    }
    return found;
}

bool tc_ldstmatrix_lower(const tc_dispatch_ctx *cx, tc_verdict *v) {
    tc_ldstmatrix f = {.cx = cx, .v = v};
    tc_ldstmatrix_fit x;
    if (!tc_sides_cut(cx, v, true, &f.sides)) {
        return false;
    }
    bool ok = check_element(&f);
    ok &= check_swizzle(&f);
    ok &= check_replica(&f, "register replica", &f.sides.reg);
    ok &= check_replica(&f, "memory replica", &f.sides.mem);
    ok &= check_lanes(&f);
    bool aligned = align(&f) && count_threads(&f);
    if (aligned) {
        sort_pairs(&f);
    }
    if (!find_num(&f, aligned, &x) || !ok) {
        return false;
    }
    tc_matrix_emit(&f, &x);
    return true;
}

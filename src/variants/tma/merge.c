/* merge.c - joining dimensions of a tensor map (copy_async/tma.py,
 * _merge_contig_full_box_dims).
 *
 * The driver refuses a map with a stride that is no multiple of 16 bytes. Such
 * a map may be saved where dimensions lie one after the other and the box spans
 * them whole: they become one. A box of more than 256 elements is made to fit
 * by elements of twice the size. */
#include "variants/tma/tma.h"

#include <stddef.h>
#include <string.h>

enum { MAX_BOX = 256, STRIDE_UNIT = 16 };

static bool moves(const tc_tma_plan *p, int dim) {
    for (int i = 0; i < p->naxes; i++) {
        if (p->axes[i].dim == dim) {
            return true;
        }
    }
    return false;
}

static bool is_zero(const tc_expr *e) {
    int64_t v;
    return tc_expr_const(e, &v) && v == 0;
}

static bool needs_merge(const tc_tma_plan *p) {
    for (int i = 0; i < p->ndims - 1; i++) {
        int64_t bytes;
        if (__builtin_mul_overflow(p->dims[i].stride, p->bytes, &bytes) ||
            bytes % STRIDE_UNIT != 0) {
            return true;
        }
    }
    return false;
}

/* Whole, at coordinate 0 in every instruction. */
static bool is_whole(const tc_tma_plan *p, int i) {
    return !moves(p, i) && is_zero(p->dims[i].coord) &&
           p->dims[i].box == p->dims[i].shape;
}

typedef enum merge { MERGE_NO, MERGE_BOX, MERGE_YES } merge;

/* Joins dimensions i and i + 1. MERGE_BOX: only the size of the box forbids
 * it. */
static merge merge_at(tc_tma_plan *p, int i) {
    tc_tma_dim *outer = &p->dims[i], *inner = &p->dims[i + 1];
    int64_t span, box;
    if (!is_whole(p, i) || !is_whole(p, i + 1) ||
        __builtin_mul_overflow(inner->shape, inner->stride, &span) ||
        outer->stride != span) {
        return MERGE_NO;
    }
    if (__builtin_mul_overflow(outer->box, inner->box, &box) || box > MAX_BOX) {
        return MERGE_BOX;
    }
    *outer = (tc_tma_dim){box, inner->stride, box, inner->coord};
    memmove(inner, inner + 1, sizeof *inner * (size_t)(p->ndims - i - 2));
    p->ndims--;
    for (int k = 0; k < p->naxes; k++) {
        p->axes[k].dim -= p->axes[k].dim > i;
    }
    return MERGE_YES;
}

static bool wider(tc_tma_plan *p) {
    static const struct {
        int bytes;
        tc_dtype type;
    } next[] = {{1, TC_UINT16}, {2, TC_UINT32}, {4, TC_UINT64}};
    for (size_t i = 0; i < sizeof next / sizeof *next; i++) {
        if (next[i].bytes == p->bytes) {
            p->type = next[i].type;
            p->bytes *= 2;
            return true;
        }
    }
    return false;
}

/* Elements of twice the size, where every stride and the innermost extent
 * allow it. */
static bool promote(tc_arena *a, tc_tma_plan *p) {
    tc_tma_dim *inner = &p->dims[p->ndims - 1];
    if (p->bytes >= 8 || moves(p, p->ndims - 1) || inner->stride != 1 ||
        inner->shape % 2 != 0) {
        return false;
    }
    for (int i = 0; i < p->ndims - 1; i++) {
        if (p->dims[i].stride % 2 != 0) {
            return false;
        }
    }
    if (!wider(p)) {
        return false;
    }
    for (int i = 0; i < p->ndims - 1; i++) {
        p->dims[i].stride /= 2;
    }
    inner->shape /= 2;
    inner->box /= 2;
    inner->coord = tc_tma_divided(a, inner->coord, 2);
    return true;
}

void tc_tma_merge(tc_arena *a, tc_tma_plan *p) {
    if (!needs_merge(p)) {
        return;
    }
    for (;;) {
        bool merged = false, blocked = false;
        for (int i = p->ndims - 2; i >= 0 && !merged; i--) {
            merge m = merge_at(p, i);
            merged = m == MERGE_YES;
            blocked |= m == MERGE_BOX;
        }
        if (!merged && (!blocked || !promote(a, p))) {
            return;
        }
    }
}

/* swizzle_walk.c - see swizzle_walk.h. The conditions carry the names that
 * they have in copy/_swizzle_iter.py. */
#include "variants/swizzle_walk.h"
#include "variants/sides.h"

#include <stddef.h>

static bool is_power(int64_t n) {
    return n > 0 && (n & (n - 1)) == 0;
}

static int log2_of(int64_t n) {
    return 63 - __builtin_clzll((unsigned long long)n);
}

static tc_expr *by(tc_arena *a, tc_binop op, tc_expr *x, int64_t y) {
    return tc_binary(a, op, x, tc_int_t(a, x->type, y));
}

static tc_expr *shifted(tc_arena *a, tc_expr *x, int64_t bits) {
    return bits == 0 ? x : by(a, TC_SHR, x, bits);
}

tc_expr *tc_swizzle_of(tc_arena *a, tc_swizzle sw, tc_expr *x) {
    int64_t low = INT64_C(1) << sw.per_element;
    int64_t mask = (INT64_C(1) << sw.swizzle_len) - 1;
    tc_expr *y = tc_simplify(a, by(a, TC_FLOORDIV, x, low));
    tc_expr *rest = tc_simplify(a, by(a, TC_FLOORMOD, x, low));
    tc_binop shift = sw.inner ? TC_SHR : TC_SHL;
    tc_expr *bits = by(a, TC_BITAND, y, sw.inner ? mask << sw.atom_len : mask);
    tc_expr *moved =
        tc_binary(a, TC_BITXOR, y, by(a, shift, bits, sw.atom_len));
    if (sw.per_element > 0) {
        moved = by(a, TC_SHL, moved, sw.per_element);
    }
    return tc_simplify(a, tc_binary(a, TC_ADD, moved, rest));
}

/* --- recognising -----------------------------------------------------------*/

/* A power of two: split into bits, the highest first. */
static bool add_bits(tc_arena *a, int64_t extent, int64_t stride, int *cap,
                     tc_swizzle_walk *out) {
    int k = log2_of(extent), p = (int)out->swizzle.per_element;
    tc_swizzle_iter it = {extent, stride, k, out->nslots};
    for (int j = k - 1; j >= 0; j--) {
        int64_t step, scale = INT64_C(1) << j;
        if (__builtin_mul_overflow(stride, scale, &step) ||
            !is_power(step >> p)) {
            return false;
        }
        if (out->nslots == *cap) {
            int more = *cap;
            out->bit =
                tc_grow(a, out->bit, sizeof *out->bit, out->nslots, &more);
            out->stride =
                tc_grow(a, out->stride, sizeof *out->stride, out->nslots, cap);
        }
        out->bit[out->nslots] = log2_of(step >> p);
        out->stride[out->nslots++] = step;
    }
    out->iters[out->n++] = it;
    return true;
}

static bool add_iters(tc_arena *a, const tc_iter *iters, int n,
                      tc_swizzle_walk *w) {
    tc_swizzle sw = w->swizzle;
    int64_t chunk = INT64_C(1) << sw.per_element;
    int64_t period = INT64_C(1)
                     << (sw.per_element + sw.swizzle_len + sw.atom_len);
    int cap = 0;
    w->iters = TC_NEWN(a, tc_swizzle_iter, n + 1);
    for (int i = 0; i < n; i++) {
        int64_t extent = iters[i].extent, stride = iters[i].stride;
        if (stride == 0 || stride % chunk != 0 || extent <= 0) {
            return false;
        }
        if (extent == 1) {
            continue;
        }
        if (is_power(extent)) {
            if (!add_bits(a, extent, stride, &cap, w)) {
                return false;
            }
        } else if (stride % period == 0) {
            w->iters[w->n++] = (tc_swizzle_iter){extent, stride, -1, 0};
        } else {
            return false;
        }
    }
    return true;
}

static bool has_bit(const tc_swizzle_walk *w, int bit, int except) {
    for (int i = 0; i < w->nslots; i++) {
        if (i != except && w->bit[i] == bit) {
            return true;
        }
    }
    return false;
}

/* Distinct bits, (C2), and (C1): each bit is 0 in round 0. */
static bool conditions(tc_arena *a, const tc_swizzle_walk *w, tc_expr *start) {
    int at = (int)w->swizzle.atom_len, len = (int)w->swizzle.swizzle_len;
    for (int i = 0; i < w->nslots; i++) {
        int bit = w->bit[i], shift = bit + (int)w->swizzle.per_element;
        int64_t zero;
        if (has_bit(w, bit, i) || shift > 30 ||
            (bit >= at && bit < at + len && has_bit(w, bit - at, -1))) {
            return false;
        }
        tc_expr *set = by(a, TC_FLOORMOD,
                          by(a, TC_FLOORDIV, start, INT64_C(1) << shift), 2);
        if (!tc_expr_const(tc_simplify(a, set), &zero) || zero != 0) {
            return false;
        }
    }
    return true;
}

bool tc_swizzle_recognize(tc_arena *a, tc_swizzle sw, const tc_iter *iters,
                          int n, tc_expr *start, tc_swizzle_walk *out) {
    *out = (tc_swizzle_walk){.swizzle = sw};
    return sw.inner && sw.per_element + sw.swizzle_len + sw.atom_len < 62 &&
           add_iters(a, iters, n, out) && conditions(a, out, start);
}

/* --- writing ---------------------------------------------------------------*/

/* (1 - bit * 2) * stride: minus the stride where the bit is set. */
static tc_expr *signed_by(tc_arena *a, tc_expr *q, int bit, int64_t stride) {
    tc_expr *twice = by(a, TC_MUL, by(a, TC_BITAND, shifted(a, q, bit), 1), 2);
    return by(a, TC_MUL, tc_binary(a, TC_SUB, tc_int(a, 1), twice), stride);
}

static tc_expr *signed_stride(tc_arena *a, const tc_swizzle_walk *w, int slot,
                              tc_expr *q) {
    int at = (int)w->swizzle.atom_len, len = (int)w->swizzle.swizzle_len;
    int bit = w->bit[slot];
    int64_t stride = w->stride[slot];
    if (bit < len) {
        return signed_by(a, q, at + bit, stride);
    }
    if (bit >= at && bit < at + len) {
        return tc_binary(a, TC_ADD, tc_int(a, stride),
                         signed_by(a, q, bit - at, stride >> at));
    }
    return tc_int(a, stride);
}

void tc_swizzle_begin(const tc_dispatch_ctx *cx, tc_block *b, tc_expr *start,
                      tc_swizzle_walk *w) {
    tc_arena *a = cx->arena;
    w->first = tc_swizzle_of(a, w->swizzle, start);
    if (w->nslots == 0) {
        return;
    }
    w->signs = tc_local_array(cx, b, "buffer", TC_INT32, w->nslots);
    tc_expr *q =
        by(a, TC_FLOORDIV, start, INT64_C(1) << w->swizzle.per_element);
    for (int i = 0; i < w->nslots; i++) {
        tc_expr *index = tc_int(a, i);
        tc_stmt *s =
            tc_store(a, w->signs, &index, 1, signed_stride(a, w, i, q));
        s->span = cx->span;
        tc_block_add(b, s);
    }
}

tc_expr *tc_swizzle_round(tc_arena *a, const tc_swizzle_walk *w, tc_expr *k) {
    tc_expr *at = w->first;
    for (int i = w->n - 1; i >= 0; i--) {
        const tc_swizzle_iter *it = &w->iters[i];
        tc_expr *c = by(a, TC_FLOORMOD, k, it->extent);
        k = by(a, TC_FLOORDIV, k, it->extent);
        if (it->bits < 0) {
            at = tc_binary(a, TC_ADD, at, by(a, TC_MUL, c, it->stride));
        }
        for (int b = 0; b < it->bits; b++) {
            tc_expr *slot = tc_int(a, it->slot + b);
            tc_expr *bit = by(a, TC_BITAND, shifted(a, c, it->bits - 1 - b), 1);
            at = tc_binary(
                a, TC_ADD, at,
                tc_binary(a, TC_MUL, bit, tc_load(a, w->signs, &slot, 1)));
        }
    }
    return at;
}

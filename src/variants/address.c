/* address.c - where a partition's elements are: as numbers, and as exprs. */
#include "variants/partition.h"

#include <stddef.h>

static int64_t offset_of(const tc_layout *l, int64_t x) {
    int64_t sum = 0;
    for (int i = l->nshard - 1; i >= 0; i--) {
        int64_t n = l->shard[i].extent;
        int64_t coord = i > 0 && n > 0 ? x % n : x; /* the first takes all */
        x = n > 0 ? x / n : x;
        if (tc_axis_eq(l->shard[i].axis, tc_axis_m)) {
            sum += coord * l->shard[i].stride;
        }
    }
    return sum + tc_layout_offset_of(l, tc_axis_m);
}

void tc_partition_at(const tc_partition *p, int64_t f, int64_t t, int64_t *g,
                     int64_t *s) {
    int64_t x = (f * p->threads + t) * p->vec;
    *g = offset_of(p->g, x);
    *s = offset_of(p->s, x);
    if (p->has_swizzle) {
        *s = tc_swizzle_apply(p->swizzle, *s);
    }
}

static tc_expr *binary(tc_arena *a, tc_binop op, tc_expr *x, int64_t y) {
    return tc_binary(a, op, x, tc_int_t(a, x->type, y));
}

/* coord split over iterators [from, to), times their strides; only m counts. */
static tc_expr *walk(tc_arena *a, const tc_layout *l, int from, int to,
                     tc_expr *coord, tc_expr *sum) {
    for (int i = to - 1; i >= from; i--) {
        const tc_iter *it = &l->shard[i];
        tc_expr *digit =
            i > from ? binary(a, TC_FLOORMOD, coord, it->extent) : coord;
        coord = i > from ? binary(a, TC_FLOORDIV, coord, it->extent) : coord;
        if (tc_axis_eq(it->axis, tc_axis_m)) {
            sum =
                tc_binary(a, TC_ADD, sum, binary(a, TC_MUL, digit, it->stride));
        }
    }
    return sum;
}

tc_expr *tc_partition_offset(tc_arena *a, const tc_partition *p,
                             const tc_layout *l, tc_expr *base, tc_expr *f,
                             tc_expr *t) {
    tc_layout_ctx lcx = {.arena = a};
    int64_t shape[] = {p->outer, p->threads, p->vec};
    const tc_layout *grouped;
    int *seps;
    tc_expr *sum = tc_int(a, tc_layout_offset_of(l, tc_axis_m));
    if (base != NULL) {
        sum = tc_binary(a, TC_ADD, base, sum);
    }
    if (tc_layout_group(&lcx, l, shape, 3, &grouped, &seps) == TC_LAYOUT_OK) {
        sum = walk(a, grouped, seps[0], seps[1], f, sum);
        sum = walk(a, grouped, seps[1], seps[2], t, sum);
    } else {
        tc_expr *x = tc_binary(a, TC_ADD, binary(a, TC_MUL, f, p->threads), t);
        sum = walk(a, l, 0, l->nshard, binary(a, TC_MUL, x, p->vec), sum);
    }
    return tc_simplify(a, sum);
}

/* TVM unrolls the XOR into a sum of signed strides where it can prove them
 * (copy/_swizzle_iter.py); this is its general form, and the same address. */
tc_expr *tc_swizzle_expr(tc_arena *a, tc_swizzle sw, tc_expr *x) {
    int64_t low = INT64_C(1) << sw.per_element;
    int64_t mask = (INT64_C(1) << sw.swizzle_len) - 1;
    tc_expr *y = binary(a, TC_FLOORDIV, x, low);
    tc_expr *bits;
    if (sw.inner) {
        bits = binary(a, TC_SHR, binary(a, TC_BITAND, y, mask << sw.atom_len),
                      sw.atom_len);
    } else {
        bits = binary(a, TC_SHL, binary(a, TC_BITAND, y, mask), sw.atom_len);
    }
    tc_expr *moved = tc_binary(a, TC_BITXOR, y, bits);
    if (sw.per_element == 0) {
        return moved;
    }
    return tc_binary(a, TC_ADD, binary(a, TC_SHL, moved, sw.per_element),
                     binary(a, TC_FLOORMOD, x, low));
}

/* swizzle_walk.h - a swizzled address that moves with a loop, as TVM writes it
 * (copy/_swizzle_iter.py): the address of round 0, plus a signed stride for
 * each bit of the round's number that flips a bit of the chunk index. */
#ifndef TC_VARIANTS_SWIZZLE_WALK_H
#define TC_VARIANTS_SWIZZLE_WALK_H

#include "dispatch/variant.h"

/* One iterator of the loop. */
typedef struct tc_swizzle_iter {
    int64_t extent, stride;
    int bits; /* its bits; -1: the swizzle does not touch it, stride counts */
    int slot; /* of its highest bit */
} tc_swizzle_iter;

typedef struct tc_swizzle_walk {
    tc_swizzle swizzle;
    tc_swizzle_iter *iters; /* outermost first, those of more than one step */
    int n;
    int *bit;        /* by slot: the chunk bit that flips */
    int64_t *stride; /* by slot, in elements */
    int nslots;
    tc_buffer *signs; /* the strides with their signs, by slot; or NULL */
    tc_expr *first;   /* the swizzled address of round 0 */
} tc_swizzle_walk;

/* True when the pattern holds for every value that `start`, the address of
 * round 0 before the swizzle, can have. iters: n of them, outermost first;
 * only extent and stride are read. */
bool tc_swizzle_recognize(tc_arena *a, tc_swizzle sw, const tc_iter *iters,
                          int n, tc_expr *start, tc_swizzle_walk *out);
/* Writes the signed strides for start into b. */
void tc_swizzle_begin(const tc_dispatch_ctx *cx, tc_block *b, tc_expr *start,
                      tc_swizzle_walk *w);
/* The address in round k. */
tc_expr *tc_swizzle_round(tc_arena *a, const tc_swizzle_walk *w, tc_expr *k);
/* SwizzleLayout.apply, simplified: for any address. */
tc_expr *tc_swizzle_of(tc_arena *a, tc_swizzle sw, tc_expr *x);

#endif

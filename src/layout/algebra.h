/* algebra.h - products of layouts, recognising factors, and the operations
 * that rewrite iterators (TVM 0.25.0 python/tvm/tirx/layout.py and
 * src/tirx/ir/layout). Conventions as in layout.h. */
#ifndef TC_LAYOUT_ALGEBRA_H
#define TC_LAYOUT_ALGEBRA_H

#include "layout/layout.h"

/* --- products --------------------------------------------------------------*/

/* `inner` repeated by `outer`: the outer strides are scaled by inner's span. */
tc_layout_result tc_layout_tile_by(tc_layout_ctx *cx, const tc_layout *inner,
                                   const tc_layout *outer,
                                   const int64_t *outer_shape, int nouter,
                                   const int64_t *inner_shape, int ninner,
                                   const tc_layout **out);
/* Tiled row-major up to to_shape. */
tc_layout_result tc_layout_tile_to(tc_layout_ctx *cx, const tc_layout *l,
                                   const int64_t *to_shape, int nto,
                                   const int64_t *current, int ncurrent,
                                   const tc_layout **out);
/* left + right on interleaved shapes, without scaling. */
tc_layout_result tc_layout_direct_sum(tc_layout_ctx *cx, const tc_layout *right,
                                      const tc_layout *left,
                                      const int64_t *left_shape, int nleft,
                                      const int64_t *right_shape, int nright,
                                      const tc_layout **out);

/* --- factors: NONE where l is not that part of whole -----------------------*/

/* The outer layout, l being the inner one. */
tc_layout_result tc_layout_is_tile_inner(tc_layout_ctx *cx, const tc_layout *l,
                                         const tc_layout *whole,
                                         const int64_t *tiled_shape, int ntiled,
                                         const int64_t *shape, int nshape,
                                         const tc_layout **out);
/* The inner layout, l being the outer one. */
tc_layout_result tc_layout_is_tile_outer(tc_layout_ctx *cx, const tc_layout *l,
                                         const tc_layout *whole,
                                         const int64_t *tiled_shape, int ntiled,
                                         const int64_t *shape, int nshape,
                                         const tc_layout **out);
/* The left addend, l being the right one; `interleaved` has twice the rank. */
tc_layout_result tc_layout_is_direct_sum_right(
    tc_layout_ctx *cx, const tc_layout *l, const tc_layout *whole,
    const int64_t *interleaved, int ninterleaved, const int64_t *shape,
    int nshape, const tc_layout **out);
/* The right addend, l being the left one. */
tc_layout_result
tc_layout_is_direct_sum_left(tc_layout_ctx *cx, const tc_layout *l,
                             const tc_layout *whole, const int64_t *interleaved,
                             int ninterleaved, const int64_t *shape, int nshape,
                             const tc_layout **out);

/* --- rewriting -------------------------------------------------------------*/

/* Without everything that lies on thread axes. */
tc_layout_result tc_layout_storage(tc_layout_ctx *cx, const tc_layout *l,
                                   const tc_layout **out);
/* Each element becomes num contiguous ones, and back. */
tc_layout_result tc_layout_unpack(tc_layout_ctx *cx, const tc_layout *l,
                                  int64_t num, const tc_layout **out);
tc_layout_result tc_layout_pack(tc_layout_ctx *cx, const tc_layout *l,
                                int64_t num, const tc_layout **out);
/* An iterator of stride 0; a position counts as in Python's list.insert,
 * -1 being the end. */
tc_layout_result tc_layout_broadcast(tc_layout_ctx *cx, const tc_layout *l,
                                     int64_t num, int64_t position,
                                     const tc_axis *axis,
                                     const tc_layout **out);
/* Trainium: F in units of 512 elements goes to Bank. */
tc_layout_result tc_layout_to_psum(tc_layout_ctx *cx, const tc_layout *l,
                                   const tc_layout **out);
tc_layout_result tc_layout_is_trainium(tc_layout_ctx *cx, const tc_layout *l,
                                       bool *out);
/* The value of each shard iterator at coord of shape. */
tc_layout_result tc_layout_apply_to_shape(tc_layout_ctx *cx, const tc_layout *l,
                                          const int64_t *coord, int ncoord,
                                          const int64_t *shape, int nshape,
                                          const int64_t **out, int *nout);

#endif

/* helpers.h - TVM's functions that construct a layout: registers and tensor
 * memory of tcgen05, shared memory of TMA and MMA, scale factors, Trainium.
 * Semantics: tvm 0.25.0 python/tvm/tirx/layout.py and
 * backend/cuda/operator/tile_primitive/{tma_utils,gemm_async/tcgen05}.py.
 * A refused argument has the tag bad_argument. */
#ifndef TC_LAYOUT_HELPERS_H
#define TC_LAYOUT_HELPERS_H

#include "layout/layout.h"

/* S[(rows, cols) : (1@tid_in_wg, 1)]. */
tc_layout_result tc_wg_local_layout(tc_layout_ctx *cx, int64_t cols,
                                    int64_t rows, const tc_layout **out);
/* Rows to lanes of tensor memory (PTX ISA, tcgen05 data path layouts D, F). */
tc_layout_result tc_tmem_datapath_layout(tc_layout_ctx *cx,
                                         const char *datapath, int64_t rows,
                                         int64_t cols, const tc_layout **out);
/* Registers of tcgen05.ld/st by its .shape ("32x32b", "16x64b", ...); the
 * element has `bits` bits. */
tc_layout_result tc_tcgen05_atom_layout(tc_layout_ctx *cx, const char *shape,
                                        int64_t rows, int64_t cols, int bits,
                                        const tc_layout **out);

typedef enum tc_swizzle_mode { /* values are TVM's SwizzleMode */
                               TC_SWIZZLE_NONE,
                               TC_SWIZZLE_32B_ATOM,
                               TC_SWIZZLE_64B_ATOM,
                               TC_SWIZZLE_128B_ATOM
} tc_swizzle_mode;
const char *tc_swizzle_mode_name(tc_swizzle_mode mode); /* SWIZZLE_NONE ... */
/* NONE where the layout's swizzle_len is no mode. */
tc_layout_result tc_swizzle_mode_of(const tc_layout *l, tc_swizzle_mode *out);
tc_layout_result tc_mma_atom_layout(tc_layout_ctx *cx, int bits,
                                    tc_swizzle_mode mode,
                                    const tc_layout **out);
tc_layout_result tc_mma_atom_shape(tc_layout_ctx *cx, int bits,
                                   tc_swizzle_mode mode, int64_t out[2]);
/* Also TVM's tma_shared_layout. */
tc_layout_result tc_mma_shared_layout(tc_layout_ctx *cx, int bits,
                                      tc_swizzle_mode mode,
                                      const int64_t *shape, int n,
                                      const tc_layout **out);

/* Scale factors of tcgen05.mma; depth (of a pipeline) NULL: no such dim. */
tc_layout_result tc_sf_smem_layout(tc_layout_ctx *cx, int64_t rows,
                                   int64_t sf_k, int64_t sf_per_mma,
                                   int64_t sf_reuse, const int64_t *depth,
                                   const tc_layout **out);
tc_layout_result tc_sf_tmem_layout(tc_layout_ctx *cx, int64_t rows,
                                   int64_t sf_k, int64_t sf_per_mma,
                                   int64_t sf_reuse, const int64_t *depth,
                                   const tc_layout **out);

/* annotation: a P or F for each entry of shape. */
tc_layout_result tc_trainium_layout(tc_layout_ctx *cx, const char *annotation,
                                    const int64_t *shape, int n, bool psum,
                                    const tc_layout **out);

#endif

/* wgmma.h - products of a warpgroup (PTX ISA 9.7.15): matrices in shared
 * memory.
 */
#ifndef TC_SIM_WGMMA_H
#define TC_SIM_WGMMA_H

#include "sim/isa/mma.h"

/* A matrix in shared memory: rows of A, or columns of B, of 32 bytes of K each;
 * transposed: K rows of 16-byte pieces of the other dimension. */
typedef struct tc_wgmma_source {
    uint32_t start, leading, stride; /* bytes */
    uint32_t base, swizzle;          /* swizzle: bits 62 and 63 */
    bool transposed;
} tc_wgmma_source;

/* 9.7.15.5.1.2.2: the fields of a descriptor. */
tc_wgmma_source tc_wgmma_descriptor(uint64_t bits, bool transposed);
/* Offset in the shared window of the 16 bytes that hold element k (in K) of row
 * or column i, elements of so many bytes; *in: its byte in them. */
uint32_t tc_wgmma_chunk(const tc_wgmma_source *s, uint32_t i, uint32_t k,
                        uint32_t bytes, uint32_t *in);

/* What a warp does at ops that touch registers of wgmma (tcgen05_watch.c). */
void tc_wgmma_touch(tc_warp *w, const tc_ptx_op *op);

#endif

/* wgmma_matrix.c - matrices that wgmma reads from shared memory (PTX ISA
 * 9.7.15.5.1.2): descriptors, canonical layouts, swizzles. */
#include "sim/async/wgmma.h"

tc_wgmma_source tc_wgmma_descriptor(uint64_t bits, bool transposed) {
    return (tc_wgmma_source){.start = (uint32_t)(bits & 0x3fff) << 4,
                             .leading = (uint32_t)(bits >> 16 & 0x3fff) << 4,
                             .stride = (uint32_t)(bits >> 32 & 0x3fff) << 4,
                             .base = (uint32_t)(bits >> 49 & 7),
                             .swizzle = (uint32_t)(bits >> 62),
                             .transposed = transposed};
}

/* Pieces of 16 bytes in a row of the pattern: 128, 64 or 32 bytes. */
static uint32_t pieces_of(const tc_wgmma_source *s) {
    static const uint8_t pieces[] = {1, 8, 4, 2};
    return pieces[s->swizzle];
}

/* A piece's number in its row is flipped by its row's number, in units of 128
 * bytes of the address. */
static uint32_t swizzled(const tc_wgmma_source *s, uint32_t at) {
    uint32_t phase = ((at >> 7) - s->base) & 7;
    return (at ^ (phase & (pieces_of(s) - 1)) << 4) & 0x3ffff;
}

/* Layouts in units of 16 bytes, of core matrices of 8 rows of 16 bytes.
 * K-major: eight rows, then stride; without a swizzle the second piece of K is
 * leading bytes away. Transposed: pieces of a row of the pattern, then leading;
 * eight rows of K, then stride (without a swizzle the two change places). */
uint32_t tc_wgmma_chunk(const tc_wgmma_source *s, uint32_t i, uint32_t k,
                        uint32_t bytes, uint32_t *in) {
    uint32_t per = 16 / bytes, pieces = pieces_of(s), at = s->start;
    if (!s->transposed) {
        uint32_t piece = k / per;
        *in = k % per * bytes;
        at += i % 8 * 16 * pieces + i / 8 * s->stride;
        at += s->swizzle ? piece * 16 : piece * s->leading;
        return swizzled(s, at);
    }
    uint32_t piece = i / per;
    *in = i % per * bytes;
    at += k % 8 * 16 * pieces + piece % pieces * 16;
    at += piece / pieces * (s->swizzle ? s->leading : s->stride);
    at += k / 8 * (s->swizzle ? s->stride : s->leading);
    return swizzled(s, at);
}

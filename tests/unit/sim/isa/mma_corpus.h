/* mma_corpus.h - what a GPU answered to every form of mma_cases.h:
 * tests/gpu/mma-h200.gz, the letters TCMMA1, the number of forms (32 bits),
 * then for each what B held after: MMA_CASES times 4096 bytes. What A and B
 * hold before is mma_corpus_fill's. */
#ifndef MMA_CORPUS_H
#define MMA_CORPUS_H

#include "mma_cases.h"

#define MMA_MAGIC "TCMMA1"
enum { MMA_CASES = 4, MMA_BYTES = 4096, MMA_ALL = MMA_FORMS + WMMA_FORMS };

/* What numbers a case has. */
typedef enum mma_numbers {
    MMA_WHOLE,  /* small integers: every sum is exact */
    MMA_NEAR,   /* floats: magnitudes from 2^-2 to 2^2 */
    MMA_FAR,    /* from 2^-7 to 2^7 */
    MMA_SPECIAL /* infinities, NaN, subnormals among others */
} mma_numbers;

static inline uint32_t mma_hash(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* Exponent bits of a floating-point type. */
static inline unsigned mma_exponent(kind t) {
    return kinds[t].bits == 64     ? 11
           : t == F16 || t == E5M2 ? 5
           : t == E4M3             ? 4
                                   : 8;
}

static inline uint64_t mma_float_bits(kind t, mma_numbers what, uint64_t x) {
    unsigned m = mantissa_of(t), sign = kinds[t].bits - 1;
    unsigned at = t == TF32 ? 23 : m;
    int range = what == MMA_NEAR || t == E4M3 || t == E5M2 ? 5 : 15;
    int e = bias_of(t) - range / 2 + (int)(x >> 56) % range;
    uint64_t fraction = x & ((UINT64_C(1) << at) - 1);
    if (what == MMA_SPECIAL && (x >> 40) % 8 == 0) {
        int top = (1 << mma_exponent(t)) - 1;
        e = (x >> 43) % 4 == 0 ? top : 0;
        fraction = (x >> 45) % 2 ? 0 : fraction;
    }
    return (x >> 55 & 1) << sign | (uint64_t)e << at | fraction;
}

/* Element number i of a matrix of that type. */
static inline uint64_t mma_element(kind t, mma_numbers what, uint32_t i,
                                   uint32_t salt) {
    uint64_t x = (uint64_t)mma_hash(i * 2 + salt * 0x9e3779b9u) << 32 |
                 mma_hash(i * 2 + 1 + salt * 0x85ebca6bu);
    int64_t n = (int64_t)kinds[t].high - kinds[t].low + 1;
    if (mantissa_of(t) == 0 || what == MMA_WHOLE) {
        return encode(t, kinds[t].low + (int64_t)(x >> 8 & 0xffffff) % n);
    }
    return mma_float_bits(t, what, x);
}

/* bytes of out with elements of type t, side by side. */
static inline void mma_elements_fill(kind t, mma_numbers what, uint32_t salt,
                                     uint8_t *out, uint32_t bytes) {
    uint32_t bits = kinds[t].bits;
    for (uint32_t i = 0; i < bytes * 8 / bits; i++) {
        put_bits(out, i * bits, bits, mma_element(t, what, i, salt));
    }
}

static inline void mma_corpus_fill(uint32_t number, mma_numbers what,
                                   uint8_t *a, uint8_t *b) {
    uint32_t salt = number * 16 + what;
    memset(b, 0xee, MMA_BYTES);
    if (number < MMA_FORMS) {
        const mma_form *f = &mma_forms[number];
        for (uint32_t lane = 0; lane < 32; lane++, a += LANE) {
            uint32_t s = (salt * 32 + lane) * 4;
            mma_elements_fill(f->a, what, s, a, AT_B);
            mma_elements_fill(f->b, what, s + 1, a + AT_B, AT_C - AT_B);
            mma_elements_fill(f->c, what, s + 2, a + AT_C, LANE - AT_C);
        }
        return;
    }
    const wmma_form *f = &wmma_forms[number - MMA_FORMS];
    mma_elements_fill(f->t, what, salt * 4, a, MMA_BYTES);
    mma_elements_fill(f->c, what, salt * 4 + 2, b + FROM_C, MMA_BYTES - FROM_C);
}

/* The kernel of a form, free it. */
static inline char *mma_corpus_text(uint32_t number) {
    return number < MMA_FORMS
               ? mma_text(&mma_forms[number])
               : wmma_text(&wmma_forms[number - MMA_FORMS], 0, false);
}

static inline kind mma_corpus_d(uint32_t number) {
    return number < MMA_FORMS ? mma_forms[number].d
                              : wmma_forms[number - MMA_FORMS].d;
}

static inline kind mma_corpus_a(uint32_t number) {
    return number < MMA_FORMS ? mma_forms[number].a
                              : wmma_forms[number - MMA_FORMS].t;
}

#endif

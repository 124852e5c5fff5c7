/* vector.h - vectors of the width that this source file is compiled for:
 * 64 bytes with AVX-512, 32 with AVX2, else 16. A row is several of them. */
#ifndef TC_SIM_FAST_VECTOR_H
#define TC_SIM_FAST_VECTOR_H

#include "sim/fast/entry.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { VB = 64 };
#elif defined(__AVX2__)
enum { VB = 32 };
#else
enum { VB = 16 };
#endif

enum { N32 = VB / 4, N64 = VB / 8, CHUNKS32 = 32 / N32, CHUNKS64 = 32 / N64 };

#define VECTOR(type, name, bytes)                                              \
    typedef type name                                                          \
        __attribute__((vector_size(bytes), aligned(sizeof(type)), may_alias))
VECTOR(uint32_t, u32m, VB); /* in memory, at any row */
VECTOR(uint64_t, u64m, VB);
VECTOR(uint32_t, u32hm, VB / 2);
typedef uint32_t u32v __attribute__((vector_size(VB)));
typedef int32_t s32v __attribute__((vector_size(VB)));
typedef float f32v __attribute__((vector_size(VB)));
typedef uint64_t u64v __attribute__((vector_size(VB)));
typedef int64_t s64v __attribute__((vector_size(VB)));
typedef double f64v __attribute__((vector_size(VB)));
typedef uint32_t u32h __attribute__((vector_size(VB / 2)));
typedef int32_t s32h __attribute__((vector_size(VB / 2)));

#define INLINE static inline __attribute__((always_inline))

#define PICK(m, x, y) (((m) & (x)) | (~(m) & (y)))
#define B32(k)        ((u32v){0} + (uint32_t)(k))
#define B64(k)        ((u64v){0} + (uint64_t)(k))
#define NAN32(x)      ((u32v)((f32v)(x) != (f32v)(x)))
/* A result whose NaNs become 0x7fffffff; bits made without arithmetic. */
#define CANON(r)         canon(r)
#define CANON_BITS(x, r) PICK(NAN32(x), B32(0x7fffffff), r)
#define FLUSH(x)         flush(x)
/* The low bits of a word, as a signed number. */
#define SEXT(x, bits) ((u32v)((s32v)((x) << (32 - (bits))) >> (32 - (bits))))
/* Arithmetic shift; amounts of the width and above count as all but one. */
#define SHRS(x, n, width)                                                      \
    ((u32v)((s32v)(x) >> (s32v)PICK((u32v)((n) < (width)), n, B32((width)-1))))
#define MINMAX(x, y, relation, zero)                                           \
    minmax(x, y, (u32v)((f32v)(x)relation(f32v)(y)), (x)zero(y))

INLINE u32v canon(f32v r) {
    return CANON_BITS(r, (u32v)r);
}

INLINE u32v flush(u32v x) { /* a subnormal becomes zero of its sign */
    u32v tiny = (u32v)((x & 0x7f800000u) == 0);
    return x & (~tiny | 0x80000000u);
}

/* 9.7.3.11: first says that a is the result; equal values (zeros of two
 * signs) give same; one NaN loses against a number. */
INLINE u32v minmax(u32v a, u32v b, u32v first, u32v same) {
    u32v nan_a = NAN32(a), nan_b = NAN32(b);
    u32v r = PICK(first | nan_b, a, b);
    r = PICK((u32v)((f32v)a == (f32v)b), same, r);
    return PICK(nan_a & nan_b, B32(0x7fffffff), r);
}

/* Products of the low words of 64-bit lanes. */
#if defined(__AVX512F__)
#define MULU(x, y) ((u64v)_mm512_mul_epu32((__m512i)(x), (__m512i)(y)))
#define MULS(x, y) ((u64v)_mm512_mul_epi32((__m512i)(x), (__m512i)(y)))
#define FMA32(x, y, z)                                                         \
    ((f32v)_mm512_fmadd_ps((__m512)(x), (__m512)(y), (__m512)(z)))
#define FMA64(x, y, z)                                                         \
    ((f64v)_mm512_fmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(z)))
#elif defined(__AVX2__)
#define FMA64(x, y, z)                                                         \
    ((f64v)_mm256_fmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(z)))
#define MULU(x, y) ((u64v)_mm256_mul_epu32((__m256i)(x), (__m256i)(y)))
#define MULS(x, y) ((u64v)_mm256_mul_epi32((__m256i)(x), (__m256i)(y)))
#define FMA32(x, y, z)                                                         \
    ((f32v)_mm256_fmadd_ps((__m256)(x), (__m256)(y), (__m256)(z)))
#else
#define MULU(x, y) ((x) * (y))
#define MULS(x, y) ((x) * (y))
#endif
#if defined(__AVX2__) && defined(__FMA__)
#define TC_FAST_FMA 1
#endif

INLINE u64v SRA64(u64v a, u64v n) {
    u64v sign = (u64v)((s64v)a < 0);
    return ((a ^ sign) >> n) ^ sign;
}

/* One bit a lane from all-ones or zero lanes. */
INLINE uint32_t bits32(u32v v) {
#if defined(__AVX512F__)
    return (uint32_t)_mm512_movepi32_mask((__m512i)v);
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps((__m256)v);
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)v);
#else
    uint32_t m = 0;
    for (int i = 0; i < N32; i++) {
        m |= (v[i] & 1u) << i;
    }
    return m;
#endif
}

INLINE uint32_t bits64(u64v v) {
#if defined(__AVX512F__)
    return (uint32_t)_mm512_movepi64_mask((__m512i)v);
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_pd((__m256d)v);
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_pd((__m128d)v);
#else
    uint32_t m = 0;
    for (int i = 0; i < N64; i++) {
        m |= (uint32_t)(v[i] & 1u) << i;
    }
    return m;
#endif
}

INLINE u32v get32(const void *row, int chunk) {
    return ((const u32m *)row)[chunk];
}
INLINE u64v get64(const void *row, int chunk) {
    return ((const u64m *)row)[chunk];
}
INLINE u64v getu(const void *row, int chunk) {
    u32h v = ((const u32hm *)row)[chunk];
    return __builtin_convertvector(v, u64v);
}
INLINE u64v gets(const void *row, int chunk) {
    u32h v = ((const u32hm *)row)[chunk];
    return (u64v) __builtin_convertvector((s32h)v, s64v);
}
/* The lanes of a chunk as all ones or zero. */
static const uint32_t bit32[TC_LANES] __attribute__((aligned(64))) = {
#define BITS4(i) 1u << (i), 1u << (i + 1), 1u << (i + 2), 1u << (i + 3)
    BITS4(0),  BITS4(4),  BITS4(8),  BITS4(12),
    BITS4(16), BITS4(20), BITS4(24), BITS4(28)};

INLINE u32v lanes32(uint32_t mask, int chunk) {
    return (u32v)((B32(mask) & get32(bit32, chunk)) != 0);
}
INLINE u64v lanes64(uint32_t mask, int chunk) {
    return (u64v)((B64(mask) & getu(bit32, chunk)) != 0);
}

/* Is any bit set? */
INLINE bool any32(u32v v) {
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)v, (__m512i)v) != 0;
#elif defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#else
    return bits32((u32v)(v != 0)) != 0;
#endif
}

/* Lanes 1 and on of a, and the first of b. */
INLINE u32v following(u32v a, u32v b) {
#if defined(__AVX512F__)
    return __builtin_shufflevector(a, b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                                   13, 14, 15, 16);
#elif defined(__AVX2__)
    return __builtin_shufflevector(a, b, 1, 2, 3, 4, 5, 6, 7, 8);
#else
    return __builtin_shufflevector(a, b, 1, 2, 3, 4);
#endif
}

/* Words at p + at, wherever that is; at < 2^31. */
INLINE u32v gather32(const uint8_t *p, u32v at) {
#if defined(__AVX512F__)
    return (u32v)_mm512_i32gather_epi32((__m512i)at, p, 1);
#elif defined(__AVX2__)
    return (u32v)_mm256_i32gather_epi32((const int *)(const void *)p,
                                        (__m256i)at, 1);
#else
    u32v v;
    for (int i = 0; i < N32; i++) {
        uint32_t word;
        __builtin_memcpy(&word, p + at[i], 4);
        v[i] = word;
    }
    return v;
#endif
}

INLINE u64v gather64(const uint8_t *p, const uint32_t *at) {
    u64v v;
    for (int i = 0; i < N64; i++) {
        uint64_t word;
        __builtin_memcpy(&word, p + at[i], 8);
        v[i] = word;
    }
    return v;
}

INLINE void put32(void *row, int chunk, u32v v) {
    ((u32m *)row)[chunk] = v;
}
INLINE void put64(void *row, int chunk, u64v v) {
    ((u64m *)row)[chunk] = v;
}
INLINE void puth(void *row, int chunk, u64v v) {
    ((u32hm *)row)[chunk] = __builtin_convertvector(v, u32h);
}

#endif

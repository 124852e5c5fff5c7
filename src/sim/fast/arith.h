/* arith.h - arithmetic on vectors that the compiler's operators do not give:
 * division of integers, conversions, square roots, special functions. Results
 * are those of alu/, to the bit. */
#ifndef TC_SIM_FAST_ARITH_H
#define TC_SIM_FAST_ARITH_H

#include "sim/alu/alu.h"
#include "sim/fast/vector.h"
#include <math.h>

typedef float f32h __attribute__((vector_size(VB / 2)));

/* A chunk as two halves of as many lanes as a chunk of 64-bit words has. */
typedef union tc_halves {
    u32v all;
    u32h half[2];
    f32h real[2];
} tc_halves;

INLINE bool any64(u64v v) {
    return any32((u32v)v);
}

/* ---- integers ---- */

/* Floor of a / b; a, b < 2^32. A quotient of such numbers that is no integer
 * is farther from the next one than a double's rounding goes. */
INLINE u64v quotient(u64v a, u64v b) {
    const u64v exponent = B64(UINT64_C(0x4330000000000000));
    const f64v big = (f64v)exponent; /* 2^52 */
    f64v q = ((f64v)(a | exponent) - big) / ((f64v)(b | exponent) - big);
    f64v whole = (q + big) - big;
    whole -= (f64v)((u64v)(whole > q) & (u64v)((f64v){0} + 1.0));
    return (u64v)(whole + big) & UINT32_MAX;
}

INLINE u64v magnitude(u64v a) {
    u64v sign = (u64v)((s64v)a < 0);
    return (a ^ sign) - sign;
}

INLINE u64v divu(u64v a, u64v b) {
    return (u64v)(b == 0) | quotient(a, b);
}

INLINE u64v remu(u64v a, u64v b) {
    return (u64v)(b == 0) | (a - MULU(quotient(a, b), b));
}

INLINE u64v divs(u64v a, u64v b) {
    u64v sign = (u64v)((s64v)(a ^ b) < 0);
    u64v q = quotient(magnitude(a), magnitude(b));
    return (u64v)(b == 0) | ((q ^ sign) - sign);
}

INLINE u64v rems(u64v a, u64v b) {
    u64v sign = (u64v)((s64v)a < 0), x = magnitude(a), y = magnitude(b);
    u64v r = x - MULU(quotient(x, y), y);
    return (u64v)(b == 0) | ((r ^ sign) - sign);
}

INLINE u32v popc(u32v x) {
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return x * 0x01010101u >> 24;
}

INLINE u32v clz(u32v x) {
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return 32 - popc(x);
}

/* 9.7.1.19, unsigned: len bits of a from pos on. */
INLINE u32v field(u32v a, u32v pos, u32v len) {
    pos &= 0xff;
    len &= 0xff;
    u32v keep = ((B32(1) << (len & 31)) - 1) | (u32v)(len > 31);
    return (a >> (pos & 31)) & (u32v)(pos < 32) & keep;
}

/* ---- .f32 and integers ---- */

INLINE u32v s32_of(f32v x) { /* towards zero; clamped; NaN gives 0 */
    u32v r = (u32v) __builtin_convertvector(x, s32v);
    u32v over = (u32v)(x >= 0x1p31f), under = (u32v)(x < -0x1p31f);
    r = PICK(over, B32(INT32_MAX), r);
    r = PICK(under, B32(INT32_MIN), r);
    return r & (u32v)(x == x);
}

INLINE u32v u32_of(f32v x) {
    u32v high = (u32v)(x >= 0x1p31f);
    f32v low = (f32v)PICK(high, (u32v)(x - 0x1p31f), (u32v)x);
    u32v r = (u32v) __builtin_convertvector(low, s32v) ^ (high & 0x80000000u);
    r |= (u32v)(x >= 0x1p32f);
    return r & (u32v)(x > 0);
}

/* The integer next to x in the way of .rni, .rzi, .rmi, .rpi; its sign stays. */
INLINE f32v integral(f32v x, tc_round how) {
    u32v sign = (u32v)x & 0x80000000u;
    f32v size = (f32v)((u32v)x & 0x7fffffffu);
    u32v small = (u32v)(size < 0x1p23f);
    f32v near = (size + 0x1p23f) - 0x1p23f;
    f32v one = (f32v){0} + 1.0f;
    bool away = how == TC_RM || how == TC_RP;
    if (how != TC_RN) {
        near -= (f32v)((u32v)(near > size) & (u32v)one);
    }
    if (away) { /* up in size where the sign is that of the direction */
        u32v way = how == TC_RM ? (u32v)(sign != 0) : (u32v)(sign == 0);
        near += (f32v)((u32v)(near < size) & way & (u32v)one);
    }
    return (f32v)PICK(small, (u32v)near | sign, (u32v)x);
}

/* 9.7.3.8: beyond 2^126 the approximate division by a number gives zero. */
INLINE u32v div_approx(u32v a, u32v b) {
    f32v x = (f32v)a, y = (f32v)(b & 0x7fffffffu);
    u32v huge = (u32v)(y > 0x1p126f) & (u32v)(y < INFINITY) & (u32v)(x == x);
    u32v infinite = (u32v)((a & 0x7fffffffu) == 0x7f800000u);
    u32v zero = (a ^ b) & 0x80000000u;
    u32v r = PICK(infinite, B32(0x7fffffff), zero);
    return PICK(huge, r, CANON(x / (f32v)b));
}

INLINE f32v root(f32v x) {
#if defined(__AVX512F__)
    return (f32v)_mm512_sqrt_ps((__m512)x);
#elif defined(__AVX2__)
    return (f32v)_mm256_sqrt_ps((__m256)x);
#elif defined(__SSE2__)
    return (f32v)_mm_sqrt_ps((__m128)x);
#else
    for (int i = 0; i < N32; i++) {
        x[i] = sqrtf(x[i]);
    }
    return x;
#endif
}

INLINE f64v root64(f64v x) {
#if defined(__AVX512F__)
    return (f64v)_mm512_sqrt_pd((__m512d)x);
#elif defined(__AVX2__)
    return (f64v)_mm256_sqrt_pd((__m256d)x);
#elif defined(__SSE2__)
    return (f64v)_mm_sqrt_pd((__m128d)x);
#else
    for (int i = 0; i < N64; i++) {
        x[i] = sqrt(x[i]);
    }
    return x;
#endif
}

INLINE u32v rsqrt(u32v a) {
    tc_halves v = {.all = a};
    for (int k = 0; k < 2; k++) {
        f64v x = __builtin_convertvector(v.real[k], f64v);
        v.real[k] = __builtin_convertvector(1.0 / root64(x), f32h);
    }
    return CANON((f32v)v.all);
}

/* ---- .f64 ---- */

#define NAN64(x) ((u64v)((f64v)(x) != (f64v)(x)))

/* What a NaN among the results is (alu/float.c, nan64): of the operands that
 * are NaNs the first, quieted. */
INLINE u64v nan_of(u64v r, u64v first, u64v second, u64v third) {
    const u64v quiet = B64(UINT64_C(1) << 51);
    u64v nan = NAN64(r);
    if (!any64(nan)) {
        return r;
    }
    u64v n = B64(UINT64_C(0xfff8000000000000));
    n = PICK(NAN64(third), third | quiet, n);
    n = PICK(NAN64(second), second | quiet, n);
    n = PICK(NAN64(first), first | quiet, n);
    return PICK(nan, n, r);
}

INLINE u64v sign64(u64v a, u64v r) { /* of neg and abs */
    u64v nan = NAN64(a);
    return PICK(nan, a | B64(UINT64_C(1) << 51), r);
}

/* ---- special functions: glibc's vectors, good to 4 units of a double, are
 * rounded to .f32; where that is not enough to round as alu/float.c does, its
 * scalar function decides ---- */

#if defined(__x86_64__) && defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 35)
#define TC_FAST_SPECIAL 1
#endif
#endif

#ifdef TC_FAST_SPECIAL
#if defined(__AVX512F__)
typedef __m512d tc_doubles;
#define SPECIAL_NAME(f) _ZGVeN8v_##f
#elif defined(__AVX2__)
typedef __m256d tc_doubles;
#define SPECIAL_NAME(f) _ZGVdN4v_##f
#else
typedef __m128d tc_doubles;
#define SPECIAL_NAME(f) _ZGVbN2v_##f
#endif

#define SPECIAL(name, f)                                                       \
    tc_doubles SPECIAL_NAME(f)(tc_doubles);                                    \
    static u32v name(u32v a) {                                                 \
        tc_halves v = {.all = a}, low, high;                                   \
        for (int k = 0; k < 2; k++) {                                          \
            f64v x = __builtin_convertvector(v.real[k], f64v);                 \
            f64v y = (f64v)SPECIAL_NAME(f)((tc_doubles)x);                     \
            low.real[k] = __builtin_convertvector(y * (1 - 0x1p-44), f32h);    \
            high.real[k] = __builtin_convertvector(y * (1 + 0x1p-44), f32h);   \
        }                                                                      \
        uint32_t open =                                                        \
            bits32((u32v)((f32v)low.all != (f32v)high.all) | NAN32(low.all));  \
        u32v r = low.all;                                                      \
        for (; open; open &= open - 1) {                                       \
            int i = tc_first_bit(open);                                        \
            r[i] = tc_u32((float)f((double)tc_f32(a[i])));                     \
        }                                                                      \
        return CANON((f32v)r);                                                 \
    }
SPECIAL(sin_of, sin)
SPECIAL(cos_of, cos)
SPECIAL(lg2_of, log2)
SPECIAL(ex2_of, exp2)
SPECIAL(tanh_of, tanh)
#endif

#endif

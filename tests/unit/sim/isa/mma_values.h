/* mma_values.h - elements of matrices as numbers and as bits: small integers,
 * which every type holds exactly. */
#ifndef MMA_VALUES_H
#define MMA_VALUES_H

#include <math.h>
#include <stdint.h>

typedef enum kind {
    F16,
    BF16,
    TF32,
    F32,
    E4M3,
    E5M2,
    S8,
    U8,
    S4,
    U4,
    B1,
    F64,
    S32
} kind;
static const struct {
    const char *name;
    unsigned bits;
    int low, high; /* values that are drawn */
} kinds[] = {
    {"f16", 16, -7, 7},       {"bf16", 16, -7, 7}, {"tf32", 32, -7, 7},
    {"f32", 32, -7, 7},       {"e4m3", 8, -4, 4},  {"e5m2", 8, -4, 4},
    {"s8", 8, -128, 127},     {"u8", 8, 0, 255},   {"s4", 4, -8, 7},
    {"u4", 4, 0, 15},         {"b1", 1, 0, 1},     {"f64", 64, -7, 7},
    {"s32", 32, -9999, 9999},
};

/* ---- elements as bits ---- */

static inline uint64_t encode_float(double x, unsigned mantissa, int bias,
                                    unsigned bits) {
    int e;
    double m = frexp(fabs(x), &e);
    if (x == 0) {
        return 0;
    }
    uint64_t whole = (uint64_t)ldexp(m, (int)mantissa + 1);
    uint64_t field = (uint64_t)(e - 1 + bias) << mantissa;
    uint64_t sign = x < 0 ? UINT64_C(1) << (bits - 1) : 0;
    return sign | (field + whole - (UINT64_C(1) << mantissa));
}

static inline double decode_float(uint64_t v, unsigned mantissa, int bias,
                                  unsigned bits) {
    uint64_t a = v & ((UINT64_C(1) << (bits - 1)) - 1);
    double m = (double)(a & ((UINT64_C(1) << mantissa) - 1));
    int e = (int)(a >> mantissa);
    double x = e == 0 ? 0 : ldexp(1 + ldexp(m, -(int)mantissa), e - bias);
    return v >> (bits - 1) & 1 ? -x : x;
}

static inline unsigned mantissa_of(kind t) {
    static const unsigned m[] = {10, 7, 23, 23, 3, 2, 0, 0, 0, 0, 0, 52, 0};
    return m[t];
}

static inline int bias_of(kind t) {
    static const int b[] = {15, 127, 127, 127, 7, 15, 0, 0, 0, 0, 0, 1023, 0};
    return b[t];
}

static inline uint64_t encode(kind t, int64_t v) {
    if (mantissa_of(t) != 0) {
        return encode_float((double)v, mantissa_of(t), bias_of(t),
                            kinds[t].bits);
    }
    return (uint64_t)v & ((UINT64_C(1) << kinds[t].bits) - 1);
}

static inline int64_t decode(kind t, uint64_t v) {
    if (mantissa_of(t) != 0) {
        return (int64_t)decode_float(v, mantissa_of(t), bias_of(t),
                                     kinds[t].bits);
    }
    return (int32_t)v;
}

static uint32_t seed = 1;
static inline int64_t draw(kind t) {
    seed = seed * 1664525u + 1013904223u;
    int64_t n = kinds[t].high - kinds[t].low + 1;
    return kinds[t].low + (int64_t)(seed >> 8) % n;
}

static inline uint64_t get_bits(const uint8_t *p, uint32_t at_bit, uint32_t n) {
    uint64_t v = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bit = at_bit + i;
        v |= (uint64_t)(p[bit / 8] >> bit % 8 & 1) << i;
    }
    return v;
}

static inline void put_bits(uint8_t *p, uint32_t at_bit, uint32_t n,
                            uint64_t v) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bit = at_bit + i;
        p[bit / 8] = (uint8_t)((p[bit / 8] & ~(1u << bit % 8)) |
                               (v >> i & 1) << bit % 8);
    }
}

#endif

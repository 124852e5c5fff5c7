/* small.c - half, bfloat16, float, double, and integers of 8 and 32 bits. */
#include "runtime/blas/small.h"
#include "runtime/protocol.h"
#include <math.h>
#include <string.h>

uint32_t tc_small_bytes(uint32_t type) {
    static const uint8_t bytes[TC_RT_BLAS_TYPES] = {
        [TC_RT_BLAS_F32] = 4,  [TC_RT_BLAS_F64] = 8, [TC_RT_BLAS_F16] = 2,
        [TC_RT_BLAS_BF16] = 2, [TC_RT_BLAS_S8] = 1,  [TC_RT_BLAS_S32] = 4};
    return type < TC_RT_BLAS_TYPES ? bytes[type] : 0;
}

/* ---- floats of 16 bits: so many of fraction, an exponent with that bias ---- */

typedef struct format {
    int fraction, bias;
} format;

static const format half = {10, 15}, brain = {7, 127};

static double from16(uint16_t h, format f) {
    int most = 2 * f.bias + 1;
    int exponent = h >> f.fraction & most;
    int fraction = h & ((1 << f.fraction) - 1);
    double v = exponent == most ? (fraction ? (double)NAN : (double)INFINITY)
               : exponent       ? ldexp(fraction + (1 << f.fraction),
                                        exponent - f.bias - f.fraction)
                                : ldexp(fraction, 1 - f.bias - f.fraction);
    return h >> 15 ? -v : v;
}

static uint16_t to16(double v, format f) {
    int most = 2 * f.bias + 1, exponent;
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    double x = fabs(v);
    if (isnan(v)) {
        return 0x7FFF;
    }
    frexp(x, &exponent);
    exponent = exponent - 1 < 1 - f.bias ? 1 - f.bias : exponent - 1;
    double units = isinf(x) ? 0 : nearbyint(ldexp(x, f.fraction - exponent));
    if (isinf(x) || exponent > f.bias) {
        return (uint16_t)(sign | most << f.fraction);
    }
    /* units has the leading bit, which carries into the exponent's field */
    uint32_t bits = (uint32_t)(exponent + f.bias - 1) << f.fraction;
    return (uint16_t)(sign | (bits + (uint32_t)units));
}

/* ---- elements ---- */

#define READ(T, expr)                                                          \
    for (int64_t i = at; i < at + n; i++) {                                    \
        T v;                                                                   \
        memcpy(&v, memory + (size_t)i * sizeof v, sizeof v);                   \
        out[i] = (expr);                                                       \
    }                                                                          \
    break

void tc_small_read(uint32_t type, const uint8_t *memory, int64_t at, int64_t n,
                   double *out) {
    switch (type) {
    case TC_RT_BLAS_F32:
        READ(float, (double)v);
    case TC_RT_BLAS_F64:
        READ(double, v);
    case TC_RT_BLAS_F16:
        READ(uint16_t, from16(v, half));
    case TC_RT_BLAS_BF16:
        READ(uint16_t, from16(v, brain));
    case TC_RT_BLAS_S8:
        READ(int8_t, v);
    default:
        READ(int32_t, v);
    }
}

static double bounded(double v, double low, double high) {
    return !(v > low) ? low : v < high ? v : high;
}

#define WRITE(T, expr)                                                         \
    for (int64_t i = at; i < at + n; i++) {                                    \
        double x = in[i];                                                      \
        T v = (T)(expr);                                                       \
        memcpy(memory + (size_t)i * sizeof v, &v, sizeof v);                   \
    }                                                                          \
    break

void tc_small_write(uint32_t type, uint8_t *memory, int64_t at, int64_t n,
                    const double *in) {
    switch (type) {
    case TC_RT_BLAS_F32:
        WRITE(float, x);
    case TC_RT_BLAS_F64:
        WRITE(double, x);
    case TC_RT_BLAS_F16:
        WRITE(uint16_t, to16(x, half));
    case TC_RT_BLAS_BF16:
        WRITE(uint16_t, to16(x, brain));
    case TC_RT_BLAS_S8:
        WRITE(int8_t, nearbyint(bounded(x, -128, 127)));
    default:
        WRITE(int32_t, nearbyint(bounded(x, -2147483648.0, 2147483647.0)));
    }
}

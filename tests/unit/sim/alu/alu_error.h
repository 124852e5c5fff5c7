/* alu_error.h - how far from the exact result the instructions that PTX calls
 * approximate may be, and how far a result is. */
#ifndef TC_TESTS_ALU_ERROR_H
#define TC_TESTS_ALU_ERROR_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The widest of the three errors is allowed: units in the last place of the
 * exact result, a part of it, or a distance; where |x| <= within (0: always).
 * The bounds are those of PTX ISA 9.0; of the gross .ftz.f64 forms it says that
 * the upper 20 bits of the mantissa are approximated. */
typedef struct alu_bound {
    const char *start, *section;
    double ulps, relative, absolute, within;
} alu_bound;

static const alu_bound alu_bounds[] = {
    {"div.approx", "9.7.3.8", 2, 0, 0, 0},
    {"div.full", "9.7.3.8", 2, 0, 0, 0},
    {"rcp.approx.ftz.f64", "9.7.3.14", 0, 0x1p-19, 0, 0},
    {"rcp.approx", "9.7.3.13", 1, 0, 0, 0},
    {"sqrt.approx", "9.7.3.15", 0, 0x1p-23, 0, 0},
    {"rsqrt.approx.ftz.f64", "9.7.3.17", 0, 0x1p-19, 0, 0},
    {"rsqrt.approx.f64", "9.7.3.16", 0, 0x1p-19, 0, 0},
    {"rsqrt.approx", "9.7.3.16", 0, 0x1.125fbee25p-23, 0, 0},  /* 2^-22.9 */
    {"sin.approx", "9.7.3.18", 0, 0, 0x1.6a09e667fp-21, 6.28}, /* 2^-20.5 */
    {"cos.approx", "9.7.3.19", 0, 0, 0x1.6a09e667fp-21, 6.28},
    {"lg2.approx", "9.7.3.20", 0, 0x1p-22, 0x1p-22, 0},
    {"ex2.approx.ftz.bf16", "9.7.4.10", 0, 0x1p-7, 0, 0},
    {"ex2.approx.f16", "9.7.4.10", 0, 0x1.125fbee25p-10, 0x1p-24, 0},
    {"ex2.approx", "9.7.3.21", 2, 0, 0, 0},
    {"tanh.approx.bf16", "9.7.4.9", 0, 0, 0x1p-8, 0},
    {"tanh.approx.f16", "9.7.4.9", 0, 0, 0x1.0251p-11, 0}, /* 2^-10.987 */
    {"tanh.approx.f32", "9.7.3.22", 0, 0x1p-11, 0, 0}};

static inline const alu_bound *alu_bound_of(const char *text) {
    size_t n = sizeof alu_bounds / sizeof *alu_bounds;
    for (size_t i = 0; i < n; i++) {
        const char *s = alu_bounds[i].start;
        if (strncmp(text, s, strlen(s)) == 0) {
            return &alu_bounds[i];
        }
    }
    return NULL;
}

typedef struct alu_format {
    int bits, mantissa, elements;
} alu_format;

static inline alu_format alu_format_of(const char *text) {
    int elements = strstr(text, "x2 ") != NULL ? 2 : 1;
    return strstr(text, "bf16") != NULL  ? (alu_format){16, 7, elements}
           : strstr(text, "f16") != NULL ? (alu_format){16, 10, elements}
           : strstr(text, "f64") != NULL ? (alu_format){64, 52, 1}
                                         : (alu_format){32, 23, 1};
}

static inline uint64_t alu_element(uint64_t v, alu_format f, int i) {
    return f.bits == 64 ? v : v >> f.bits * i & ((UINT64_C(1) << f.bits) - 1);
}

static inline double alu_value(uint64_t u, alu_format f) {
    int exponent_bits = f.bits - 1 - f.mantissa;
    int top = (1 << exponent_bits) - 1, bias = top >> 1;
    int e = (int)(u >> f.mantissa) & top;
    uint64_t m = u & ((UINT64_C(1) << f.mantissa) - 1);
    double sign = (u >> (f.bits - 1) & 1) != 0 ? -1.0 : 1.0;
    if (e == top) {
        return sign * (m != 0 ? (double)NAN : INFINITY);
    }
    uint64_t whole = e == 0 ? m : m | UINT64_C(1) << f.mantissa;
    return sign * ldexp((double)whole, (e == 0 ? 1 : e) - bias - f.mantissa);
}

/* Steps between two numbers of a format. */
static inline uint64_t alu_steps(uint64_t a, uint64_t b, alu_format f) {
    uint64_t sign = UINT64_C(1) << (f.bits - 1), low = sign - 1;
    uint64_t x = a & low, y = b & low;
    return ((a ^ b) & sign) != 0 ? x + y : x > y ? x - y : y - x;
}

/* A unit in the last place of the format at a value. */
static inline double alu_ulp(double v, alu_format f) {
    int exponent_bits = f.bits - 1 - f.mantissa, e = 0;
    int least = 2 - (1 << (exponent_bits - 1));
    frexp(v, &e);
    return ldexp(1.0, (e - 1 < least ? least : e - 1) - f.mantissa);
}

static inline double alu_exact(const char *text, double x, double y) {
    switch (text[0]) {
    case 'd':
        return x / y;
    case 's':
        return text[1] == 'q' ? sqrt(x) : sin(x);
    case 'c':
        return cos(x);
    case 'l':
        return log2(x);
    case 'e':
        return exp2(x);
    case 't':
        return tanh(x);
    default:
        return text[1] == 'c' ? 1.0 / x : 1.0 / sqrt(x);
    }
}

/* Operand or result as the instruction takes and makes it. */
static inline uint64_t alu_flushed(uint64_t u, alu_format f, const char *text) {
    uint64_t sign = UINT64_C(1) << (f.bits - 1);
    bool ftz = strstr(text, ".ftz") != NULL;
    return ftz && (u & (sign - 1)) >> f.mantissa == 0 ? u & sign : u;
}

/* Is a result of x and y, not equal to the exact one, allowed? */
static inline bool alu_allowed(const char *text, const alu_bound *b,
                               alu_format f, double x, double y, uint64_t u) {
    double exact = alu_exact(text, x, y), got = alu_value(u, f);
    if (b->within != 0 && fabs(x) > b->within) {
        return fabs(got) <= 1.0;
    }
    if (exact != exact || isinf(exact) || isinf(got) || got != got) {
        return false;
    }
    double most = b->ulps * alu_ulp(exact, f);
    most = fmax(most, fmax(b->relative * fabs(exact), b->absolute));
    return fabs(got - exact) <= most;
}

#endif

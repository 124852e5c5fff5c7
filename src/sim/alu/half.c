/* half.c - .f16, .bf16 and their pairs (PTX ISA 9.7.4, 5.2.3), and exact
 * rounding to any floating-point format.
 *
 * An operation is done on doubles, with what a double cannot hold folded into
 * its last bit (rounding to odd), and is then rounded once to the format. */
#include "sim/alu/alu.h"

#include <math.h>

typedef struct half_format {
    int bits, mantissa; /* stored bits of the mantissa */
    uint64_t nan;       /* the canonical one */
} half_format;

static half_format format_of(tc_ptx_type t) {
    switch (t) {
    case TC_PT_F16:
    case TC_PT_F16X2:
        return (half_format){16, 10, 0x7fff};
    case TC_PT_BF16:
    case TC_PT_BF16X2:
        return (half_format){16, 7, 0x7fff};
    case TC_PT_F32:
        return (half_format){32, 23, 0x7fffffff};
    default:
        return (half_format){64, 52, UINT64_C(0xfff8000000000000)};
    }
}

tc_round tc_round_of(uint32_t flags) {
    return (flags & (TC_PM_RZ | TC_PM_RZI)) != 0   ? TC_RZ
           : (flags & (TC_PM_RM | TC_PM_RMI)) != 0 ? TC_RM
           : (flags & (TC_PM_RP | TC_PM_RPI)) != 0 ? TC_RP
                                                   : TC_RN;
}

/* Does a magnitude q with a rest go up? half: the rest against one half, as
 * -1, 0, 1; the rest is not zero. */
static bool goes_up(tc_round r, bool neg, uint64_t q, int half) {
    switch (r) {
    case TC_RZ:
        return false;
    case TC_RM:
        return neg;
    case TC_RP:
        return !neg;
    default:
        return half > 0 || (half == 0 && (q & 1) != 0);
    }
}

uint64_t tc_alu_pack(tc_ptx_type t, bool neg, uint64_t m, int e, bool sticky,
                     tc_round r) {
    half_format f = format_of(t);
    int exponent_bits = f.bits - 1 - f.mantissa;
    int bias = (1 << (exponent_bits - 1)) - 1, top = 2 * bias + 1;
    uint64_t sign = (uint64_t)neg << (f.bits - 1);
    if (m == 0) {
        return sign;
    }
    int zeros = __builtin_clzll(m);
    m <<= zeros;
    int place = e - zeros + 63 + bias; /* biased exponent of the top bit */
    int shift = 63 - f.mantissa + (place < 1 ? 1 - place : 0);
    uint64_t q = shift < 64 ? m >> shift : 0;
    uint64_t rest = shift < 64 ? m << (64 - shift) : m;
    int half = shift > 64 ? -1 : rest >> 63 == 0 ? -1 : rest << 1 != 0;
    half = half == 0 && sticky ? 1 : half;
    if ((rest != 0 || sticky) && goes_up(r, neg, q, half)) {
        q++;
    }
    /* The leading one of q adds itself to the exponent field. */
    uint64_t field = place < 1 ? 0 : (uint64_t)(place - 1);
    uint64_t all = (field << f.mantissa) + q;
    uint64_t inf = (uint64_t)top << f.mantissa;
    if (place >= top || all >= inf) {
        bool to_inf = r == TC_RN || (r == TC_RM && neg) || (r == TC_RP && !neg);
        all = to_inf ? inf : inf - 1;
    }
    return sign | all;
}

uint64_t tc_pack_double(tc_ptx_type t, double x, tc_round r) {
    half_format f = format_of(t);
    uint64_t u = tc_u64(x);
    bool neg = u >> 63 != 0;
    int e = (int)(u >> 52 & 0x7ff);
    uint64_t m = u & (((uint64_t)1 << 52) - 1);
    if (e == 0x7ff) {
        int exponent_bits = f.bits - 1 - f.mantissa;
        uint64_t inf = (((uint64_t)1 << exponent_bits) - 1) << f.mantissa;
        return m != 0 ? f.nan : ((uint64_t)neg << (f.bits - 1)) | inf;
    }
    m |= e != 0 ? (uint64_t)1 << 52 : 0;
    return tc_alu_pack(t, neg, m, (e != 0 ? e : 1) - 1075, false, r);
}

double tc_alu_unpack(tc_ptx_type t, uint64_t bits) {
    if (t == TC_PT_F64) {
        return tc_f64(bits);
    }
    if (t == TC_PT_F32) {
        return (double)tc_f32((uint32_t)bits);
    }
    if (t == TC_PT_BF16) {
        return (double)tc_f32((uint32_t)(bits & 0xffff) << 16);
    }
    int e = (int)(bits >> 10 & 0x1f);
    double m = (double)(bits & 0x3ff);
    double v = e == 31  ? (m != 0 ? NAN : INFINITY)
               : e == 0 ? ldexp(m, -24)
                        : ldexp(m + 1024, e - 25);
    return (bits & 0x8000) != 0 ? -v : v;
}

uint64_t tc_nan_resize(tc_ptx_type from, tc_ptx_type to, uint64_t v) {
    half_format f = format_of(from), t = format_of(to);
    uint64_t sign = v >> (f.bits - 1) & 1;
    uint64_t payload = v << (64 - f.mantissa); /* from the top bit down */
    payload |= (uint64_t)1 << 63;              /* quiet */
    int exponent_bits = t.bits - 1 - t.mantissa;
    uint64_t exponent = ((uint64_t)1 << exponent_bits) - 1;
    return sign << (t.bits - 1) | exponent << t.mantissa |
           payload >> (64 - t.mantissa);
}

/* x + y rounded to odd: the last bit says that the sum is not exact. */
static double add_odd(double x, double y) {
    double s = x + y;
    if (!isfinite(s) || s == 0) {
        return s;
    }
    double b = s - x;
    double error = (x - (s - b)) + (y - b);
    if (error == 0) {
        return s;
    }
    uint64_t u = tc_u64(s);
    u = (error > 0) == (s > 0) ? u : u - 1;
    return tc_f64(u | 1);
}

typedef enum half_op {
    ADD,
    SUB,
    MUL,
    FMA,
    MIN,
    MAX,
    ABS,
    NEG,
    EX2,
    TANH
} half_op;

/* 9.7.4.9, 9.7.4.10: as for .f32. */
static uint32_t pick(tc_ptx_type t, uint32_t flags, uint32_t a, uint32_t b,
                     bool most) {
    double x = tc_alu_unpack(t, a), y = tc_alu_unpack(t, b);
    if (x != x || y != y) {
        bool both = x != x && y != y;
        return both || (flags & TC_PM_NAN) != 0 ? 0x7fffu : x != x ? b : a;
    }
    if (x == y) {
        return most ? (a & b) : (a | b);
    }
    return (x < y) != most ? a : b;
}

static uint32_t flush16(uint32_t u) {
    return (u & 0x7c00u) == 0 ? u & 0x8000u : u;
}

static double saturated(double r) {
    return r > 1 ? 1 : r > 0 ? r : 0;
}

static uint32_t one(tc_ptx_type t, half_op op, uint32_t flags, uint32_t a,
                    uint32_t b, uint32_t c) {
    bool ftz = (flags & TC_PM_FTZ) != 0 && t == TC_PT_F16;
    if (ftz) {
        a = flush16(a);
        b = flush16(b);
        c = flush16(c);
    }
    double x = tc_alu_unpack(t, a), y = tc_alu_unpack(t, b), r;
    switch (op) {
    case ADD:
        r = add_odd(x, y);
        break;
    case SUB:
        r = add_odd(x, -y);
        break;
    case MUL:
        r = x * y; /* exact */
        break;
    case FMA:
        r = add_odd(x * y, tc_alu_unpack(t, c));
        break;
    case MIN:
    case MAX:
        return pick(t, flags, a, b, op == MAX);
    case ABS:
        return x != x ? 0x7fffu : a & 0x7fffu;
    case NEG:
        return x != x ? 0x7fffu : a ^ 0x8000u;
    case TANH:
        r = tanh(x);
        break;
    default: /* approximate: the correctly rounded result */
        r = exp2(x);
        break;
    }
    r = (flags & TC_PM_SAT) != 0 ? saturated(r) : r;
    if (ftz && fabs(r) < 0x1p-14) { /* tiny before it is rounded: flushed */
        r = copysign(0.0, r);
    }
    return (uint32_t)tc_pack_double(t, r, tc_round_of(flags));
}

static void halves(tc_ptx_type t, half_op op, uint32_t flags,
                   uint32_t *restrict d, const uint32_t *a, const uint32_t *b,
                   const uint32_t *c) {
    for (int i = 0; i < TC_LANES; i++) {
        d[i] = one(t, op, flags, a[i] & 0xffff, b[i] & 0xffff, c[i] & 0xffff);
    }
}

static void pairs(tc_ptx_type t, half_op op, uint32_t flags,
                  uint32_t *restrict d, const uint32_t *a, const uint32_t *b,
                  const uint32_t *c) {
    for (int i = 0; i < TC_LANES; i++) {
        uint32_t low =
            one(t, op, flags, a[i] & 0xffff, b[i] & 0xffff, c[i] & 0xffff);
        uint32_t high = one(t, op, flags, a[i] >> 16, b[i] >> 16, c[i] >> 16);
        d[i] = high << 16 | low;
    }
}

#define KERNEL(name, loop, type, op)                                           \
    void name(uint32_t flags, uint32_t *restrict d, const uint32_t *a,         \
              const uint32_t *b, const uint32_t *c) {                          \
        loop(type, op, flags, d, a, b, c);                                     \
    }
#define KERNELS(name, op)                                                      \
    KERNEL(tc_half_##name, halves, TC_PT_F16, op)                              \
    KERNEL(tc_half2_##name, pairs, TC_PT_F16, op)                              \
    KERNEL(tc_bhalf_##name, halves, TC_PT_BF16, op)                            \
    KERNEL(tc_bhalf2_##name, pairs, TC_PT_BF16, op)
KERNELS(add, ADD)
KERNELS(sub, SUB)
KERNELS(mul, MUL)
KERNELS(fma, FMA)
KERNELS(min, MIN)
KERNELS(max, MAX)
KERNELS(abs, ABS)
KERNELS(neg, NEG)
KERNELS(ex2, EX2)
KERNELS(tanh, TANH)

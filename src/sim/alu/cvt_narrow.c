/* cvt_narrow.c - cvt to and from the formats that only cvt has, the narrowings
 * with .relu, .satfinite or .rs, and cvt.pack (PTX ISA 5.2.3, 9.7.9.21,
 * 9.7.9.22). A small float is a sign, an exponent and a mantissa in its low
 * bits; which of them have infinities and NaNs differs. */
#include "sim/alu/alu.h"
#include "sim/core/run.h"

#include <math.h>

typedef struct narrow_format {
    int exponent, mantissa; /* bits */
    int bias;
    uint32_t most;     /* largest magnitude that is finite */
    uint32_t inf, nan; /* 0: it has none */
} narrow_format;

static narrow_format format_of(uint8_t type) {
    switch (type) {
    case TC_PT_F16:
    case TC_PT_F16X2:
        return (narrow_format){5, 10, 15, 0x7bff, 0x7c00, 0x7fff};
    case TC_PT_BF16:
    case TC_PT_BF16X2:
        return (narrow_format){8, 7, 127, 0x7f7f, 0x7f80, 0x7fff};
    case TC_PT_TF32:
        return (narrow_format){8, 10, 127, 0x3fbff, 0x3fc00, 0x3ffff};
    case TC_PT_E4M3X2:
    case TC_PT_E4M3X4:
        return (narrow_format){4, 3, 7, 0x7e, 0, 0x7f};
    case TC_PT_E5M2X2:
    case TC_PT_E5M2X4:
        return (narrow_format){5, 2, 15, 0x7b, 0x7c, 0x7f};
    case TC_PT_E2M3X2:
    case TC_PT_E2M3X4:
        return (narrow_format){2, 3, 1, 0x1f, 0, 0};
    case TC_PT_E3M2X2:
    case TC_PT_E3M2X4:
        return (narrow_format){3, 2, 3, 0x1f, 0, 0};
    default: /* .e2m1 */
        return (narrow_format){2, 1, 1, 0x7, 0, 0};
    }
}

typedef enum how { NEAREST, AWAY, ZERO, RANDOM } how;

typedef struct rounding {
    how how;
    bool relu, satfinite;
    uint32_t bits, nbits; /* RANDOM: added to that many of the cut-off ones */
} rounding;

static rounding rounding_of(const tc_ptx_op *op) {
    how h = (op->more & TC_PX_RNA) != 0   ? AWAY
            : (op->more & TC_PX_RS) != 0  ? RANDOM
            : (op->flags & TC_PM_RZ) != 0 ? ZERO
                                          : NEAREST;
    return (rounding){h, (op->more & TC_PX_RELU) != 0,
                      (op->more & TC_PX_SATFINITE) != 0, 0, 0};
}

/* q and the bits cut off below it, left-aligned in rest. */
static bool goes_up(rounding r, uint64_t q, uint64_t rest) {
    uint64_t half = (uint64_t)1 << 63;
    switch (r.how) {
    case ZERO:
        return false;
    case AWAY:
        return rest >= half;
    case RANDOM:
        return (rest >> (64 - r.nbits)) + r.bits >= (uint64_t)1 << r.nbits;
    default:
        return rest > half || (rest == half && (q & 1) != 0);
    }
}

/* A finite .f32 magnitude in the format; beyond the largest: all ones. */
static uint32_t magnitude(narrow_format f, uint32_t u, rounding r) {
    uint32_t e = u >> 23 & 0xff;
    uint64_t m = u & 0x7fffff;
    if (e == 0 && m == 0) {
        return 0;
    }
    m |= e != 0 ? 0x800000 : 0;
    e = e != 0 ? e : 1;
    while (m < 0x800000) { /* subnormal: at most 23 steps */
        m <<= 1;
        e--;
    }
    int place = (int32_t)e - 127 + f.bias;
    int shift = 23 - f.mantissa + (place < 1 ? 1 - place : 0);
    uint64_t q = shift < 64 ? m >> shift : 0;
    uint64_t rest = shift < 64 ? m << (64 - shift) : 0;
    if (shift >= 64) {
        return 0; /* far below the least: even random bits do not reach it */
    }
    q += goes_up(r, q, rest);
    uint64_t field = place < 1 ? 0 : (uint64_t)(place - 1);
    uint64_t all = (field << f.mantissa) + q;
    return all > f.most ? UINT32_MAX : (uint32_t)all;
}

/* A .f32 in the format. Without an infinity or a NaN to go to, the largest
 * number stands for them. */
static uint32_t narrowed(narrow_format f, uint32_t u, rounding r) {
    uint32_t sign = u >> 31 << (f.exponent + f.mantissa);
    uint32_t a = u & 0x7fffffffu;
    if (a > 0x7f800000u) {
        return f.nan != 0 ? f.nan : f.most;
    }
    if (r.relu && sign != 0) {
        return 0;
    }
    uint32_t v = a == 0x7f800000u ? UINT32_MAX : magnitude(f, a, r);
    if (v != UINT32_MAX) {
        return sign | v;
    }
    bool keeps = r.how == ZERO && a != 0x7f800000u;
    return sign | (r.satfinite || f.inf == 0 || keeps ? f.most : f.inf);
}

/* A small float as .f16 bits: all of them are exact there. */
static uint32_t widened(narrow_format f, uint32_t v, bool relu) {
    int bits = f.exponent + f.mantissa;
    uint32_t a = v & ((1u << bits) - 1);
    bool neg = (v >> bits & 1u) != 0;
    if (f.nan != 0 && a > (f.inf != 0 ? f.inf : f.most)) {
        return 0x7fff;
    }
    if (relu && neg) {
        return 0;
    }
    uint32_t sign = neg ? 0x8000u : 0;
    if (f.inf != 0 && a == f.inf) {
        return sign | 0x7c00u;
    }
    uint32_t e = a >> f.mantissa, m = a & ((1u << f.mantissa) - 1);
    double x = e == 0 ? ldexp((double)m, 1 - f.bias - f.mantissa)
                      : ldexp((double)(m + (1u << f.mantissa)),
                              (int)e - f.bias - f.mantissa);
    return sign | (uint32_t)tc_pack_double(TC_PT_F16, x, TC_RN);
}

/* .ue8m0: a power of two, 0xff for what is none. The sign is not looked at. */
static uint32_t power(uint32_t u, bool up, bool satfinite) {
    uint32_t e = u >> 23 & 0xff, m = u & 0x7fffff;
    if (e == 0xff) {
        return m == 0 && satfinite ? 0xfe : 0xff;
    }
    if (e == 0) { /* 2^-127 is half of the least normal .f32 */
        return up && m > 0x400000;
    }
    e += up && m != 0;
    return e == 0xff && satfinite ? 0xfe : e;
}

static uint32_t f32_of(uint8_t type, uint32_t half) {
    bool bf = type == TC_PT_BF16X2;
    return bf ? half << 16 : tc_u32((float)tc_alu_unpack(TC_PT_F16, half));
}

static unsigned element_bits(uint8_t type) {
    return type == TC_PT_TF32                             ? 32
           : type <= TC_PT_BF16X2                         ? 16
           : type == TC_PT_E2M1X2 || type == TC_PT_E2M1X4 ? 4
                                                          : 8;
}

/* Two sources (or the halves of one) to two elements, the first one above. */
static uint32_t pair(const tc_ptx_op *op, uint32_t a, uint32_t b,
                     uint32_t random) {
    rounding r = rounding_of(op), r2;
    if (op->type2 != TC_PT_F32) {
        b = f32_of(op->type2, a & 0xffff);
        a = f32_of(op->type2, a >> 16);
    }
    if (op->type == TC_PT_UE8M0X2) {
        bool up = (op->flags & TC_PM_RP) != 0;
        return power(a, up, r.satfinite) << 8 | power(b, up, r.satfinite);
    }
    r2 = r;
    if (r.how == RANDOM) {
        r.nbits = r2.nbits = op->type == TC_PT_F16X2 ? 13 : 16;
        r.bits = random >> 16 & ((1u << r.nbits) - 1);
        r2.bits = random & ((1u << r.nbits) - 1);
    }
    narrow_format f = format_of(op->type);
    return narrowed(f, a, r) << element_bits(op->type) | narrowed(f, b, r2);
}

static void to_pair(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t ta[TC_LANES], tb[TC_LANES], tr[TC_LANES], d[TC_LANES];
    bool two = op->type2 == TC_PT_F32 && op->a[2].kind != TC_PO_NONE;
    bool rs = (op->more & TC_PX_RS) != 0;
    const uint32_t *a = tc_src32(w, &op->a[1], ta);
    const uint32_t *b = two ? tc_src32(w, &op->a[2], tb) : a;
    const uint32_t *r = rs ? tc_src32(w, &op->a[3], tr) : a;
    for (int i = 0; i < TC_LANES; i++) {
        d[i] = pair(op, a[i], b[i], r[i]);
    }
    tc_put32(w, &op->a[0], d, mask);
}

/* { a, b, e, f } from the highest element down. e and f take the lower half of
 * the random bits, a and b the upper one; of .e2m1x4 the lower or upper bytes
 * of both halves. */
static void to_four(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    const tc_ptx_operand *e = w->cta->run->module->vec + op->a[1].slot;
    uint32_t tmp[TC_LANES], tr[TC_LANES], d[TC_LANES] = {0};
    const uint32_t *random = tc_src32(w, &op->a[2], tr);
    narrow_format f = format_of(op->type);
    unsigned bits = element_bits(op->type);
    for (unsigned k = 0; k < 4; k++) {
        const uint32_t *v = tc_src32(w, &e[k], tmp);
        bool upper = k < 2;
        for (int i = 0; i < TC_LANES; i++) {
            rounding r = rounding_of(op);
            uint32_t x = random[i];
            r.nbits = 16;
            r.bits = bits == 4 ? (upper ? (x >> 24 << 8 | (x >> 8 & 0xff))
                                        : ((x >> 16 & 0xff) << 8 | (x & 0xff)))
                     : upper   ? x >> 16
                               : x & 0xffff;
            d[i] |= narrowed(f, v[i], r) << (bits * (3 - k));
        }
    }
    tc_put32(w, &op->a[0], d, mask);
}

static void from_pair(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t ta[TC_LANES], d[TC_LANES];
    const uint32_t *a = tc_src32(w, &op->a[1], ta);
    unsigned bits = element_bits(op->type2);
    uint32_t keep = (1u << bits) - 1;
    bool relu = (op->more & TC_PX_RELU) != 0;
    narrow_format f = format_of(op->type2);
    for (int i = 0; i < TC_LANES; i++) {
        uint32_t lo = a[i] & keep, hi = a[i] >> bits & keep;
        if (op->type2 == TC_PT_UE8M0X2) { /* 2^-127 is a subnormal .bf16 */
            lo = lo == 0xff ? 0x7fff : lo == 0 ? 0x40 : lo << 7;
            hi = hi == 0xff ? 0x7fff : hi == 0 ? 0x40 : hi << 7;
        } else {
            lo = widened(f, lo, relu);
            hi = widened(f, hi, relu);
        }
        d[i] = hi << 16 | lo;
    }
    tc_put32(w, &op->a[0], d, mask);
}

static bool is_nan(uint32_t u) {
    return (u & 0x7fffffffu) > 0x7f800000u;
}

/* A NaN under .rna, as an H200 makes it (PTX leaves it open): its low bits go,
 * whatever is left; .satfinite then takes the next number towards zero. */
static uint32_t tf32_nan(uint32_t u, rounding r) {
    return (u & ~0x1fffu) - (r.satfinite ? 0x2000u : 0);
}

/* One .f32 to .f16, .bf16 or .tf32, whose low 13 bits are zero. */
static void to_one(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t ta[TC_LANES], d[TC_LANES];
    const uint32_t *a = tc_src32(w, &op->a[1], ta);
    rounding r = rounding_of(op);
    narrow_format f = format_of(op->type);
    for (int i = 0; i < TC_LANES; i++) {
        d[i] = narrowed(f, a[i], r);
        if (op->type == TC_PT_TF32) {
            d[i] =
                r.how == AWAY && is_nan(a[i]) ? tf32_nan(a[i], r) : d[i] << 13;
        }
    }
    tc_put32(w, &op->a[0], d, mask);
}

void tc_cvt_small(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    bool from = op->type2 > TC_PT_TF32;
    bool one = op->type == TC_PT_F16 || op->type == TC_PT_BF16 ||
               op->type == TC_PT_TF32;
    if (from) {
        from_pair(w, op, mask);
    } else if (one) {
        to_one(w, op, mask);
    } else if (op->a[1].kind == TC_PO_VECTOR) {
        to_four(w, op, mask);
    } else {
        to_pair(w, op, mask);
    }
}

/* 9.7.9.22: clamped to the type; b lowest, then a, then c shifted up. */
static uint32_t packed(uint8_t type, int32_t a, int32_t b, uint32_t c) {
    static const uint8_t sizes[TC_PT_COUNT] = {
        [TC_PT_U16] = 16, [TC_PT_S16] = 16, [TC_PT_U8] = 8, [TC_PT_S8] = 8,
        [TC_PT_U4] = 4,   [TC_PT_S4] = 4,   [TC_PT_U2] = 2, [TC_PT_S2] = 2};
    unsigned bits = sizes[type];
    bool sign = type == TC_PT_S16 || type == TC_PT_S8 || type == TC_PT_S4 ||
                type == TC_PT_S2;
    int32_t most = (1 << (bits - (sign ? 1 : 0))) - 1;
    int32_t least = sign ? -most - 1 : 0;
    a = a > most ? most : a < least ? least : a;
    b = b > most ? most : b < least ? least : b;
    uint32_t keep = (1u << bits) - 1;
    uint32_t d = ((uint32_t)a & keep) << bits | ((uint32_t)b & keep);
    return bits == 16 ? d : d | c << (2 * bits);
}

void tc_sim_op_CVT_PACK(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t tmp[3][TC_LANES], d[TC_LANES];
    const uint32_t *a = tc_src32(w, &op->a[1], tmp[0]);
    const uint32_t *b = tc_src32(w, &op->a[2], tmp[1]);
    const uint32_t *c = tc_src32(w, &op->a[3], tmp[2]);
    for (int i = 0; i < TC_LANES; i++) {
        d[i] = packed(op->type, (int32_t)a[i], (int32_t)b[i], c[i]);
    }
    tc_put32(w, &op->a[0], d, mask);
}

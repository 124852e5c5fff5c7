/* cvt.c - cvt (PTX ISA 9.7.9.21): every pair of integer, .f16, .bf16, .f32
 * and .f64, with its rounding and saturation. */
#include "sim/alu/alu.h"

#include <math.h>

typedef struct cvt_kind { /* of a type */
    int bits;
    bool is_float, is_signed;
} cvt_kind;

static cvt_kind kind_of(uint8_t t) {
    int bits = tc_ptx_type_bytes[t] * 8;
    bool is_float = t >= TC_PT_F16 && t <= TC_PT_F64;
    bool is_signed = t >= TC_PT_S8 && t <= TC_PT_S64;
    return (cvt_kind){bits, is_float, is_signed};
}

static uint64_t low(uint64_t v, int bits) {
    return bits == 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

/* The integer of a type in v's low bits, sign- or zero-extended. */
static uint64_t extended(uint64_t v, cvt_kind k) {
    v = low(v, k.bits);
    uint64_t sign = (uint64_t)1 << (k.bits - 1);
    return k.is_signed ? (v ^ sign) - sign : v;
}

/* .sat between integers: what the destination cannot hold is clamped. */
static uint64_t clamp(uint64_t v, cvt_kind from, cvt_kind to) {
    uint64_t most = low(UINT64_MAX, to.bits) >> (to.is_signed ? 1 : 0);
    bool negative = from.is_signed && (int64_t)v < 0;
    if (!negative) {
        return v > most ? most : v;
    }
    if (!to.is_signed) {
        return 0;
    }
    int64_t least = -(int64_t)most - 1;
    return (int64_t)v < least ? (uint64_t)least : v;
}

static double integral(double x, tc_round r) {
    return r == TC_RZ   ? trunc(x)
           : r == TC_RM ? floor(x)
           : r == TC_RP ? ceil(x)
                        : nearbyint(x);
}

/* Float to integer always clamps. NaN gives 0; but the top bit alone where one
 * of the types has 64 bits, as an H200 does (PTX leaves it open). */
static uint64_t to_integer(double x, cvt_kind to, cvt_kind from, tc_round r) {
    if (x != x) {
        bool wide = to.bits == 64 || from.bits == 64;
        return wide ? (uint64_t)1 << (to.bits - 1) : 0;
    }
    x = integral(x, r);
    double top = ldexp(1.0, to.bits - (to.is_signed ? 1 : 0));
    uint64_t most = low(UINT64_MAX, to.bits) >> (to.is_signed ? 1 : 0);
    if (x >= top) {
        return most;
    }
    if (x < 0) {
        return !to.is_signed ? 0
               : x <= -top   ? (uint64_t)(-(int64_t)most - 1)
                             : (uint64_t)(int64_t)x;
    }
    return (uint64_t)x;
}

static uint64_t from_integer(uint64_t v, cvt_kind from, tc_ptx_type to,
                             uint32_t flags) {
    bool neg = from.is_signed && (int64_t)v < 0;
    return tc_alu_pack(to, neg, neg ? 0 - v : v, 0, false, tc_round_of(flags));
}

static double saturated(double x) {
    return x > 1 ? 1 : x > 0 ? x : 0;
}

/* NaNs of conversions, as an H200 makes them (PTX leaves them open): from or
 * to .f64 the sign and the upper bits of the payload stay, quieted; .bf16 is
 * the upper half of .f32 whatever it holds; all others are canonical. */
static bool keep_nan(const tc_ptx_op *op, uint64_t v, uint64_t *out) {
    uint32_t rounds = TC_PM_RNI | TC_PM_RZI | TC_PM_RMI | TC_PM_RPI;
    bool plain = (op->flags & (rounds | TC_PM_SAT | TC_PM_FTZ)) == 0;
    if (op->type == TC_PT_F32 && op->type2 == TC_PT_BF16 && plain) {
        *out = (v & 0xffff) << 16;
        return true;
    }
    if (op->type == TC_PT_F32 && op->type2 == TC_PT_F32 && plain) {
        *out = low(v, 32);
        return true;
    }
    bool wide = op->type == TC_PT_F64 || op->type2 == TC_PT_F64;
    if (!wide || (op->flags & TC_PM_SAT) != 0) {
        return false;
    }
    if (op->type == op->type2 && plain) {
        *out = v;
        return true;
    }
    if ((op->flags & TC_PM_FTZ) != 0 && op->type2 == TC_PT_F32) {
        v = 0x7fffffff;
    }
    *out = tc_nan_resize((tc_ptx_type)op->type2, (tc_ptx_type)op->type, v);
    return true;
}

static uint64_t float_to_float(double x, uint64_t bits, const tc_ptx_op *op) {
    uint64_t nan;
    if (x != x && keep_nan(op, bits, &nan)) {
        return nan;
    }
    uint32_t integer = TC_PM_RNI | TC_PM_RZI | TC_PM_RMI | TC_PM_RPI;
    tc_round r = tc_round_of(op->flags);
    if ((op->flags & integer) != 0) {
        x = copysign(integral(x, r), x);
    }
    x = (op->flags & TC_PM_SAT) != 0 ? saturated(x) : x;
    return tc_pack_double((tc_ptx_type)op->type, x, r);
}

static uint64_t convert(const tc_ptx_op *op, cvt_kind from, cvt_kind to,
                        uint64_t v) {
    bool ftz = (op->flags & TC_PM_FTZ) != 0;
    if (!from.is_float) {
        v = extended(v, from);
        if (to.is_float) {
            v = from_integer(v, from, (tc_ptx_type)op->type, op->flags);
            return (op->flags & TC_PM_SAT) == 0
                       ? v
                       : tc_pack_double(
                             (tc_ptx_type)op->type,
                             saturated(tc_alu_unpack((tc_ptx_type)op->type, v)),
                             TC_RN);
        }
        return (op->flags & TC_PM_SAT) != 0 ? clamp(v, from, to) : v;
    }
    /* An H200 flushes nothing on the way to .f16: .rm and .rp show it. */
    if (ftz && op->type2 == TC_PT_F32 && op->type != TC_PT_F16) {
        v = tc_alu_flush((uint32_t)v);
    }
    double x = tc_alu_unpack((tc_ptx_type)op->type2, v);
    if (!to.is_float) {
        return to_integer(x, to, from, tc_round_of(op->flags));
    }
    v = float_to_float(x, v, op);
    return ftz && op->type == TC_PT_F32 ? tc_alu_flush((uint32_t)v) : v;
}

/* cvt.rn.f16x2.f32 d, a, b: a goes to the upper half. */
static void pack_halves(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t ta[TC_LANES], tb[TC_LANES], d[TC_LANES];
    const uint32_t *a = tc_src32(w, &op->a[1], ta);
    const uint32_t *b = tc_src32(w, &op->a[2], tb);
    tc_ptx_type t = op->type == TC_PT_F16X2 ? TC_PT_F16 : TC_PT_BF16;
    tc_round r = tc_round_of(op->flags);
    for (int i = 0; i < TC_LANES; i++) {
        uint64_t high = tc_pack_double(t, (double)tc_f32(a[i]), r);
        uint64_t lower = tc_pack_double(t, (double)tc_f32(b[i]), r);
        d[i] = (uint32_t)(high << 16 | lower);
    }
    tc_put32(w, &op->a[0], d, mask);
}

/* Between integers without .sat: extension or truncation, one plain loop. */
static void integers(cvt_kind from, uint64_t *restrict d,
                     const uint64_t *restrict v) {
    uint64_t keep = low(UINT64_MAX, from.bits);
    uint64_t sign = from.is_signed ? (uint64_t)1 << (from.bits - 1) : 0;
    for (int i = 0; i < TC_LANES; i++) {
        d[i] = ((v[i] & keep) ^ sign) - sign;
    }
}

void tc_sim_op_CVT(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    if (op->more != 0 || op->type >= TC_PT_TF32 || op->type2 >= TC_PT_TF32) {
        tc_cvt_small(w, op, mask);
        return;
    }
    if (op->type == TC_PT_F16X2 || op->type == TC_PT_BF16X2) {
        pack_halves(w, op, mask);
        return;
    }
    cvt_kind from = kind_of(op->type2), to = kind_of(op->type);
    uint64_t tmp[TC_LANES], d[TC_LANES];
    const uint64_t *v = tc_src64(w, &op->a[1], tmp);
    bool plain = !from.is_float && !to.is_float && (op->flags & TC_PM_SAT) == 0;
    if (plain) {
        integers(from, d, v);
    } else {
        for (int i = 0; i < TC_LANES; i++) {
            d[i] = convert(op, from, to, v[i]);
        }
    }
    if (!to.is_float) { /* 9.4.1: a wider register gets it extended */
        integers(to, d, memcpy(tmp, d, sizeof tmp));
    }
    tc_put64(w, &op->a[0], d, mask);
}

/* misc.c - further integer and bit operations (PTX ISA 9.7.1.5 to 9.7.1.7,
 * 9.7.1.17, 9.7.1.21, 9.7.1.22, 9.7.8.5), and properties of floats (9.7.3.1,
 * 9.7.3.2, 9.7.6.4). */
#include "sim/alu/alu.h"

typedef tc_kernel rows[TC_PT_COUNT];

#define U16(x) ((x)&0xffffu)
#define S32(x) ((int32_t)(x))
#define S64(x) ((int64_t)(x))
#define U24(x) ((uint64_t)((x)&0xffffffu))

/* The low 24 bits as a signed number. */
static int64_t s24(uint32_t v) {
    return (int64_t)((v & 0xffffffu) ^ 0x800000u) - 0x800000;
}

/* 9.7.1.5: .hi gives bits 47 to 16 of the 48-bit product. */
static uint32_t mul24(uint32_t flags, uint32_t a, uint32_t b, bool sign) {
    uint64_t r = sign ? (uint64_t)(s24(a) * s24(b)) : U24(a) * U24(b);
    return (uint32_t)((flags & TC_PM_HI) != 0 ? r >> 16 : r);
}

static uint32_t mad24(uint32_t flags, uint32_t a, uint32_t b, uint32_t c,
                      bool sign) {
    uint32_t p = mul24(flags, a, b, sign);
    if ((flags & TC_PM_SAT) == 0) {
        return p + c;
    }
    int64_t v = (int64_t)S32(p) + S32(c);
    return (uint32_t)(v > INT32_MAX   ? INT32_MAX
                      : v < INT32_MIN ? INT32_MIN
                                      : v);
}

TC_K32(mul24u, mul24(flags, a, b, false))
TC_K32(mul24s, mul24(flags, a, b, true))
TC_K32(mad24u, mad24(flags, a, b, c, false))
TC_K32(mad24s, mad24(flags, a, b, c, true))

/* 9.7.1.7: c + |a - b| */
TC_K32(sadu16, U16(c + (U16(a) < U16(b) ? b - a : a - b)))
TC_K32(sads16, U16(c + (tc_s16(a) < tc_s16(b) ? b - a : a - b)))
TC_K32(sadu32, c + (a < b ? b - a : a - b))
TC_K32(sads32, c + (S32(a) < S32(b) ? b - a : a - b))
TC_K64(sadu64, c + (a < b ? b - a : a - b))
TC_K64(sads64, c + (S64(a) < S64(b) ? b - a : a - b))

/* 9.7.1.17: the nth set bit from base on, upwards or downwards. */
static uint32_t find_nth(uint32_t mask, uint32_t base, int32_t offset) {
    if (offset == INT32_MIN) {
        return 0; /* as an H200 does, which cannot negate it */
    }
    if (base > 31) {
        return UINT32_MAX; /* PTX leaves it open */
    }
    int step = offset < 0 ? -1 : 1;
    int64_t left = offset < 0 ? -(int64_t)offset : offset;
    for (int at = (int)base; at >= 0 && at < 32; at += step) {
        bool set = (mask >> at & 1u) != 0;
        if (offset == 0) {
            return set ? base : UINT32_MAX;
        }
        if (set && --left == 0) {
            return (uint32_t)at;
        }
    }
    return UINT32_MAX;
}
TC_K32(fns32, find_nth(a, b, S32(c)))

/* 9.7.1.21 */
static uint32_t extend(uint32_t flags, uint32_t a, uint32_t b, bool sign) {
    uint32_t n = b & 31;
    if (b >= 32 && (flags & TC_PM_CLAMP) != 0) {
        return a;
    }
    uint32_t keep = ((uint32_t)1 << n) - 1;
    bool fill = sign && n != 0 && (a >> (n - 1) & 1u) != 0;
    return (a & keep) | (fill ? ~keep : 0);
}
TC_K32(szextu, extend(flags, a, b, false))
TC_K32(szexts, extend(flags, a, b, true))

/* 9.7.1.22: b ones from place a on. */
static uint32_t bit_mask(uint32_t flags, uint32_t a, uint32_t b) {
    bool clamp = (flags & TC_PM_CLAMP) != 0;
    if (clamp && a >= 32) {
        return 0;
    }
    uint32_t from = UINT32_MAX << (a & 31), n = b & 31, end = (a & 31) + n;
    if ((clamp && b >= 32) || end >= 32) {
        return from;
    }
    return n == 0 ? 0 : from & ~(UINT32_MAX << end);
}
TC_K32(bmsk32, bit_mask(flags, a, b))

TC_K32(cnot16, U16(a) == 0)
TC_K32(cnot32, a == 0)
TC_K64(cnot64, a == 0)

TC_K32(sign32, (a & 0x80000000u) | (b & 0x7fffffffu))
TC_K64(sign64, (a & UINT64_C(1) << 63) | (b & ~(UINT64_C(1) << 63)))

#define BY_TYPE(id, n, ...)                                                    \
    void tc_sim_op_##id(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {      \
        static const rows k = {__VA_ARGS__};                                   \
        tc_alu_run(w, op, mask, &k[op->type], n);                              \
    }
BY_TYPE(MUL24, 2, [TC_PT_U32] = {mul24u, NULL}, [TC_PT_S32] = {mul24s, NULL})
BY_TYPE(MAD24, 3, [TC_PT_U32] = {mad24u, NULL}, [TC_PT_S32] = {mad24s, NULL})
BY_TYPE(SAD, 3, [TC_PT_U16] = {sadu16, NULL}, [TC_PT_S16] = {sads16, NULL},
        [TC_PT_U32] = {sadu32, NULL}, [TC_PT_S32] = {sads32, NULL},
        [TC_PT_U64] = {NULL, sadu64}, [TC_PT_S64] = {NULL, sads64})
BY_TYPE(FNS, 3, [TC_PT_B32] = {fns32, NULL})
BY_TYPE(SZEXT, 2, [TC_PT_U32] = {szextu, NULL}, [TC_PT_S32] = {szexts, NULL})
BY_TYPE(BMSK, 2, [TC_PT_B32] = {bmsk32, NULL})
BY_TYPE(CNOT, 1, [TC_PT_B16] = {cnot16, NULL}, [TC_PT_B32] = {cnot32, NULL},
        [TC_PT_B64] = {NULL, cnot64})
BY_TYPE(COPYSIGN, 2, [TC_PT_F32] = {sign32, NULL}, [TC_PT_F64] = {NULL, sign64})

/* 9.7.3.1: zeros count as normal. */
static bool has_property(unsigned what, uint64_t u, int exponent_bits,
                         int mantissa) {
    uint64_t m = u & ((UINT64_C(1) << mantissa) - 1);
    uint64_t top = (UINT64_C(1) << exponent_bits) - 1;
    uint64_t e = u >> mantissa & top;
    bool nan = e == top && m != 0, inf = e == top && m == 0;
    switch (what) {
    case TC_TESTP_FINITE:
        return e != top;
    case TC_TESTP_INFINITE:
        return inf;
    case TC_TESTP_NUMBER:
        return !nan;
    case TC_TESTP_NOTANUMBER:
        return nan;
    case TC_TESTP_NORMAL:
        return e != top && (e != 0 || m == 0);
    default:
        return e == 0 && m != 0;
    }
}

void tc_sim_op_TESTP(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint64_t tmp[TC_LANES];
    const uint64_t *a = tc_src64(w, &op->a[1], tmp);
    bool wide = op->type == TC_PT_F64;
    uint32_t v = 0;
    for (int i = 0; i < TC_LANES; i++) {
        bool is = has_property(op->sub, a[i], wide ? 11 : 8, wide ? 52 : 23);
        v |= (uint32_t)is << i;
    }
    tc_put_pred(w, &op->a[0], v, mask);
}

/* 9.7.6.4: a where c >= 0, else b; a NaN selects b, and -0 is no less than
 * 0. */
void tc_sim_op_SLCT(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint64_t ta[TC_LANES], tb[TC_LANES], d[TC_LANES];
    uint32_t tc[TC_LANES];
    const uint64_t *a = tc_src64(w, &op->a[1], ta);
    const uint64_t *b = tc_src64(w, &op->a[2], tb);
    const uint32_t *c = tc_src32(w, &op->a[3], tc);
    for (int i = 0; i < TC_LANES; i++) {
        uint32_t u = (op->flags & TC_PM_FTZ) != 0 ? tc_alu_flush(c[i]) : c[i];
        bool first = op->type2 == TC_PT_F32 ? tc_f32(u) >= 0 : S32(u) >= 0;
        d[i] = first ? a[i] : b[i];
    }
    tc_put64(w, &op->a[0], d, mask);
}

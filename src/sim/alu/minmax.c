/* minmax.c - min and max with .xorsign.abs, .abs, .relu, and of three
 * (PTX ISA 9.7.1.12, 9.7.3.11, 9.7.4.9), and fma with .relu and .oob (9.7.4.4):
 * what the plain kernels compute, with the operands made ready before and the
 * result finished after. */
#include "sim/alu/alu.h"

/* Signs of a value of a type: both of a pair. */
static uint32_t signs_of(uint8_t type) {
    return type == TC_PT_F32                             ? 0x80000000u
           : type == TC_PT_F16X2 || type == TC_PT_BF16X2 ? 0x80008000u
           : type == TC_PT_U16X2 || type == TC_PT_S16X2  ? 0x80008000u
           : type == TC_PT_F16 || type == TC_PT_BF16     ? 0x8000u
                                                         : 0x80000000u;
}

/* The half of a word at a place is a NaN of the type. */
static bool nan_at(uint8_t type, uint32_t v, uint32_t sign) {
    if (type == TC_PT_F32) {
        return (v & 0x7fffffffu) > 0x7f800000u;
    }
    uint32_t h = (sign == 0x80000000u ? v >> 16 : v) & 0x7fffu;
    bool bf = type == TC_PT_BF16 || type == TC_PT_BF16X2;
    return h > (bf ? 0x7f80u : 0x7c00u);
}

/* Each place with a sign: a NaN stays, others get the sign of x. */
static uint32_t set_signs(uint8_t type, uint32_t v, uint32_t x) {
    uint32_t signs = signs_of(type), d = v;
    for (uint32_t s = signs; s != 0; s &= s - 1) {
        uint32_t sign = s & (0 - s);
        if (!nan_at(type, v, sign)) {
            d = (d & ~sign) | (x & sign);
        }
    }
    return d;
}

/* .relu: what is below zero becomes +0; a NaN stays. */
static uint32_t rectify(uint8_t type, uint32_t v) {
    bool is_float = type >= TC_PT_F16 && type <= TC_PT_BF16X2;
    uint32_t signs = signs_of(type), d = v;
    for (uint32_t s = signs; s != 0; s &= s - 1) {
        uint32_t sign = s & (0 - s);
        bool nan = is_float && nan_at(type, v, sign);
        uint32_t all = signs == 0x80000000u ? UINT32_MAX
                       : sign == 0x8000u    ? 0xffffu
                                            : 0xffff0000u;
        d &= (v & sign) != 0 && !nan ? ~all : UINT32_MAX;
    }
    return d;
}

/* min(min(a, b), c): NaNs go through as they do for two. */
static void third(const tc_ptx_op *op, const tc_kernel *k, uint32_t *d,
                  const uint32_t *c) {
    uint32_t first[TC_LANES];
    memcpy(first, d, sizeof first);
    k->k32(op->flags, d, first, c, first);
}

void tc_alu_extreme(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                    const tc_kernel *k) {
    bool three = op->a[3].kind != TC_PO_NONE;
    if (op->more == 0 && !three) {
        tc_alu_run(w, op, mask, k, 2);
        return;
    }
    uint32_t tmp[3][TC_LANES], in[3][TC_LANES], xor[TC_LANES], d[TC_LANES];
    uint32_t signs = signs_of(op->type);
    for (int i = 0; i < 3; i++) {
        const uint32_t *s =
            tc_src32(w, &op->a[i < 2 || three ? 1 + i : 1], tmp[i]);
        for (int l = 0; l < TC_LANES; l++) {
            xor[l] = i == 0 ? s[l] : i == 1 ? xor[l] ^ s[l] : xor[l];
            in[i][l] = (op->more & TC_PX_ABS) != 0 ? s[l] & ~signs : s[l];
        }
    }
    k->k32(op->flags, d, in[0], in[1], in[2]);
    if (three) {
        third(op, k, d, in[2]);
    }
    for (int l = 0; l < TC_LANES; l++) {
        if ((op->more & TC_PX_XORSIGN) != 0) {
            d[l] = set_signs(op->type, d[l], xor[l]);
        }
        if ((op->more & TC_PX_RELU) != 0) {
            d[l] = rectify(op->type, d[l]);
        }
    }
    tc_put32(w, &op->a[0], d, mask);
}

/* The NaN that a bulk tensor copy fills with where a box reaches out of the
 * tensor, for fma.oob to turn into zero: PTX does not say which. An H200 fills
 * with this one (tc_tensor_fill), takes it with either sign, in .bf16 too, and
 * takes 0x7fff for any NaN. */
enum { OOB_NAN = 0x7ff7 };

static uint32_t without_oob(uint8_t type, uint32_t r, uint32_t a, uint32_t b) {
    bool pair = type == TC_PT_F16X2 || type == TC_PT_BF16X2;
    bool low = (a & 0x7fff) == OOB_NAN || (b & 0x7fff) == OOB_NAN;
    bool high = (a >> 16 & 0x7fff) == OOB_NAN || (b >> 16 & 0x7fff) == OOB_NAN;
    return r & (low ? 0xffff0000u : UINT32_MAX) &
           (pair && high ? 0xffffu : UINT32_MAX);
}

void tc_half_misc(tc_warp *w, const tc_ptx_op *op, uint32_t mask, tc_k32 *k,
                  int n) {
    uint32_t tmp[3][TC_LANES], d[TC_LANES];
    const uint32_t *s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = i < n ? tc_src32(w, &op->a[1 + i], tmp[i]) : s[0];
    }
    k(op->flags, d, s[0], s[1], s[2]);
    for (int l = 0; l < TC_LANES; l++) {
        if ((op->more & TC_PX_RELU) != 0) {
            d[l] = rectify(op->type, d[l]);
        }
        if ((op->more & TC_PX_OOB) != 0) {
            d[l] = without_oob(op->type, d[l], s[0][l], s[1][l]);
        }
    }
    tc_put32(w, &op->a[0], d, mask);
}

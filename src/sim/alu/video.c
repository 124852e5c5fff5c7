/* video.c - scalar video instructions (PTX ISA 9.7.17): operands are parts
 * of registers, extended; the result is clamped, then combined with a third
 * operand or merged into it. */
#include "sim/alu/alu.h"

__extension__ typedef __int128 s128;

static bool is_signed(uint8_t type) {
    return type == TC_PT_S32;
}

/* A part of v, extended by the type. */
static int64_t part_of(uint32_t v, uint32_t part, uint8_t type) {
    unsigned at = 0, bits = 32;
    if (part >= TC_PART_H0) {
        at = 16 * (part - TC_PART_H0);
        bits = 16;
    } else if (part >= TC_PART_B0) {
        at = 8 * (part - TC_PART_B0);
        bits = 8;
    }
    uint64_t u = (uint64_t)v >> at & (((uint64_t)1 << bits) - 1);
    uint64_t sign = is_signed(type) ? (uint64_t)1 << (bits - 1) : 0;
    return (int64_t)((u ^ sign) - sign);
}

/* 9.7.17 clamps to the type of the destination's size. Here as on an H200,
 * which does less: for a part of a register a negative result counts as large,
 * and of .u32 only a negative one is clamped. */
static s128 clamp(s128 v, bool sign, unsigned bits) {
    int64_t most = ((int64_t)1 << (bits - (sign ? 1 : 0))) - 1;
    int64_t least = sign ? -most - 1 : 0;
    if (bits < 32) {
        return v < 0 || v > most ? most : v;
    }
    return v > most && sign ? most : v < least ? least : v;
}

static unsigned bits_of(uint32_t part) {
    return part >= TC_PART_H0 ? 16 : part >= TC_PART_B0 ? 8 : 32;
}

/* .add, .min or .max with c, or the result put into a part of c. By 9.7.17 .h1
 * takes the lower half of the result; an H200 takes the upper one. */
static uint32_t finish(const tc_ptx_op *op, bool sign, uint32_t r, uint32_t c) {
    uint32_t part = op->size & 0xf;
    if (part != TC_PART_ALL) {
        unsigned at = part >= TC_PART_H0 ? 16 * (part - TC_PART_H0)
                                         : 8 * (part - TC_PART_B0);
        uint32_t keep = ((1u << bits_of(part)) - 1) << at;
        r = part == TC_PART_H0 + 1 ? r : r << at;
        return (c & ~keep) | (r & keep);
    }
    bool less = sign ? (int32_t)r < (int32_t)c : r < c;
    return op->sub == TC_VOP_ADD   ? r + c
           : op->sub == TC_VOP_MIN ? (less ? r : c)
           : op->sub == TC_VOP_MAX ? (less ? c : r)
                                   : r;
}

static bool compare(uint8_t cmp, int64_t a, int64_t b) {
    switch (cmp) {
    case TC_PC_EQ:
        return a == b;
    case TC_PC_NE:
        return a != b;
    case TC_PC_LT:
        return a < b;
    case TC_PC_LE:
        return a <= b;
    case TC_PC_GT:
        return a > b;
    default:
        return a >= b;
    }
}

/* 9.7.17.2: shifts by 32 leave nothing, or the sign. */
static s128 shift(const tc_ptx_op *op, int64_t a, uint64_t b) {
    b = (op->flags & TC_PM_WRAP) != 0 ? b & 31 : b > 32 ? 32 : b;
    return op->opcode == TC_PTX_VSHL ? a * ((s128)1 << b) : (s128)(a >> b);
}

static s128 operate(const tc_ptx_op *op, int64_t a, int64_t b) {
    switch (op->opcode) {
    case TC_PTX_VADD:
        return a + b;
    case TC_PTX_VSUB:
        return a - b;
    case TC_PTX_VABSDIFF:
        return a < b ? b - a : a - b;
    case TC_PTX_VMIN:
        return a < b ? a : b;
    case TC_PTX_VMAX:
        return a > b ? a : b;
    case TC_PTX_VSET:
        return compare(op->cmp, a, b);
    default:
        return shift(op, a, (uint64_t)b);
    }
}

static void scalar(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t tmp[3][TC_LANES], d[TC_LANES];
    const uint32_t *s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = tc_src32(w, &op->a[1 + i], tmp[i]);
    }
    bool set = op->opcode == TC_PTX_VSET;
    uint8_t ta = set ? op->type : op->type2, tb = set ? op->type2 : op->type3;
    bool sign = !set && is_signed(op->type);
    unsigned bits = bits_of(op->size & 0xf);
    for (int i = 0; i < TC_LANES; i++) {
        int64_t a = part_of(s[0][i], op->size >> 4 & 0xf, ta);
        int64_t b = part_of(s[1][i], op->size >> 8 & 0xf, tb);
        s128 v = operate(op, a, b);
        v = (op->flags & TC_PM_SAT) != 0 ? clamp(v, sign, bits) : v;
        d[i] = finish(op, sign, (uint32_t)(uint64_t)v, s[2][i]);
    }
    tc_put32(w, &op->a[0], d, mask);
}

void tc_sim_op_VADD(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    scalar(w, op, mask);
}

void tc_sim_op_VSUB(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    scalar(w, op, mask);
}

void tc_sim_op_VABSDIFF(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    scalar(w, op, mask);
}

void tc_sim_op_VMIN(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    scalar(w, op, mask);
}

void tc_sim_op_VMAX(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    scalar(w, op, mask);
}

void tc_sim_op_VSHL(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    scalar(w, op, mask);
}

void tc_sim_op_VSHR(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    scalar(w, op, mask);
}

void tc_sim_op_VSET(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    scalar(w, op, mask);
}

/* 9.7.17.3: (a * b) + c. As on an H200, all three count as signed, whatever
 * their types, where the result is signed or with .po; an unsigned result that
 * is negative saturates upwards. */
static uint32_t multiply_add(const tc_ptx_op *op, int64_t a, int64_t b,
                             uint32_t c32) {
    bool neg_ab = (op->more & TC_PX_NEG_AB) != 0;
    bool neg_c = (op->more & TC_PX_NEG_C) != 0;
    bool po = (op->more & TC_PX_PO) != 0;
    bool sign = is_signed(op->type2) || is_signed(op->type3) || neg_ab || neg_c;
    bool extend = sign || po;
    s128 p = extend ? (s128)(int32_t)a * (int32_t)b : (s128)a * b;
    s128 c = extend ? (s128)(int32_t)c32 : (s128)c32;
    p = neg_ab ? -p : p;
    c = neg_c ? -c : c;
    s128 r = p + c + (po ? 1 : 0);
    r >>= op->sub2 == TC_VMAD_SHR7 ? 7 : op->sub2 == TC_VMAD_SHR15 ? 15 : 0;
    if ((op->flags & TC_PM_SAT) != 0 && sign) {
        r = r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : r;
    } else if ((op->flags & TC_PM_SAT) != 0) {
        r = r > UINT32_MAX || r < 0 ? UINT32_MAX : r;
    }
    return (uint32_t)(uint64_t)r;
}

void tc_sim_op_VMAD(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t tmp[3][TC_LANES], d[TC_LANES];
    const uint32_t *s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = tc_src32(w, &op->a[1 + i], tmp[i]);
    }
    for (int i = 0; i < TC_LANES; i++) {
        int64_t a = part_of(s[0][i], op->size >> 4 & 0xf, op->type2);
        int64_t b = part_of(s[1][i], op->size >> 8 & 0xf, op->type3);
        d[i] = multiply_add(op, a, b, s[2][i]);
    }
    tc_put32(w, &op->a[0], d, mask);
}

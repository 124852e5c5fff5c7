/* carry.c - extended precision (PTX ISA 9.7.2): add, sub and mad with a
 * carry flag, one bit a lane in tc_warp.carry. A subtraction leaves the carry
 * of a + ~b + 1 there, the borrow's complement, and reads it so: what addc
 * after sub.cc finds (PTX leaves that open, an H200 does it). */
#include "sim/alu/alu.h"

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

typedef enum carry_op { ADD, SUB, MAD } carry_op;

/* The words of one lane; narrow ones in the low bits. */
typedef struct lane {
    uint64_t a, b, c;
    unsigned carry;
} lane;

static uint64_t product(const tc_ptx_op *op, const lane *l, int bits) {
    bool sign =
        op->type == TC_PT_S16 || op->type == TC_PT_S32 || op->type == TC_PT_S64;
    if ((op->flags & TC_PM_HI) == 0) {
        return l->a * l->b;
    }
    if (bits == 64) {
        return sign ? (uint64_t)((u128)((s128)(int64_t)l->a * (int64_t)l->b) >>
                                 64)
                    : (uint64_t)((u128)l->a * l->b >> 64);
    }
    uint64_t top = (uint64_t)1 << (bits - 1);
    /* .u16 and .s16, which PTX does not list, are extended to 32 bits. */
    uint64_t x = sign ? (l->a ^ top) - top : l->a;
    uint64_t y = sign ? (l->b ^ top) - top : l->b;
    return (uint64_t)((s128)(int64_t)x * (int64_t)y >> (bits < 32 ? 32 : bits));
}

/* The result, and the flag it leaves in l->carry. */
static uint64_t calculate(carry_op w, const tc_ptx_op *op, lane *l, int bits) {
    uint64_t keep = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    l->a &= keep;
    l->b &= keep;
    l->c &= keep;
    uint64_t x = w == MAD ? product(op, l, bits) & keep : l->a;
    uint64_t y = w == MAD ? l->c : l->b;
    u128 r = w == SUB ? (u128)x - y - l->carry : (u128)x + y + l->carry;
    l->carry = (unsigned)(r >> bits) & 1u;
    return (uint64_t)r & keep;
}

/* madc.hi.sat.s32, which PTX does not list, clamps nothing. */
static void run(tc_warp *w, const tc_ptx_op *op, uint32_t mask, carry_op what,
                bool uses) {
    uint64_t tmp[3][TC_LANES], d[TC_LANES];
    const uint64_t *s[3];
    int n = what == MAD ? 3 : 2, bits = tc_ptx_type_bytes[op->type] * 8;
    for (int i = 0; i < 3; i++) {
        s[i] = i < n ? tc_src64(w, &op->a[1 + i], tmp[i]) : s[0];
    }
    uint32_t carry = 0;
    unsigned borrows = what == SUB;
    for (int i = 0; i < TC_LANES; i++) {
        unsigned in = uses ? (w->carry >> i & 1u) ^ borrows : 0;
        lane l = {s[0][i], s[1][i], s[2][i], in};
        d[i] = calculate(what, op, &l, bits);
        carry |= (l.carry ^ borrows) << i;
    }
    if ((op->more & TC_PX_CC) != 0) {
        w->carry = (w->carry & ~mask) | (carry & mask);
    }
    tc_put64(w, &op->a[0], d, mask);
}

void tc_carry_add(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    run(w, op, mask, ADD, false);
}

void tc_carry_sub(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    run(w, op, mask, SUB, false);
}

void tc_carry_mad(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    run(w, op, mask, MAD, false);
}

void tc_sim_op_ADDC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    run(w, op, mask, ADD, true);
}

void tc_sim_op_SUBC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    run(w, op, mask, SUB, true);
}

void tc_sim_op_MADC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    run(w, op, mask, MAD, true);
}

/* dot.c - dot products of packed integers (PTX ISA 9.7.1.23, 9.7.1.24).
 * The parts of a and b are extended as their own types say; the sum with c
 * wraps, so that c and the result are the same bits signed or not. */
#include "sim/alu/alu.h"

/* Part i of v, from the least significant, as 32 bits. */
static uint32_t byte_u(uint32_t v, int i) {
    return v >> 8 * i & 0xff;
}

static uint32_t byte_s(uint32_t v, int i) {
    return (uint32_t)(int8_t)(uint8_t)byte_u(v, i);
}

static uint32_t half_u(uint32_t v, int i) {
    return v >> 16 * i & 0xffff;
}

static uint32_t half_s(uint32_t v, int i) {
    return (uint32_t)tc_s16(half_u(v, i));
}

#define DOT4(x, y)                                                             \
    (byte_##x(a, 0) * byte_##y(b, 0) + byte_##x(a, 1) * byte_##y(b, 1) +       \
     byte_##x(a, 2) * byte_##y(b, 2) + byte_##x(a, 3) * byte_##y(b, 3) + c)
#define DOT2(x, y, low)                                                        \
    (half_##x(a, 0) * byte_##y(b, low) +                                       \
     half_##x(a, 1) * byte_##y(b, (low) + 1) + c)

TC_K32(dot4uu, DOT4(u, u))
TC_K32(dot4us, DOT4(u, s))
TC_K32(dot4su, DOT4(s, u))
TC_K32(dot4ss, DOT4(s, s))
TC_K32(lo2uu, DOT2(u, u, 0))
TC_K32(lo2us, DOT2(u, s, 0))
TC_K32(lo2su, DOT2(s, u, 0))
TC_K32(lo2ss, DOT2(s, s, 0))
TC_K32(hi2uu, DOT2(u, u, 2))
TC_K32(hi2us, DOT2(u, s, 2))
TC_K32(hi2su, DOT2(s, u, 2))
TC_K32(hi2ss, DOT2(s, s, 2))

/* By whether the parts of a and b are signed: neither, b's, a's, both. */
typedef tc_kernel kinds[4];
#define KINDS(op)                                                              \
    {                                                                          \
        {op##uu, 0}, {op##us, 0}, {op##su, 0}, {                               \
            op##ss, 0                                                          \
        }                                                                      \
    }
static const kinds dot4 = KINDS(dot4), lo2 = KINDS(lo2), hi2 = KINDS(hi2);

static void run(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                const tc_kernel *k) {
    int a = op->type == TC_PT_S32, b = op->type2 == TC_PT_S32;
    tc_alu_run(w, op, mask, &k[2 * a + b], 3);
}

void tc_sim_op_DP4A(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    run(w, op, mask, dot4);
}

void tc_sim_op_DP2A(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    run(w, op, mask, (op->flags & TC_PM_HI) != 0 ? hi2 : lo2);
}

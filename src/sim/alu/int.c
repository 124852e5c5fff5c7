/* int.c - integer arithmetic (PTX ISA 9.7.1), and the rows of the opcodes
 * that it shares with floating point (9.7.3, 9.7.4). */
#include "sim/alu/alu.h"
#include "sim/core/code.h"

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

#define S32(x) ((int32_t)(x))
#define S64(x) ((int64_t)(x))
#define U16(x) ((x)&0xffffu)

static uint32_t clamp_s32(int64_t v) {
    return (uint32_t)(v > INT32_MAX   ? INT32_MAX
                      : v < INT32_MIN ? INT32_MIN
                                      : v);
}

/* Division by zero has no result in PTX; the code that ptxas makes gives all
 * ones (for 16 bits: of the low half), for the quotient and the remainder. */
static uint32_t div_s32(int32_t a, int32_t b) {
    return b == 0 ? UINT32_MAX : b == -1 ? 0u - (uint32_t)a : (uint32_t)(a / b);
}

static uint32_t rem_s32(int32_t a, int32_t b) {
    return b == 0 ? UINT32_MAX : b == -1 ? 0 : (uint32_t)(a % b);
}

static uint64_t div_s64(int64_t a, int64_t b) {
    return b == 0 ? UINT64_MAX : b == -1 ? 0u - (uint64_t)a : (uint64_t)(a / b);
}

static uint64_t rem_s64(int64_t a, int64_t b) {
    return b == 0 ? UINT64_MAX : b == -1 ? 0 : (uint64_t)(a % b);
}

/* 9.7.1.1, 9.7.1.2 */
TC_K32(add16, U16(a + b))
TC_K32(add32, a + b)
TC_K64(add64, a + b)
TC_K32(adds32, clamp_s32((int64_t)S32(a) + S32(b)))
TC_K32(sub16, U16(a - b))
TC_K32(sub32, a - b)
TC_K64(sub64, a - b)
TC_K32(subs32, clamp_s32((int64_t)S32(a) - S32(b)))

/* 9.7.1.3 */
TC_K32(mullo16, U16(U16(a) * U16(b)))
TC_K32(mullo32, a *b)
TC_K64(mullo64, a *b)
TC_K32(mulhiu16, U16(a) * U16(b) >> 16)
TC_K32(mulhis16, U16((uint32_t)(tc_s16(a) * tc_s16(b)) >> 16))
TC_K32(mulhiu32, (uint64_t)a *b >> 32)
TC_K32(mulhis32, (uint64_t)((int64_t)S32(a) * S32(b)) >> 32)
TC_K64(mulhiu64, (u128)a *b >> 64)
TC_K64(mulhis64, (u128)((s128)S64(a) * S64(b)) >> 64)
TC_K32(mulwu16, U16(a) * U16(b))
TC_K32(mulws16, tc_s16(a) * tc_s16(b))
TC_K64(mulwu32, (a & UINT32_MAX) * (b & UINT32_MAX))
TC_K64(mulws32, (int64_t)S32((uint32_t)a) * S32((uint32_t)b))

/* 9.7.1.4 */
TC_K32(madlo16, U16(U16(a) * U16(b) + c))
TC_K32(madlo32, a *b + c)
TC_K64(madlo64, a *b + c)
TC_K32(madhiu16, U16((U16(a) * U16(b) >> 16) + c))
TC_K32(madhis16, U16(((uint32_t)(tc_s16(a) * tc_s16(b)) >> 16) + c))
TC_K32(madhiu32, (uint32_t)((uint64_t)a *b >> 32) + c)
TC_K32(madhis32, (uint32_t)((uint64_t)((int64_t)S32(a) * S32(b)) >> 32) + c)
TC_K32(madhisat32,
       clamp_s32((((int64_t)S32(a) * S32(b)) >> 32) + (int64_t)S32(c)))
TC_K64(madhiu64, (uint64_t)((u128)a *b >> 64) + c)
TC_K64(madhis64, (uint64_t)((u128)((s128)S64(a) * S64(b)) >> 64) + c)
TC_K32(madwu16, U16(a) * U16(b) + c)
TC_K32(madws16, (uint32_t)(tc_s16(a) * tc_s16(b)) + c)
TC_K64(madwu32, (a & UINT32_MAX) * (b & UINT32_MAX) + c)
TC_K64(madws32, (uint64_t)((int64_t)S32((uint32_t)a) * S32((uint32_t)b)) + c)

/* 9.7.1.8, 9.7.1.9 */
TC_K32(divu16, U16(b) == 0 ? 0xffffu : U16(a) / U16(b))
TC_K32(divs16, U16(div_s32(tc_s16(a), tc_s16(b))))
TC_K32(divu32, b == 0 ? UINT32_MAX : a / b)
TC_K32(divs32, div_s32(S32(a), S32(b)))
TC_K64(divu64, b == 0 ? UINT64_MAX : a / b)
TC_K64(divs64, div_s64(S64(a), S64(b)))
TC_K32(remu16, U16(b) == 0 ? 0xffffu : U16(a) % U16(b))
TC_K32(rems16, U16(rem_s32(tc_s16(a), tc_s16(b))))
TC_K32(remu32, b == 0 ? UINT32_MAX : a % b)
TC_K32(rems32, rem_s32(S32(a), S32(b)))
TC_K64(remu64, b == 0 ? UINT64_MAX : a % b)
TC_K64(rems64, rem_s64(S64(a), S64(b)))

/* 9.7.1.10 to 9.7.1.13; the least integer is its own absolute value */
TC_K32(abs16, U16(tc_s16(a) < 0 ? 0u - a : a))
TC_K32(abs32, S32(a) < 0 ? 0u - a : a)
TC_K64(abs64, S64(a) < 0 ? 0u - a : a)
TC_K32(neg16, U16(0u - a))
TC_K32(neg32, 0u - a)
TC_K64(neg64, 0u - a)
TC_K32(minu16, U16(a) < U16(b) ? U16(a) : U16(b))
TC_K32(mins16, U16(tc_s16(a) < tc_s16(b) ? a : b))
TC_K32(minu32, a < b ? a : b)
TC_K32(mins32, S32(a) < S32(b) ? a : b)
TC_K64(minu64, a < b ? a : b)
TC_K64(mins64, S64(a) < S64(b) ? a : b)
TC_K32(maxu16, U16(a) > U16(b) ? U16(a) : U16(b))
TC_K32(maxs16, U16(tc_s16(a) > tc_s16(b) ? a : b))
TC_K32(maxu32, a > b ? a : b)
TC_K32(maxs32, S32(a) > S32(b) ? a : b)
TC_K64(maxu64, a > b ? a : b)
TC_K64(maxs64, S64(a) > S64(b) ? a : b)

/* Rows of an op that does not tell signed from unsigned, and of one that
 * does. */
#define SAME(op)                                                               \
    [TC_PT_U16] = {op##16, NULL}, [TC_PT_S16] = {op##16, NULL},                \
    [TC_PT_U32] = {op##32, NULL}, [TC_PT_S32] = {op##32, NULL},                \
    [TC_PT_U64] = {NULL, op##64}, [TC_PT_S64] = {NULL, op##64}
#define BOTH(op)                                                               \
    [TC_PT_U16] = {op##u16, NULL}, [TC_PT_S16] = {op##s16, NULL},              \
    [TC_PT_U32] = {op##u32, NULL}, [TC_PT_S32] = {op##s32, NULL},              \
    [TC_PT_U64] = {NULL, op##u64}, [TC_PT_S64] = {NULL, op##s64}
#define SIGNED(op)                                                             \
    [TC_PT_S16] = {op##16, NULL}, [TC_PT_S32] = {op##32, NULL},                \
    [TC_PT_S64] = {NULL, op##64}
#define WIDE(op)                                                               \
    [TC_PT_U16] = {op##u16, NULL}, [TC_PT_S16] = {op##s16, NULL},              \
    [TC_PT_U32] = {NULL, op##u32}, [TC_PT_S32] = {NULL, op##s32}

typedef tc_kernel rows[TC_PT_COUNT];

static const rows adds = {
    SAME(add), TC_FLOAT_ROWS(add),
    TC_HALF_ROWS(add), [TC_PT_U16X2] = {tc_pair_add32, NULL},
    [TC_PT_S16X2] = {tc_pair_add32, NULL}};
static const rows subs = {SAME(sub), TC_FLOAT_ROWS(sub), TC_HALF_ROWS(sub)};
static const rows muls = {SAME(mullo), TC_FLOAT_ROWS(mul), TC_HALF_ROWS(mul)};
static const rows mul_his = {BOTH(mulhi)};
static const rows mul_wides = {WIDE(mulw)};
static const rows mads = {SAME(madlo), TC_FLOAT_ROWS(fma)};
static const rows mad_his = {BOTH(madhi)};
static const rows mad_wides = {WIDE(madw)};
static const rows divs = {BOTH(div), TC_FLOAT_ROWS(div)};
static const rows rems = {BOTH(rem)};
static const rows abss = {SIGNED(abs), TC_FLOAT_ROWS(abs), TC_HALF_ROWS(abs)};
static const rows negs = {SIGNED(neg), TC_FLOAT_ROWS(neg), TC_HALF_ROWS(neg)};
static const rows mins = {
    BOTH(min), TC_FLOAT_ROWS(min), TC_HALF_ROWS(min),
    [TC_PT_U16X2] = {tc_pair_minu, NULL}, [TC_PT_S16X2] = {tc_pair_mins, NULL}};
static const rows maxs = {
    BOTH(max), TC_FLOAT_ROWS(max), TC_HALF_ROWS(max),
    [TC_PT_U16X2] = {tc_pair_maxu, NULL}, [TC_PT_S16X2] = {tc_pair_maxs, NULL}};

static bool sat_s32(const tc_ptx_op *op) {
    return op->type == TC_PT_S32 && (op->flags & TC_PM_SAT) != 0;
}

/* What is no kernel by type: with a carry, of .f32x2, of mixed precision. */
static bool special(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                    tc_sim_op_fn *carry, tc_k32 *f32, int n) {
    if ((op->more & TC_PX_CC) != 0) {
        carry(w, op, mask);
    } else if (op->type == TC_PT_F32X2) {
        tc_alu_pairs(w, op, mask, f32, n);
    } else if (op->type2 != TC_PT_NONE) {
        tc_alu_mixed(w, op, mask, f32, n);
    } else {
        return false;
    }
    return true;
}

void tc_sim_op_ADD(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    static const tc_kernel sat = {adds32, NULL};
    if (special(w, op, mask, tc_carry_add, tc_f32_add, 2)) {
        return;
    }
    tc_alu_run(w, op, mask, sat_s32(op) ? &sat : &adds[op->type], 2);
}

void tc_sim_op_SUB(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    static const tc_kernel sat = {subs32, NULL};
    if (special(w, op, mask, tc_carry_sub, tc_f32_sub, 2)) {
        return;
    }
    tc_alu_run(w, op, mask, sat_s32(op) ? &sat : &subs[op->type], 2);
}

void tc_sim_op_MUL(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    if (special(w, op, mask, NULL, tc_f32_mul, 2)) {
        return;
    }
    const tc_kernel *k = (op->flags & TC_PM_WIDE) != 0 ? mul_wides
                         : (op->flags & TC_PM_HI) != 0 ? mul_his
                                                       : muls;
    tc_alu_run(w, op, mask, &k[op->type], 2);
}

void tc_sim_op_MAD(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    static const tc_kernel sat = {madhisat32, NULL};
    if (special(w, op, mask, tc_carry_mad, tc_f32_fma, 3)) {
        return;
    }
    const tc_kernel *k = (op->flags & TC_PM_WIDE) != 0 ? mad_wides
                         : (op->flags & TC_PM_HI) != 0 ? mad_his
                                                       : mads;
    tc_alu_run(w, op, mask, sat_s32(op) ? &sat : &k[op->type], 3);
}

void tc_sim_op_DIV(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_alu_run(w, op, mask, &divs[op->type], 2);
}

void tc_sim_op_REM(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_alu_run(w, op, mask, &rems[op->type], 2);
}

void tc_sim_op_ABS(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_alu_run(w, op, mask, &abss[op->type], 1);
}

void tc_sim_op_NEG(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_alu_run(w, op, mask, &negs[op->type], 1);
}

void tc_sim_op_MIN(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_alu_extreme(w, op, mask, &mins[op->type]);
}

void tc_sim_op_MAX(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_alu_extreme(w, op, mask, &maxs[op->type]);
}

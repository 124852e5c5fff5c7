/* alu.h - how an arithmetic op runs over a warp.
 *
 * A kernel computes all 32 lanes into an array of its own; the driver fetches
 * the sources before and blends the result into the destination under the
 * mask after, so that a source may be the destination and the loops vectorise.
 * Which kernel: a table by the op's type; forms.def lets no other type in. */
#ifndef TC_SIM_ALU_H
#define TC_SIM_ALU_H

#include "sim/core/code.h"
#include "sim/core/operand.h"

#include <string.h>

typedef void tc_k32(uint32_t flags, uint32_t *restrict d, const uint32_t *a,
                    const uint32_t *b, const uint32_t *c);
typedef void tc_k64(uint32_t flags, uint64_t *restrict d, const uint64_t *a,
                    const uint64_t *b, const uint64_t *c);

typedef struct tc_kernel { /* one of the two: the width of its lanes */
    tc_k32 *k32;
    tc_k64 *k64;
} tc_kernel;

/* Runs k on sources a[1..n] to destination a[0]. A 32-bit source of a 64-bit
 * kernel is zero-extended; a 32-bit destination takes the low word. */
void tc_alu_run(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                const tc_kernel *k, int n);

/* A kernel of one expression over a, b and c, the lane's values. */
#define TC_K32(name, expr)                                                     \
    static void name(uint32_t flags, uint32_t *restrict d_,                    \
                     const uint32_t *a_, const uint32_t *b_,                   \
                     const uint32_t *c_) {                                     \
        (void)flags;                                                           \
        for (int i = 0; i < TC_LANES; i++) {                                   \
            uint32_t a = a_[i], b = b_[i], c = c_[i];                          \
            (void)a, (void)b, (void)c;                                         \
            d_[i] = (uint32_t)(expr);                                          \
        }                                                                      \
    }
#define TC_K64(name, expr)                                                     \
    static void name(uint32_t flags, uint64_t *restrict d_,                    \
                     const uint64_t *a_, const uint64_t *b_,                   \
                     const uint64_t *c_) {                                     \
        (void)flags;                                                           \
        for (int i = 0; i < TC_LANES; i++) {                                   \
            uint64_t a = a_[i], b = b_[i], c = c_[i];                          \
            (void)a, (void)b, (void)c;                                         \
            d_[i] = (uint64_t)(expr);                                          \
        }                                                                      \
    }

static inline float tc_f32(uint32_t u) {
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static inline uint32_t tc_u32(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static inline double tc_f64(uint64_t u) {
    double d;
    memcpy(&d, &u, sizeof d);
    return d;
}

static inline uint64_t tc_u64(double d) {
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

static inline int16_t tc_s16(uint32_t v) {
    return (int16_t)(uint16_t)v;
}

/* A subnormal .f32 becomes zero of its sign (.ftz). */
static inline uint32_t tc_alu_flush(uint32_t u) {
    return (u & 0x7f800000u) == 0 ? u & 0x80000000u : u;
}

/* ---- half.c: formats below 32 bits, and rounding to any format ---- */
typedef enum tc_round { TC_RN, TC_RZ, TC_RM, TC_RP } tc_round;
tc_round tc_round_of(uint32_t flags);
/* m * 2^e (and a little more if sticky), rounded once, as bits of t. */
uint64_t tc_alu_pack(tc_ptx_type t, bool neg, uint64_t m, int e, bool sticky,
                     tc_round r);
/* A double rounded to t; NaN is t's canonical NaN. */
uint64_t tc_pack_double(tc_ptx_type t, double x, tc_round r);
/* Bits of a float type (not packed) as a double, exactly. */
double tc_alu_unpack(tc_ptx_type t, uint64_t bits);
/* A NaN of one type as a quiet one of another, its payload cut or widened. */
uint64_t tc_nan_resize(tc_ptx_type from, tc_ptx_type to, uint64_t v);
/* .f16, .bf16 and their pairs: any op of float.c. */
extern tc_k32 tc_half_add, tc_half_sub, tc_half_mul, tc_half_fma, tc_half_min,
    tc_half_max, tc_half_abs, tc_half_neg, tc_half_ex2, tc_half_tanh;
extern tc_k32 tc_half2_add, tc_half2_sub, tc_half2_mul, tc_half2_fma,
    tc_half2_min, tc_half2_max, tc_half2_abs, tc_half2_neg, tc_half2_ex2,
    tc_half2_tanh;
extern tc_k32 tc_bhalf_add, tc_bhalf_sub, tc_bhalf_mul, tc_bhalf_fma,
    tc_bhalf_min, tc_bhalf_max, tc_bhalf_abs, tc_bhalf_neg, tc_bhalf_ex2,
    tc_bhalf_tanh;
extern tc_k32 tc_bhalf2_add, tc_bhalf2_sub, tc_bhalf2_mul, tc_bhalf2_fma,
    tc_bhalf2_min, tc_bhalf2_max, tc_bhalf2_abs, tc_bhalf2_neg, tc_bhalf2_ex2,
    tc_bhalf2_tanh;
#define TC_HALF_ROWS(op)                                                       \
    [TC_PT_F16] = {tc_half_##op, NULL}, [TC_PT_F16X2] = {tc_half2_##op, NULL}, \
    [TC_PT_BF16] = {tc_bhalf_##op, NULL},                                      \
    [TC_PT_BF16X2] = {tc_bhalf2_##op, NULL}

/* An op of .f16, .bf16 or their pairs with bits in op.more. */
void tc_half_misc(tc_warp *w, const tc_ptx_op *op, uint32_t mask, tc_k32 *k,
                  int n);
/* ---- cvt_narrow.c: cvt to and from formats below 16 bits and .tf32, and with
 * .relu, .satfinite or .rs ---- */
void tc_cvt_small(tc_warp *w, const tc_ptx_op *op, uint32_t mask);

/* ---- carry.c: with TC_PX_CC ---- */
tc_sim_op_fn tc_carry_add, tc_carry_sub, tc_carry_mad;

/* ---- simd.c ---- */
extern tc_k32 tc_pair_add32, tc_pair_minu, tc_pair_mins, tc_pair_maxu,
    tc_pair_maxs;
/* A .f32 kernel on both halves of .f32x2; and with the sources but the last
 * of type2. */
void tc_alu_pairs(tc_warp *w, const tc_ptx_op *op, uint32_t mask, tc_k32 *k,
                  int n);
void tc_alu_mixed(tc_warp *w, const tc_ptx_op *op, uint32_t mask, tc_k32 *k,
                  int n);

/* ---- minmax.c: min and max with bits in op.more, or of three ---- */
void tc_alu_extreme(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                    const tc_kernel *k);

/* ---- float.c ---- */
extern tc_k32 tc_f32_add, tc_f32_sub, tc_f32_mul, tc_f32_fma, tc_f32_div,
    tc_f32_min, tc_f32_max, tc_f32_abs, tc_f32_neg;
extern tc_k64 tc_f64_add, tc_f64_sub, tc_f64_mul, tc_f64_fma, tc_f64_div,
    tc_f64_min, tc_f64_max, tc_f64_abs, tc_f64_neg;
#define TC_FLOAT_ROWS(op)                                                      \
    [TC_PT_F32] = {tc_f32_##op, NULL}, [TC_PT_F64] = {NULL, tc_f64_##op}

#endif

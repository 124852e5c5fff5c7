/* float.c - .f32 and .f64 (PTX ISA 9.7.3).
 *
 * The host's arithmetic is IEEE 754 as the GPU's is; other roundings than to
 * nearest are the host's own under fesetround, kept in place by volatile.
 * Every NaN that arithmetic of .f32 makes is the canonical 0x7fffffff. The
 * .approx forms give the correctly rounded result (for sin, cos, lg2, ex2 and
 * rsqrt: the host's double function, rounded), which is inside the errors that
 * PTX allows; a GPU may differ in the last bits. */
#include "sim/alu/alu.h"

#include <fenv.h>
#include <math.h>

typedef enum float_op {
    ADD,
    SUB,
    MUL,
    FMA,
    DIV,
    RCP,
    SQRT,
    RSQRT,
    SIN,
    COS,
    LG2,
    EX2,
    TANH
} float_op;

enum {
    ROUNDINGS = TC_PM_RZ | TC_PM_RM | TC_PM_RP,
    SLOW = ROUNDINGS | TC_PM_SAT | TC_PM_FTZ,
    NAN32 = 0x7fffffff
};

static int fe_mode(uint32_t flags) {
    return (flags & TC_PM_RZ) != 0   ? FE_TOWARDZERO
           : (flags & TC_PM_RM) != 0 ? FE_DOWNWARD
           : (flags & TC_PM_RP) != 0 ? FE_UPWARD
                                     : FE_TONEAREST;
}

static uint32_t canonical(float f) {
    return f != f ? (uint32_t)NAN32 : tc_u32(f);
}

/* 9.7.3.8: beyond 2^126 the approximate division by a number gives zero. */
static float divide(float x, float y, uint32_t flags) {
    bool huge = (flags & TC_PM_APPROX) != 0 && fabsf(y) > 0x1p126f &&
                !isinf(y) && !isnan(x);
    if (huge) {
        return isinf(x) ? NAN : copysignf(0.0f, x) * copysignf(1.0f, y);
    }
    return x / y;
}

/* One rounded result; the volatile variables are read and written between the
 * two calls of fesetround, so that the operation cannot leave them. */
static float calculate32(float_op op, uint32_t flags, float a, float b,
                         float c) {
    volatile float x = a, y = b, z = c, r;
    int mode = fe_mode(flags);
    if (mode != FE_TONEAREST) {
        fesetround(mode);
    }
    switch (op) {
    case ADD:
        r = x + y;
        break;
    case SUB:
        r = x - y;
        break;
    case MUL:
        r = x * y;
        break;
    case FMA:
        r = fmaf(x, y, z);
        break;
    case DIV:
        r = divide(x, y, flags);
        break;
    case RCP:
        r = 1.0f / x;
        break;
    case SQRT:
        r = sqrtf(x);
        break;
    case RSQRT:
        r = (float)(1.0 / sqrt((double)x));
        break;
    case SIN:
        r = (float)sin((double)x);
        break;
    case COS:
        r = (float)cos((double)x);
        break;
    case LG2:
        r = (float)log2((double)x);
        break;
    case TANH:
        r = (float)tanh((double)x);
        break;
    default:
        r = (float)exp2((double)x);
        break;
    }
    if (mode != FE_TONEAREST) {
        fesetround(FE_TONEAREST);
    }
    return r;
}

static uint32_t saturate32(uint32_t u) {
    float f = tc_f32(u);
    return f > 1.0f ? 0x3f800000u : f > 0.0f ? u : 0;
}

/* Is a result that was rounded up to the least normal number tiny before it is
 * rounded? .ftz flushes it then (an H200 does so in mul, fma and div). The
 * product of two floats is exact in double; of a sum the error tells. */
static bool was_tiny(float_op op, float x, float y, float z, float result) {
    const double least = 0x1p-126;
    if (fabsf(result) != 0x1p-126f || (op != MUL && op != FMA && op != DIV)) {
        return false;
    }
    double p = (double)x * (double)y, sum = p + (double)z;
    if (op == DIV) {
        return fabs((double)x / (double)y) < least;
    }
    if (op == MUL) {
        return fabs(p) < least;
    }
    double part = sum - p;
    double error = (p - (sum - part)) + ((double)z - part);
    return fabs(sum) < least || (fabs(sum) == least && error * sum < 0);
}

static void slow32(float_op op, uint32_t flags, uint32_t *restrict d,
                   const uint32_t *a, const uint32_t *b, const uint32_t *c) {
    bool ftz = (flags & TC_PM_FTZ) != 0;
    for (int i = 0; i < TC_LANES; i++) {
        uint32_t x = ftz ? tc_alu_flush(a[i]) : a[i];
        uint32_t y = ftz ? tc_alu_flush(b[i]) : b[i];
        uint32_t z = ftz ? tc_alu_flush(c[i]) : c[i];
        float f = calculate32(op, flags, tc_f32(x), tc_f32(y), tc_f32(z));
        if (op == RCP && ftz && fabsf(tc_f32(x)) > 0x1p126f) {
            f = f * 0.0f; /* tiny before it is rounded: flushed */
        }
        if (ftz && was_tiny(op, tc_f32(x), tc_f32(y), tc_f32(z), f)) {
            f = f * 0.0f;
        }
        uint32_t r = canonical(f);
        r = ftz ? tc_alu_flush(r) : r;
        d[i] = (flags & TC_PM_SAT) != 0 ? saturate32(r) : r;
    }
}

/* A kernel with a loop for the plain case and one for all the others. */
#define K32_FLOAT(name, op, expr)                                              \
    void name(uint32_t flags, uint32_t *restrict d, const uint32_t *a,         \
              const uint32_t *b, const uint32_t *c) {                          \
        if ((flags & SLOW) != 0) {                                             \
            slow32(op, flags, d, a, b, c);                                     \
            return;                                                            \
        }                                                                      \
        for (int i = 0; i < TC_LANES; i++) {                                   \
            float x = tc_f32(a[i]), y = tc_f32(b[i]), z = tc_f32(c[i]);        \
            (void)x, (void)y, (void)z;                                         \
            d[i] = canonical(expr);                                            \
        }                                                                      \
    }
K32_FLOAT(tc_f32_add, ADD, x + y)
K32_FLOAT(tc_f32_sub, SUB, x - y)
K32_FLOAT(tc_f32_mul, MUL, x *y)
K32_FLOAT(tc_f32_fma, FMA, fmaf(x, y, z))
K32_FLOAT(tc_f32_div, DIV, divide(x, y, flags))
static K32_FLOAT(rcp32, RCP, 1.0f / x) static K32_FLOAT(sqrt32, SQRT, sqrtf(x))

#define K32_ALWAYS(name, op)                                                   \
    static void name(uint32_t flags, uint32_t *restrict d, const uint32_t *a,  \
                     const uint32_t *b, const uint32_t *c) {                   \
        slow32(op, flags, d, a, b, c);                                         \
    }
    K32_ALWAYS(rsqrt32, RSQRT) K32_ALWAYS(sin32, SIN) K32_ALWAYS(cos32, COS)
        K32_ALWAYS(lg2_32, LG2) K32_ALWAYS(ex2_32, EX2) K32_ALWAYS(tanh32, TANH)

    /* 9.7.3.11, 9.7.3.12: -0 is less than +0; one NaN loses against a number,
     * or with .NaN wins. */
    static uint32_t pick32(uint32_t flags, uint32_t a, uint32_t b, bool most) {
    if ((flags & TC_PM_FTZ) != 0) {
        a = tc_alu_flush(a);
        b = tc_alu_flush(b);
    }
    float x = tc_f32(a), y = tc_f32(b);
    if (x != x || y != y) {
        bool both = x != x && y != y;
        return both || (flags & TC_PM_NAN) != 0 ? (uint32_t)NAN32
               : x != x                         ? b
                                                : a;
    }
    if (x == y) { /* the same, or zeros of two signs */
        return most ? (a & b) : (a | b);
    }
    return (x < y) != most ? a : b;
}
TC_K32(min32, pick32(flags, a, b, false))
TC_K32(max32, pick32(flags, a, b, true))

void tc_f32_min(uint32_t flags, uint32_t *restrict d, const uint32_t *a,
                const uint32_t *b, const uint32_t *c) {
    min32(flags, d, a, b, c);
}

void tc_f32_max(uint32_t flags, uint32_t *restrict d, const uint32_t *a,
                const uint32_t *b, const uint32_t *c) {
    max32(flags, d, a, b, c);
}

void tc_f32_abs(uint32_t flags, uint32_t *restrict d, const uint32_t *a,
                const uint32_t *b, const uint32_t *c) {
    (void)b, (void)c;
    bool ftz = (flags & TC_PM_FTZ) != 0;
    for (int i = 0; i < TC_LANES; i++) {
        uint32_t u = (ftz ? tc_alu_flush(a[i]) : a[i]) & 0x7fffffffu;
        d[i] = u > 0x7f800000u ? (uint32_t)NAN32 : u;
    }
}

void tc_f32_neg(uint32_t flags, uint32_t *restrict d, const uint32_t *a,
                const uint32_t *b, const uint32_t *c) {
    (void)b, (void)c;
    bool ftz = (flags & TC_PM_FTZ) != 0;
    for (int i = 0; i < TC_LANES; i++) {
        uint32_t u = ftz ? tc_alu_flush(a[i]) : a[i];
        bool nan = (u & 0x7fffffffu) > 0x7f800000u;
        d[i] = nan ? (uint32_t)NAN32 : u ^ 0x80000000u;
    }
}

/* ---- .f64 ---- */

static double calculate64(float_op op, uint32_t flags, double a, double b,
                          double c) {
    volatile double x = a, y = b, z = c, r;
    int mode = fe_mode(flags);
    if (mode != FE_TONEAREST) {
        fesetround(mode);
    }
    switch (op) {
    case ADD:
        r = x + y;
        break;
    case SUB:
        r = x - y;
        break;
    case MUL:
        r = x * y;
        break;
    case FMA:
        r = fma(x, y, z);
        break;
    case DIV:
        r = x / y;
        break;
    case RCP:
        r = 1.0 / x;
        break;
    case SQRT:
        r = sqrt(x);
        break;
    default:
        r = 1.0 / sqrt(x);
        break;
    }
    if (mode != FE_TONEAREST) {
        fesetround(FE_TONEAREST);
    }
    return r;
}

static uint64_t quiet64(double x) {
    return tc_u64(x) | (uint64_t)1 << 51;
}

/* A NaN result, as an H200 makes it (PTX leaves it open): of the operands that
 * are NaNs b before c before a, quieted; of div the first; with no such operand
 * the default one. */
static uint64_t nan64(float_op op, double x, double y, double z) {
    bool has_y = op <= FMA || op == DIV, has_z = op == FMA;
    if (x != x && (op == DIV || !has_y)) {
        return quiet64(x);
    }
    return has_y && y != y   ? quiet64(y)
           : has_z && z != z ? quiet64(z)
           : x != x          ? quiet64(x)
                             : UINT64_C(0xfff8000000000000);
}

static uint64_t flush64(uint64_t u) {
    uint64_t sign = u & (uint64_t)1 << 63;
    return (u >> 52 & 0x7ff) == 0 ? sign : u;
}

/* 9.7.3.14, 9.7.3.17: .approx.ftz.f64 reads and gives upper words only. */
#define UPPER UINT64_C(0xffffffff00000000)

static void slow64(float_op op, uint32_t flags, uint64_t *restrict d,
                   const uint64_t *a, const uint64_t *b, const uint64_t *c) {
    /* rcp and rsqrt only; rcp.rn.ftz, which PTX does not list, is rcp.rn. */
    bool ftz = (flags & TC_PM_FTZ) != 0 && (flags & TC_PM_APPROX) != 0;
    for (int i = 0; i < TC_LANES; i++) {
        uint64_t x = ftz ? flush64(a[i]) & UPPER : a[i];
        double y = tc_f64(b[i]), z = tc_f64(c[i]);
        double r = calculate64(op, flags, tc_f64(x), y, z);
        uint64_t u = r == r ? tc_u64(r) : nan64(op, tc_f64(x), y, z);
        d[i] = !ftz ? u : r != r ? UPPER >> 1 & UPPER : flush64(u) & UPPER;
    }
}

#define K64_FLOAT(name, op, expr)                                              \
    void name(uint32_t flags, uint64_t *restrict d, const uint64_t *a,         \
              const uint64_t *b, const uint64_t *c) {                          \
        if ((flags & (ROUNDINGS | TC_PM_FTZ)) != 0) {                          \
            slow64(op, flags, d, a, b, c);                                     \
            return;                                                            \
        }                                                                      \
        for (int i = 0; i < TC_LANES; i++) {                                   \
            double x = tc_f64(a[i]), y = tc_f64(b[i]), z = tc_f64(c[i]);       \
            double r = expr;                                                   \
            d[i] = r == r ? tc_u64(r) : nan64(op, x, y, z);                    \
        }                                                                      \
    }
K64_FLOAT(tc_f64_add, ADD, x + y)
K64_FLOAT(tc_f64_sub, SUB, x - y)
K64_FLOAT(tc_f64_mul, MUL, x *y)
K64_FLOAT(tc_f64_fma, FMA, fma(x, y, z))
K64_FLOAT(tc_f64_div, DIV, x / y)
static K64_FLOAT(rcp64, RCP, 1.0 / x) static K64_FLOAT(
    sqrt64, SQRT, sqrt(x)) static K64_FLOAT(rsqrt64, RSQRT, 1.0 / sqrt(x))

    static uint64_t pick64(uint64_t a, uint64_t b, bool most) {
    double x = tc_f64(a), y = tc_f64(b);
    if (x != x || y != y) {
        return x == x ? a : y == y ? b : quiet64(y);
    }
    if (x == y) {
        return most ? (a & b) : (a | b);
    }
    return (x < y) != most ? a : b;
}
TC_K64(min64, pick64(a, b, false))
TC_K64(max64, pick64(a, b, true))
static uint64_t sign64(uint64_t a, bool flip) {
    double x = tc_f64(a);
    uint64_t sign = (uint64_t)1 << 63;
    return x != x ? quiet64(x) : flip ? a ^ sign : a & ~sign;
}
TC_K64(abs64, sign64(a, false))
TC_K64(neg64, sign64(a, true))

#define PASS64(name, to)                                                       \
    void name(uint32_t flags, uint64_t *restrict d, const uint64_t *a,         \
              const uint64_t *b, const uint64_t *c) {                          \
        to(flags, d, a, b, c);                                                 \
    }
PASS64(tc_f64_min, min64)
PASS64(tc_f64_max, max64)
PASS64(tc_f64_abs, abs64)
PASS64(tc_f64_neg, neg64)

/* ---- the opcodes that only floating point has ---- */

void tc_sim_op_FMA(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    static const tc_kernel rows[TC_PT_COUNT] = {TC_FLOAT_ROWS(fma),
                                                TC_HALF_ROWS(fma)};
    tc_ptx_op as = *op;
    bool bf = op->type == TC_PT_BF16 || op->type == TC_PT_BF16X2;
    if (bf && (op->flags & ROUNDINGS) != 0) {
        /* PTX has .rn only. ptxas takes others too, and an H200 then computes
         * with .rn, and one .bf16 as if it were .f16, without .relu. */
        as.flags &= ~(uint32_t)ROUNDINGS;
        if (op->type == TC_PT_BF16) {
            as.type = TC_PT_F16;
            as.more &= ~(uint32_t)TC_PX_RELU;
        }
        op = &as;
    }
    if (op->more != 0) {
        tc_half_misc(w, op, mask, rows[op->type].k32, 3);
    } else if (op->type == TC_PT_F32X2) {
        tc_alu_pairs(w, op, mask, tc_f32_fma, 3);
    } else if (op->type2 != TC_PT_NONE) {
        tc_alu_mixed(w, op, mask, tc_f32_fma, 3);
    } else {
        tc_alu_run(w, op, mask, &rows[op->type], 3);
    }
}

static void unary(tc_warp *w, const tc_ptx_op *op, uint32_t mask, tc_k32 *k32,
                  tc_k64 *k64) {
    bool wide = op->type == TC_PT_F64;
    tc_kernel k = {wide ? NULL : k32, wide ? k64 : NULL};
    tc_alu_run(w, op, mask, &k, 1);
}

void tc_sim_op_RCP(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    unary(w, op, mask, rcp32, rcp64);
}

void tc_sim_op_SQRT(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    unary(w, op, mask, sqrt32, sqrt64);
}

void tc_sim_op_RSQRT(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    unary(w, op, mask, rsqrt32, rsqrt64);
}

void tc_sim_op_SIN(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    unary(w, op, mask, sin32, NULL);
}

void tc_sim_op_COS(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    unary(w, op, mask, cos32, NULL);
}

void tc_sim_op_LG2(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    unary(w, op, mask, lg2_32, NULL);
}

void tc_sim_op_EX2(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    static const tc_kernel rows[TC_PT_COUNT] = {[TC_PT_F32] = {ex2_32, NULL},
                                                TC_HALF_ROWS(ex2)};
    tc_alu_run(w, op, mask, &rows[op->type], 1);
}

void tc_sim_op_TANH(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    static const tc_kernel rows[TC_PT_COUNT] = {[TC_PT_F32] = {tanh32, NULL},
                                                TC_HALF_ROWS(tanh)};
    tc_alu_run(w, op, mask, &rows[op->type], 1);
}

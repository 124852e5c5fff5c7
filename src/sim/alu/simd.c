/* simd.c - packed video instructions (PTX ISA 9.7.18): two half-words or
 * four bytes, each chosen from both sources; and packed half-words and .f32
 * pairs of plain arithmetic (9.7.1.1, 9.7.1.12, 9.7.3.3). */
#include "sim/alu/alu.h"

typedef enum simd_op { ADD, SUB, AVRG, ABSDIFF, MIN, MAX, SET } simd_op;

static int32_t extended(uint32_t v, int bits, bool sign) {
    uint32_t u = v & ((1u << bits) - 1), top = sign ? 1u << (bits - 1) : 0;
    return (int32_t)((u ^ top) - top);
}

static bool compare(uint8_t cmp, int32_t a, int32_t b) {
    return cmp == TC_PC_EQ   ? a == b
           : cmp == TC_PC_NE ? a != b
           : cmp == TC_PC_LT ? a < b
           : cmp == TC_PC_LE ? a <= b
           : cmp == TC_PC_GT ? a > b
                             : a >= b;
}

static int32_t operate(simd_op w, uint8_t cmp, int32_t a, int32_t b) {
    switch (w) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case AVRG:
        return (a + b + (a + b >= 0)) >> 1;
    case ABSDIFF:
        return a < b ? b - a : a - b;
    case MIN:
        return a < b ? a : b;
    case MAX:
        return a > b ? a : b;
    default:
        return compare(cmp, a, b);
    }
}

static int32_t clamp(int32_t v, int bits, bool sign) {
    int32_t most = (1 << (bits - (sign ? 1 : 0))) - 1;
    int32_t least = sign ? -most - 1 : 0;
    return v > most ? most : v < least ? least : v;
}

/* Places of the mask get the result, or with .add it is added to c; the others
 * keep c's element. */
static uint32_t lane(const tc_ptx_op *op, simd_op what, int n, uint32_t a,
                     uint32_t b, uint32_t c) {
    int bits = 32 / n;
    bool set = what == SET, add = op->sub == TC_VOP_ADD;
    uint8_t ta = set ? op->type : op->type2, tb = set ? op->type2 : op->type3;
    bool sign = !set && op->type == TC_PT_S32;
    uint64_t both = (uint64_t)b << 32 | a;
    uint32_t d = add ? c : 0;
    for (int i = 0; i < n; i++) {
        unsigned from = (unsigned)bits * (op->size >> (4 * i) & 0xf);
        unsigned from2 = (unsigned)bits * (op->size >> (16 + 4 * i) & 0xf);
        int32_t x = extended((uint32_t)(both >> from), bits, ta == TC_PT_S32);
        int32_t y = extended((uint32_t)(both >> from2), bits, tb == TC_PT_S32);
        int32_t t = operate(what, op->cmp, x, y);
        bool on = (op->space2 >> i & 1) != 0;
        if ((op->flags & TC_PM_SAT) != 0) {
            t = clamp(t, bits, sign);
        }
        if (add) {
            d += on ? (uint32_t)t : 0;
            continue;
        }
        uint32_t v = on ? (uint32_t)t : c >> (bits * i);
        d |= (v & ((1u << bits) - 1)) << (bits * i);
    }
    return d;
}

static void packed(tc_warp *w, const tc_ptx_op *op, uint32_t mask, simd_op what,
                   int n) {
    uint32_t tmp[3][TC_LANES], d[TC_LANES];
    const uint32_t *s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = tc_src32(w, &op->a[1 + i], tmp[i]);
    }
    for (int i = 0; i < TC_LANES; i++) {
        d[i] = lane(op, what, n, s[0][i], s[1][i], s[2][i]);
    }
    tc_put32(w, &op->a[0], d, mask);
}

#define PACKED(id, what)                                                       \
    void tc_sim_op_V##id##2(tc_warp * w, const tc_ptx_op *op, uint32_t mask) { \
        packed(w, op, mask, what, 2);                                          \
    }                                                                          \
    void tc_sim_op_V##id##4(tc_warp * w, const tc_ptx_op *op, uint32_t mask) { \
        packed(w, op, mask, what, 4);                                          \
    }
PACKED(ADD, ADD)
PACKED(SUB, SUB)
PACKED(AVRG, AVRG)
PACKED(ABSDIFF, ABSDIFF)
PACKED(MIN, MIN)
PACKED(MAX, MAX)
PACKED(SET, SET)

/* ---- .u16x2, .s16x2: both halves of a word ---- */
#define LOW(v)            ((v)&0xffffu)
#define HIGH(v)           ((v) >> 16)
#define JOIN(hi, lo)      ((uint32_t)(hi) << 16 | LOW((uint32_t)(lo)))
#define LESS_U(x, y)      ((x) < (y))
#define LESS_S(x, y)      (tc_s16(x) < tc_s16(y))
#define LEAST(less, x, y) (less(x, y) ? (x) : (y))
#define MOST(less, x, y)  (less(x, y) ? (y) : (x))
#define HALVES(how, less, a, b)                                                \
    JOIN(how(less, HIGH(a), HIGH(b)), how(less, LOW(a), LOW(b)))

TC_K32(add_pair, JOIN(HIGH(a) + HIGH(b), LOW(a) + LOW(b)))
TC_K32(min_pair_u, HALVES(LEAST, LESS_U, a, b))
TC_K32(min_pair_s, HALVES(LEAST, LESS_S, a, b))
TC_K32(max_pair_u, HALVES(MOST, LESS_U, a, b))
TC_K32(max_pair_s, HALVES(MOST, LESS_S, a, b))

#define PASS(name, to)                                                         \
    void name(uint32_t flags, uint32_t *restrict d, const uint32_t *a,         \
              const uint32_t *b, const uint32_t *c) {                          \
        to(flags, d, a, b, c);                                                 \
    }
PASS(tc_pair_add32, add_pair)
PASS(tc_pair_minu, min_pair_u)
PASS(tc_pair_mins, min_pair_s)
PASS(tc_pair_maxu, max_pair_u)
PASS(tc_pair_maxs, max_pair_s)

/* ---- .f32x2: two .f32 in 64 bits ---- */
void tc_alu_pairs(tc_warp *w, const tc_ptx_op *op, uint32_t mask, tc_k32 *k,
                  int n) {
    uint64_t tmp[3][TC_LANES], d[TC_LANES];
    uint32_t part[4][TC_LANES];
    const uint64_t *s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = i < n ? tc_src64(w, &op->a[1 + i], tmp[i]) : s[0];
    }
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < 3; i++) {
            for (int l = 0; l < TC_LANES; l++) {
                part[i][l] = (uint32_t)(s[i][l] >> (32 * half));
            }
        }
        k(op->flags, part[3], part[0], part[1], part[2]);
        for (int l = 0; l < TC_LANES; l++) {
            uint64_t r = (uint64_t)part[3][l] << (32 * half);
            d[l] = half == 0 ? r : d[l] | r;
        }
    }
    tc_put64(w, &op->a[0], d, mask);
}

/* ---- .f32 with sources of .f16 or .bf16 (9.7.5): they widen exactly ---- */
void tc_alu_mixed(tc_warp *w, const tc_ptx_op *op, uint32_t mask, tc_k32 *k,
                  int n) {
    uint32_t tmp[3][TC_LANES], wide[2][TC_LANES], d[TC_LANES];
    const uint32_t *s[3];
    int small = n - 1; /* all but the last are of the second type */
    for (int i = 0; i < 3; i++) {
        s[i] = i < n ? tc_src32(w, &op->a[1 + i], tmp[i]) : s[0];
        if (i >= small || i >= 2) {
            continue;
        }
        for (int l = 0; l < TC_LANES; l++) {
            double x = tc_alu_unpack((tc_ptx_type)op->type2, s[i][l] & 0xffff);
            wide[i][l] = tc_u32((float)x);
        }
        s[i] = wide[i];
    }
    k(op->flags, d, s[0], s[1], s[2]);
    tc_put32(w, &op->a[0], d, mask);
}

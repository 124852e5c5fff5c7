/* cmp.c - comparison and selection (PTX ISA 9.3.1, 9.7.6, 9.7.7).
 *
 * Two values stand in one of four relations; a comparison accepts a set of
 * them. Ordered float comparisons accept no unordered pair. */
#include "sim/alu/alu.h"

enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static unsigned accepted(tc_ptx_cmp cmp) {
    static const uint8_t sets[] = {[TC_PC_EQ] = EQUAL,
                                   [TC_PC_NE] = LESS | GREATER,
                                   [TC_PC_LT] = LESS,
                                   [TC_PC_LE] = LESS | EQUAL,
                                   [TC_PC_GT] = GREATER,
                                   [TC_PC_GE] = GREATER | EQUAL,
                                   [TC_PC_LO] = LESS,
                                   [TC_PC_LS] = LESS | EQUAL,
                                   [TC_PC_HI] = GREATER,
                                   [TC_PC_HS] = GREATER | EQUAL,
                                   [TC_PC_EQU] = EQUAL | UNORDERED,
                                   [TC_PC_NEU] = LESS | GREATER | UNORDERED,
                                   [TC_PC_LTU] = LESS | UNORDERED,
                                   [TC_PC_LEU] = LESS | EQUAL | UNORDERED,
                                   [TC_PC_GTU] = GREATER | UNORDERED,
                                   [TC_PC_GEU] = GREATER | EQUAL | UNORDERED,
                                   [TC_PC_NUM] = LESS | EQUAL | GREATER,
                                   [TC_PC_NAN] = UNORDERED};
    return sets[cmp];
}

/* The lanes whose values, seen through `view`, are in an accepted relation. */
#define COMPARE(type, view)                                                    \
    for (int i = 0; i < TC_LANES; i++) {                                       \
        type x = view(a[i]), y = view(b[i]);                                   \
        unsigned relation = x < y    ? LESS                                    \
                            : x == y ? EQUAL                                   \
                            : x > y  ? GREATER                                 \
                                     : UNORDERED;                               \
        hit[i] = (set & relation) != 0;                                        \
    }

#define AS_U16(v)   ((v)&0xffffu)
#define AS_U(v)     (v)
#define AS_S32(v)   ((int32_t)(v))
#define AS_S64(v)   ((int64_t)(v))
#define AS_FTZ(v)   tc_f32(tc_alu_flush(v))
#define AS_HALF(v)  tc_alu_unpack(TC_PT_F16, (v)&0xffffu)
#define AS_HALF2(v) tc_alu_unpack(TC_PT_F16, (v) >> 16)
#define AS_BF(v)    tc_alu_unpack(TC_PT_BF16, (v)&0xffffu)
#define AS_BF2(v)   tc_alu_unpack(TC_PT_BF16, (v) >> 16)

static uint32_t mask_of(const uint8_t *hit) {
    uint32_t m = 0;
    for (int i = 0; i < TC_LANES; i++) {
        m |= (uint32_t)hit[i] << i;
    }
    return m;
}

/* .ftz of .f16: subnormals are zeros. */
static void flush_halves(uint32_t *v) {
    for (int i = 0; i < TC_LANES; i++) {
        v[i] &= (v[i] & 0x7c00u) == 0 ? 0xffff8000u : UINT32_MAX;
        v[i] &= (v[i] & 0x7c000000u) == 0 ? 0x8000ffffu : UINT32_MAX;
    }
}

/* high: the upper halves of a packed type. */
static uint32_t compare32(tc_ptx_type t, unsigned set, uint32_t flags,
                          const uint32_t *a, const uint32_t *b, bool high) {
    uint8_t hit[TC_LANES];
    uint32_t fa[TC_LANES], fb[TC_LANES];
    bool ftz = (flags & TC_PM_FTZ) != 0;
    bool half = t == TC_PT_F16 || t == TC_PT_F16X2;
    if (ftz && half) {
        memcpy(fa, a, sizeof fa);
        memcpy(fb, b, sizeof fb);
        flush_halves(fa);
        flush_halves(fb);
        a = fa;
        b = fb;
    }
    if (t == TC_PT_S16) {
        COMPARE(int, tc_s16)
    } else if (t == TC_PT_U16 || t == TC_PT_B16) {
        COMPARE(uint32_t, AS_U16)
    } else if (t == TC_PT_S32) {
        COMPARE(int32_t, AS_S32)
    } else if (t == TC_PT_F32 && ftz) {
        COMPARE(float, AS_FTZ)
    } else if (t == TC_PT_F32) {
        COMPARE(float, tc_f32)
    } else if (half && high) {
        COMPARE(double, AS_HALF2)
    } else if (half) {
        COMPARE(double, AS_HALF)
    } else if (t == TC_PT_BF16X2 && high) {
        COMPARE(double, AS_BF2)
    } else if (t == TC_PT_BF16 || t == TC_PT_BF16X2) {
        COMPARE(double, AS_BF)
    } else {
        COMPARE(uint32_t, AS_U)
    }
    return mask_of(hit);
}

static uint32_t compare64(tc_ptx_type t, unsigned set, const uint64_t *a,
                          const uint64_t *b) {
    uint8_t hit[TC_LANES];
    if (t == TC_PT_S64) {
        COMPARE(int64_t, AS_S64)
    } else if (t == TC_PT_F64) {
        COMPARE(double, tc_f64)
    } else {
        COMPARE(uint64_t, AS_U)
    }
    return mask_of(hit);
}

/* Compares operands at and at + 1. */
static uint32_t compare(tc_warp *w, const tc_ptx_op *op, tc_ptx_type t, int at,
                        bool high) {
    unsigned set = accepted((tc_ptx_cmp)op->cmp);
    if (tc_ptx_type_bytes[t] == 8) {
        uint64_t ta[TC_LANES], tb[TC_LANES];
        const uint64_t *a = tc_src64(w, &op->a[at], ta);
        return compare64(t, set, a, tc_src64(w, &op->a[at + 1], tb));
    }
    uint32_t ta[TC_LANES], tb[TC_LANES];
    const uint32_t *a = tc_src32(w, &op->a[at], ta);
    const uint32_t *b = tc_src32(w, &op->a[at + 1], tb);
    return compare32(t, set, op->flags, a, b, high);
}

static uint32_t combine(unsigned how, uint32_t v, uint32_t c) {
    return how == TC_BOOL_AND   ? (v & c)
           : how == TC_BOOL_OR  ? (v | c)
           : how == TC_BOOL_XOR ? (v ^ c)
                                : v;
}

/* 9.7.6.2: q gets the negated comparison, combined as well; of a packed type
 * (9.7.7.2) q gets the upper halves. */
void tc_sim_op_SETP(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_ptx_type t = (tc_ptx_type)op->type;
    bool packed = t == TC_PT_F16X2 || t == TC_PT_BF16X2;
    uint32_t v = compare(w, op, t, 2, false);
    uint32_t q = packed ? compare(w, op, t, 2, true) : ~v;
    uint32_t c = op->sub != TC_BOOL_NONE ? tc_src_pred(w, &op->a[4]) : 0;
    tc_put_pred(w, &op->a[0], combine(op->sub, v, c), mask);
    tc_put_pred(w, &op->a[1], combine(op->sub, q, c), mask);
}

static uint32_t one_of(tc_ptx_type t) {
    return t == TC_PT_F32      ? 0x3f800000u
           : t == TC_PT_F16    ? 0x3c00u
           : t == TC_PT_F16X2  ? 0x3c003c00u
           : t == TC_PT_BF16   ? 0x3f80u
           : t == TC_PT_BF16X2 ? 0x3f803f80u
                               : UINT32_MAX;
}

/* 9.7.6.1, 9.7.7.1: true is all ones, or 1.0; of pairs in each half. */
void tc_sim_op_SET(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_ptx_type t = (tc_ptx_type)op->type2;
    bool packed = t == TC_PT_F16X2 || t == TC_PT_BF16X2;
    uint32_t v = compare(w, op, t, 1, false);
    uint32_t high = packed ? compare(w, op, t, 1, true) : v;
    uint32_t c = op->sub != TC_BOOL_NONE ? tc_src_pred(w, &op->a[3]) : 0;
    v = combine(op->sub, v, c);
    high = combine(op->sub, high, c);
    uint32_t yes = one_of((tc_ptx_type)op->type);
    if (op->cmp == TC_PC_NAN && t == TC_PT_F64 && yes != UINT32_MAX &&
        op->sub == TC_BOOL_NONE) {
        yes = 1; /* not 1.0, on an H200 (driver 580) */
    }
    uint32_t low = packed ? yes & 0xffffu : yes;
    uint32_t above = packed ? yes & 0xffff0000u : 0;
    uint32_t d[TC_LANES];
    for (int i = 0; i < TC_LANES; i++) {
        d[i] = ((v >> i & 1u) != 0 ? low : 0) |
               ((high >> i & 1u) != 0 ? above : 0);
    }
    tc_put32(w, &op->a[0], d, mask);
}

void tc_sim_op_SELP(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t p = tc_src_pred(w, &op->a[3]);
    if (tc_ptx_type_bytes[op->type] == 8) {
        uint64_t ta[TC_LANES], tb[TC_LANES], d[TC_LANES];
        const uint64_t *a = tc_src64(w, &op->a[1], ta);
        const uint64_t *b = tc_src64(w, &op->a[2], tb);
        for (int i = 0; i < TC_LANES; i++) {
            d[i] = (p >> i & 1u) != 0 ? a[i] : b[i];
        }
        tc_put64(w, &op->a[0], d, mask);
        return;
    }
    uint32_t ta[TC_LANES], tb[TC_LANES], d[TC_LANES];
    const uint32_t *a = tc_src32(w, &op->a[1], ta);
    const uint32_t *b = tc_src32(w, &op->a[2], tb);
    for (int i = 0; i < TC_LANES; i++) {
        d[i] = (p >> i & 1u) != 0 ? a[i] : b[i];
    }
    tc_put32(w, &op->a[0], d, mask);
}

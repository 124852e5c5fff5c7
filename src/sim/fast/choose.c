/* choose.c - which handler does an op's work, by its opcode, type and flags. An
 * op with anything out of the common run has none. */
#include "sim/fast/entry.h"

/* By type: 16, 32 and 64 bits, signed and unsigned, .f32 and .f64. */
typedef struct tc_by_type {
    uint16_t opcode, n;
    uint16_t u16, s16, u32, s32, u64, s64, f32, f32_ftz, f64;
} tc_by_type;

#define F(x)     TC_FAST_##x
#define SAME(x)  F(x##16), F(x##16), F(x##32), F(x##32), F(x##64), F(x##64)
#define BOTH(x)  0, 0, F(x##U32), F(x##S32), F(x##U64), F(x##S64)
#define WORDS(x) 0, 0, F(x##32), F(x##32), 0, 0
#define NO_INTS  0, 0, 0, 0, 0, 0
static const tc_by_type by_type[] = {
    {TC_PTX_ADD, 2, SAME(ADD), F(ADDF), F(ADDFZ), F(ADDD)},
    {TC_PTX_SUB, 2, SAME(SUB), F(SUBF), F(SUBFZ), F(SUBD)},
    {TC_PTX_MUL, 2, SAME(MUL), F(MULF), 0, F(MULD)},
    {TC_PTX_MAD, 3, SAME(MAD), F(FMAF), 0, F(FMAD)},
    {TC_PTX_FMA, 3, NO_INTS, F(FMAF), 0, F(FMAD)},
    {TC_PTX_DIV, 2, 0, 0, F(DIVU32), F(DIVS32), 0, 0, F(DIVF), 0, F(DIVD)},
    {TC_PTX_REM, 2, 0, 0, F(REMU32), F(REMS32), 0, 0, 0, 0, 0},
    {TC_PTX_MIN, 2, BOTH(MIN), F(MINF), 0, 0},
    {TC_PTX_MAX, 2, BOTH(MAX), F(MAXF), 0, 0},
    {TC_PTX_NEG, 1, 0, 0, 0, F(NEG32), 0, F(NEG64), F(NEGF), 0, F(NEGD)},
    {TC_PTX_ABS, 1, 0, 0, 0, F(ABS32), 0, 0, F(ABSF), 0, F(ABSD)},
    {TC_PTX_AND, 2, SAME(AND), 0, 0, 0},
    {TC_PTX_OR, 2, SAME(OR), 0, 0, 0},
    {TC_PTX_XOR, 2, SAME(XOR), 0, 0, 0},
    {TC_PTX_NOT, 1, SAME(NOT), 0, 0, 0},
    {TC_PTX_SHL, 2, SAME(SHL), 0, 0, 0},
    {TC_PTX_SHR, 2, F(SHRU16), F(SHRS16), F(SHRU32), F(SHRS32), F(SHRU64),
     F(SHRS64), 0, 0, 0},
    {TC_PTX_MOV, 1, SAME(MOV), F(MOV32), 0, F(MOV64)},
    {TC_PTX_POPC, 1, WORDS(POPC), 0, 0, 0},
    {TC_PTX_CLZ, 1, WORDS(CLZ), 0, 0, 0},
    {TC_PTX_BFE, 3, 0, 0, F(BFEU32), 0, 0, 0, 0, 0, 0},
    {TC_PTX_RCP, 1, NO_INTS, F(RCPF), 0, 0},
    {TC_PTX_SQRT, 1, NO_INTS, F(SQRTF), 0, 0},
    {TC_PTX_RSQRT, 1, NO_INTS, F(RSQRTF), 0, 0},
    {TC_PTX_SIN, 1, NO_INTS, F(SINF), 0, 0},
    {TC_PTX_COS, 1, NO_INTS, F(COSF), 0, 0},
    {TC_PTX_LG2, 1, NO_INTS, F(LG2F), 0, 0},
    {TC_PTX_EX2, 1, NO_INTS, F(EX2F), 0, 0},
    {TC_PTX_TANH, 1, NO_INTS, F(TANHF), 0, 0},
};

static uint16_t column(const tc_by_type *t, const tc_ptx_op *op) {
    switch (op->type) {
    case TC_PT_B16:
    case TC_PT_U16:
        return t->u16;
    case TC_PT_S16:
        return t->s16;
    case TC_PT_B32:
    case TC_PT_U32:
        return t->u32;
    case TC_PT_S32:
        return t->s32;
    case TC_PT_B64:
    case TC_PT_U64:
        return t->u64;
    case TC_PT_S64:
        return t->s64;
    case TC_PT_F32:
        return (op->flags & TC_PM_FTZ) ? t->f32_ftz : t->f32;
    case TC_PT_F64:
        return t->f64;
    default:
        return 0;
    }
}

static tc_choice choose_wide(const tc_ptx_op *op) {
    bool mad = op->opcode == TC_PTX_MAD, s = op->type == TC_PT_S32;
    tc_choice c = {.n = mad ? 3 : 2};
    if (op->type == TC_PT_U16 && op->flags == TC_PM_WIDE) {
        c.id = mad ? TC_FAST_MADWU16 : TC_FAST_MULWU16;
    } else if (op->type == TC_PT_S16 && op->flags == TC_PM_WIDE) {
        c.id = mad ? TC_FAST_MADWS16 : TC_FAST_MULWS16;
    }
    if (op->type != TC_PT_U32 && !s) {
        return c;
    }
    if (op->flags == TC_PM_WIDE) {
        c.id = mad ? (s ? TC_FAST_MADWS : TC_FAST_MADWU)
                   : (s ? TC_FAST_MULWS : TC_FAST_MULWU);
    } else if (op->flags == TC_PM_HI && !mad) {
        c.id = s ? TC_FAST_MULHIS : TC_FAST_MULHIU;
    }
    return c;
}

/* cvt with .f32 on a side. */
static tc_fast_id choose_cvt_f32(const tc_ptx_op *op) {
    static const uint32_t ways[] = {TC_PM_RNI, TC_PM_RZI, TC_PM_RMI, TC_PM_RPI};
#define EACH_WAY(x) F(x##_RN), F(x##_RZ), F(x##_RM), F(x##_RP)
    static const uint16_t s32[] = {EACH_WAY(F32_S32)},
                          u32[] = {EACH_WAY(F32_U32)},
                          f32[] = {EACH_WAY(F32_F32)};
    static const uint16_t from[TC_PT_COUNT] = {[TC_PT_S32] = F(S32_F32),
                                               [TC_PT_U32] = F(U32_F32),
                                               [TC_PT_U8] = F(U8_F32),
                                               [TC_PT_U16] = F(U16_F32),
                                               [TC_PT_S16] = F(S16_F32)};
    if (op->type == TC_PT_F32 && op->flags == TC_PM_RN) {
        return (tc_fast_id)from[op->type2];
    }
    const uint16_t *row = op->type == TC_PT_S32   ? s32
                          : op->type == TC_PT_U32 ? u32
                          : op->type == TC_PT_F32 ? f32
                                                  : NULL;
    for (int i = 0; i < 4; i++) {
        if (row && op->type2 == TC_PT_F32 && op->flags == ways[i]) {
            return (tc_fast_id)row[i];
        }
    }
    return TC_FAST_NONE;
}

static tc_choice choose_cvt(const tc_ptx_op *op) {
    tc_choice c = {.n = 1};
    uint8_t to = op->type, from = op->type2;
    int nto = tc_ptx_type_bytes[to], nfrom = tc_ptx_type_bytes[from];
    bool ints = to >= TC_PT_U8 && to <= TC_PT_S64 && from >= TC_PT_U8 &&
                from <= TC_PT_S64;
    bool sign = from >= TC_PT_S8 && from <= TC_PT_S64;
    if (to == TC_PT_F32 || from == TC_PT_F32) {
        c.id = choose_cvt_f32(op);
        return c;
    }
    if (!ints || op->flags) {
        return c;
    }
    if (nto == 8 && nfrom == 4) {
        c.id = sign ? TC_FAST_SEXT32 : TC_FAST_ZEXT32;
    } else if (nto == 8 && nfrom == 8) {
        c.id = TC_FAST_MOV64;
    } else if (nto == 4 && nfrom == 8) {
        c.id = TC_FAST_TRUNC64;
    } else if (nto == 4 && nfrom == 4) {
        c.id = TC_FAST_MOV32;
    } else if (nto == 4 && nfrom == 2) {
        c.id = sign ? TC_FAST_SEXT16 : TC_FAST_ZEXT16;
    } else if (nto == 4 && nfrom == 1) {
        c.id = sign ? TC_FAST_SEXT8 : TC_FAST_ZEXT8;
    } else if (nto == 8 && nfrom == 2 && !sign) {
        c.id = TC_FAST_ZEXT16_64;
    } else if (nto == 8 && nfrom == 1 && !sign) {
        c.id = TC_FAST_ZEXT8_64;
    } else if (nto == 2 && op->a[0].nvec == 2) {
        c.id = nfrom == 8   ? TC_FAST_TRUNC64_16
               : nfrom == 4 ? TC_FAST_ZEXT16
               : nfrom == 2 ? TC_FAST_MOV16
               : sign       ? TC_FAST_SEXT8_16
                            : TC_FAST_ZEXT8;
        c.narrow = true;
    }
    return c;
}

/* less: the handlers of a type: equal, less, less or equal (0: negate and
 * exchange less), less or greater (0: negate equal), NaN. */
static tc_choice choose_setp(const tc_ptx_op *op) {
    static const uint16_t table[TC_PT_COUNT][5] = {
        [TC_PT_B16] = {TC_FAST_EQ16},
        [TC_PT_U16] = {TC_FAST_EQ16, TC_FAST_LTU16},
        [TC_PT_S16] = {TC_FAST_EQ16, TC_FAST_LTS16},
        [TC_PT_B32] = {TC_FAST_EQ32},
        [TC_PT_B64] = {TC_FAST_EQ64},
        [TC_PT_U32] = {TC_FAST_EQ32, TC_FAST_LTU32},
        [TC_PT_S32] = {TC_FAST_EQ32, TC_FAST_LTS32},
        [TC_PT_U64] = {TC_FAST_EQ64, TC_FAST_LTU64},
        [TC_PT_S64] = {TC_FAST_EQ64, TC_FAST_LTS64},
        [TC_PT_F32] = {TC_FAST_EQF, TC_FAST_LTF, TC_FAST_LEF, TC_FAST_LGF,
                       TC_FAST_NANF},
        [TC_PT_F64] = {TC_FAST_EQD, TC_FAST_LTD, TC_FAST_LED, TC_FAST_LGD}};
    enum { EQ, LT, LE, LG, UN, EXCHANGE = 8, NOT = 16, NOTHING = 32 };
    static const uint8_t ints[] = {[TC_PC_NONE] = NOTHING,
                                   [TC_PC_EQ] = EQ,
                                   [TC_PC_NE] = EQ | NOT,
                                   [TC_PC_LT] = LT,
                                   [TC_PC_LE] = LT | EXCHANGE | NOT,
                                   [TC_PC_GT] = LT | EXCHANGE,
                                   [TC_PC_GE] = LT | NOT,
                                   [TC_PC_LO] = LT,
                                   [TC_PC_LS] = LT | EXCHANGE | NOT,
                                   [TC_PC_HI] = LT | EXCHANGE,
                                   [TC_PC_HS] = LT | NOT};
    static const uint8_t floats[] = {[TC_PC_NONE] = NOTHING,
                                     [TC_PC_EQ] = EQ,
                                     [TC_PC_NE] = LG,
                                     [TC_PC_LT] = LT,
                                     [TC_PC_LE] = LE,
                                     [TC_PC_GT] = LT | EXCHANGE,
                                     [TC_PC_GE] = LE | EXCHANGE,
                                     [TC_PC_LO] = NOTHING,
                                     [TC_PC_LS] = NOTHING,
                                     [TC_PC_HI] = NOTHING,
                                     [TC_PC_HS] = NOTHING,
                                     [TC_PC_EQU] = LG | NOT,
                                     [TC_PC_NEU] = EQ | NOT,
                                     [TC_PC_LTU] = LE | EXCHANGE | NOT,
                                     [TC_PC_LEU] = LT | EXCHANGE | NOT,
                                     [TC_PC_GTU] = LE | NOT,
                                     [TC_PC_GEU] = LT | NOT,
                                     [TC_PC_NUM] = UN | NOT,
                                     [TC_PC_NAN] = UN};
    bool is_float = op->type == TC_PT_F32 || op->type == TC_PT_F64;
    tc_choice c = {.n = 2};
    if (op->flags || op->cmp > TC_PC_NAN || (!is_float && op->cmp > TC_PC_HS)) {
        return c;
    }
    uint8_t how = is_float ? floats[op->cmp] : ints[op->cmp];
    if (how != NOTHING) {
        c.id = (tc_fast_id)table[op->type][how & 7];
        c.exchange = (how & EXCHANGE) != 0;
        c.negate = (how & NOT) != 0;
    }
    return c;
}

static tc_fast_id choose_shf(const tc_ptx_op *op) {
    return op->flags == (TC_PM_LEFT | TC_PM_WRAP)    ? TC_FAST_SHFL32
           : op->flags == (TC_PM_RIGHT | TC_PM_WRAP) ? TC_FAST_SHFR32
                                                     : TC_FAST_NONE;
}

/* .approx of .f32 is as good as .rn, but for what DIVF_APPROX says. */
static uint32_t allowed(const tc_ptx_op *op) {
    uint32_t some = TC_PM_LO | TC_PM_RN | TC_PM_FTZ;
    return op->type == TC_PT_F32 ? some | TC_PM_APPROX | TC_PM_FULL : some;
}

tc_choice tc_fast_choice(const tc_ptx_op *op) {
    tc_choice c = {0};
    bool b8 = tc_ptx_type_bytes[op->type] == 8;
    if (op->opcode == TC_PTX_SETP) {
        return choose_setp(op);
    }
    if (op->opcode == TC_PTX_CVT) {
        return choose_cvt(op);
    }
    if (op->opcode == TC_PTX_SELP) {
        int bytes = tc_ptx_type_bytes[op->type];
        c.id = op->flags    ? TC_FAST_NONE
               : bytes == 8 ? TC_FAST_SELP64
               : bytes == 4 ? TC_FAST_SELP32
               : bytes == 2 ? TC_FAST_SELP16
                            : TC_FAST_NONE;
        c.n = 2;
        c.narrow = bytes == 2;
        return c;
    }
    if (op->opcode == TC_PTX_CVTA) {
        c.id = b8 ? TC_FAST_ADD64 : TC_FAST_NONE;
        c.n = 1;
        return c;
    }
    if ((op->opcode == TC_PTX_MUL || op->opcode == TC_PTX_MAD) &&
        (op->flags & (TC_PM_WIDE | TC_PM_HI)) != 0) {
        return choose_wide(op);
    }
    if (op->opcode == TC_PTX_SHF) {
        c.id = op->type == TC_PT_B32 ? choose_shf(op) : TC_FAST_NONE;
        c.n = 3;
        return c;
    }
    for (size_t i = 0; i < sizeof by_type / sizeof by_type[0]; i++) {
        const tc_by_type *t = &by_type[i];
        if (t->opcode == op->opcode && op->a[t->n + 1].kind == TC_PO_NONE &&
            op->sub == 0 && op->sub2 == 0 &&
            (op->type != TC_PT_F32 || op->type2 == TC_PT_NONE) &&
            (op->flags & ~allowed(op)) == 0) {
            c.id = (tc_fast_id)column(t, op);
            c.n = (uint8_t)t->n;
            c.narrow = tc_ptx_type_bytes[op->type] == 2;
            if (c.id == TC_FAST_DIVF && (op->flags & TC_PM_APPROX)) {
                c.id = TC_FAST_DIVF_APPROX;
            }
        }
    }
    return c;
}

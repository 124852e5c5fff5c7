/* decode.c - which handler an op has on the fast path, and its rows. An op
 * with anything out of the common run has none. */
#include "sim/core/run.h"
#include "sim/fast/entry.h"
#include "sim/isa/isa.h"
#include <stdlib.h>
#include <string.h>

static const uint8_t kinds[TC_FAST_COUNT] = {
#define TC_FAST_NONE_KIND      TC_FAST_T32 /* FMA without the instruction */
#define TC_FAST(kind, id, ...) [TC_FAST_##id] = KIND_##kind,
#define KIND_NONE              TC_FAST_T32
#define KIND_T32               TC_FAST_T32
#define KIND_T64               TC_FAST_T64
#define KIND_WU64              TC_FAST_WU64
#define KIND_WS64              TC_FAST_WS64
#define KIND_N32               TC_FAST_N32
#define KIND_HU32              TC_FAST_HU32
#define KIND_HS32              TC_FAST_HS32
#define KIND_S64               TC_FAST_S64
#define KIND_P32               TC_FAST_P32
#define KIND_P64               TC_FAST_P64
#define KIND_SEL32             TC_FAST_SEL32
#define KIND_SEL64             TC_FAST_SEL64
#define KIND_OTHER             TC_FAST_OTHER
#include "sim/fast/ops.def"
};

/* Bytes of destination and sources; 0 none, 1 a predicate. */
typedef struct tc_signature {
    uint8_t d, a, b, c;
} tc_signature;

static const tc_signature signatures[] = {
    [TC_FAST_T32] = {4, 4, 4, 4},   [TC_FAST_T64] = {8, 8, 8, 8},
    [TC_FAST_WU64] = {8, 4, 4, 8},  [TC_FAST_WS64] = {8, 4, 4, 8},
    [TC_FAST_N32] = {4, 8, 8, 8},   [TC_FAST_HU32] = {4, 4, 4, 4},
    [TC_FAST_HS32] = {4, 4, 4, 4},  [TC_FAST_S64] = {8, 8, 4, 4},
    [TC_FAST_P32] = {1, 4, 4, 4},   [TC_FAST_P64] = {1, 8, 8, 8},
    [TC_FAST_SEL32] = {4, 4, 4, 4}, [TC_FAST_SEL64] = {8, 8, 8, 8},
    [TC_FAST_OTHER] = {0, 0, 0, 0}};

/* ---- operands ---- */

/* The row of a register's slot. */
static uint32_t row_of(const tc_run *r, const tc_ptx_operand *o) {
    const tc_fast_rows *rows = &r->fast->rows_of;
    bool shared = rows->of32 && r->fast->func == r->func;
    return !shared              ? o->slot
           : o->cls == TC_PF_64 ? rows->of64[o->slot]
                                : rows->of32[o->slot];
}

/* A source of bytes: its row into *at and *m. */
static bool source(tc_run *r, const tc_ptx_operand *o, int bytes, uint64_t *at,
                   int8_t *m) {
    uint64_t v;
    const void *row = NULL;
    *m = 0;
    if (o->kind == TC_PO_REG && o->cls != (bytes == 8 ? TC_PF_64 : TC_PF_32)) {
        return false;
    }
    if (tc_fast_value(r, o, &v)) {
        row = tc_fast_constant(r->fast, v, bytes);
    } else if (o->kind == TC_PO_SPECIAL && bytes == 4 &&
               (o->slot == TC_SR_LANEID || (o->slot >= TC_SR_LANEMASK_EQ &&
                                            o->slot <= TC_SR_LANEMASK_GT))) {
        row = tc_fast_lane_row(r, (tc_ptx_special)o->slot);
    } else if (o->kind == TC_PO_REG) {
        *at = (uint64_t)row_of(r, o) * TC_LANES * (uint32_t)bytes;
        *m = -1;
        return true;
    }
    *at = (uint64_t)(uintptr_t)row;
    return row != NULL;
}

static bool destination(const tc_run *r, const tc_ptx_operand *o, int bytes,
                        bool narrow, uint32_t *at) {
    bool is = o->kind == TC_PO_REG && o->slot < 1u << 20 &&
              o->cls == (bytes == 8 ? TC_PF_64 : TC_PF_32) &&
              (o->nvec >= 4 || (narrow && o->nvec == 2));
    *at = is ? row_of(r, o) * TC_LANES * (uint32_t)bytes : 0;
    return is;
}

/* ---- opcodes ---- */

typedef struct tc_choice {
    tc_fast_id id;
    uint8_t n;     /* sources, from operand 1 (of a comparison: 2) on */
    bool narrow;   /* gives 16 bits: the destination may have 16 */
    bool exchange; /* sources in the other order */
    bool negate;   /* of a comparison */
} tc_choice;

/* By type: 32 and 64 bits, signed and unsigned, .f32. */
typedef struct tc_by_type {
    uint8_t opcode, n;
    uint16_t u32, s32, u64, s64, f32, f32_ftz;
} tc_by_type;

#define SAME(x, y) TC_FAST_##x, TC_FAST_##x, TC_FAST_##y, TC_FAST_##y
#define BOTH(x)                                                                \
    TC_FAST_##x##U32, TC_FAST_##x##S32, TC_FAST_##x##U64, TC_FAST_##x##S64
static const tc_by_type by_type[] = {
    {TC_PTX_ADD, 2, SAME(ADD32, ADD64), TC_FAST_ADDF, TC_FAST_ADDFZ},
    {TC_PTX_SUB, 2, SAME(SUB32, SUB64), TC_FAST_SUBF, TC_FAST_SUBFZ},
    {TC_PTX_MUL, 2, SAME(MUL32, MUL64), TC_FAST_MULF, 0},
    {TC_PTX_MAD, 3, SAME(MAD32, MAD64), TC_FAST_FMAF, 0},
    {TC_PTX_FMA, 3, 0, 0, 0, 0, TC_FAST_FMAF, 0},
    {TC_PTX_MIN, 2, BOTH(MIN), TC_FAST_MINF, 0},
    {TC_PTX_MAX, 2, BOTH(MAX), TC_FAST_MAXF, 0},
    {TC_PTX_NEG, 1, 0, TC_FAST_NEG32, 0, TC_FAST_NEG64, TC_FAST_NEGF, 0},
    {TC_PTX_ABS, 1, 0, TC_FAST_ABS32, 0, 0, TC_FAST_ABSF, 0},
    {TC_PTX_AND, 2, SAME(AND32, AND64), 0, 0},
    {TC_PTX_OR, 2, SAME(OR32, OR64), 0, 0},
    {TC_PTX_XOR, 2, SAME(XOR32, XOR64), 0, 0},
    {TC_PTX_NOT, 1, SAME(NOT32, NOT64), 0, 0},
    {TC_PTX_SHL, 2, SAME(SHL32, SHL64), 0, 0},
    {TC_PTX_SHR, 2, TC_FAST_SHRU32, TC_FAST_SHRS32, TC_FAST_SHRU64,
     TC_FAST_SHRS64, 0, 0},
    {TC_PTX_MOV, 1, SAME(MOV32, MOV64), TC_FAST_MOV32, 0},
};

static uint16_t column(const tc_by_type *t, const tc_ptx_op *op) {
    switch (op->type) {
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
        return op->opcode == TC_PTX_MOV ? t->u64 : 0;
    default:
        return 0;
    }
}

static tc_choice choose_wide(const tc_ptx_op *op) {
    bool mad = op->opcode == TC_PTX_MAD, s = op->type == TC_PT_S32;
    tc_choice c = {.n = mad ? 3 : 2};
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

static tc_choice choose_cvt(const tc_ptx_op *op) {
    tc_choice c = {.n = 1};
    uint8_t to = op->type, from = op->type2;
    int nto = tc_ptx_type_bytes[to], nfrom = tc_ptx_type_bytes[from];
    bool ints = to >= TC_PT_U8 && to <= TC_PT_S64 && from >= TC_PT_U8 &&
                from <= TC_PT_S64;
    bool sign = from >= TC_PT_S8 && from <= TC_PT_S64;
    if (to == TC_PT_F32 && op->flags == TC_PM_RN) {
        c.id = from == TC_PT_S32   ? TC_FAST_S32_F32
               : from == TC_PT_U32 ? TC_FAST_U32_F32
                                   : TC_FAST_NONE;
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
    } else if (nto == 2 && nfrom == 4 && op->a[0].nvec == 2) {
        c.id = TC_FAST_ZEXT16;
        c.narrow = true;
    }
    return c;
}

/* less: the handlers of a type: equal, less, less or equal (0: negate and
 * exchange less), less or greater (0: negate equal), NaN. */
static tc_choice choose_setp(const tc_ptx_op *op) {
    static const uint16_t table[TC_PT_COUNT][5] = {
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

static tc_choice choose(const tc_ptx_op *op) {
    tc_choice c = {0};
    bool b8 = tc_ptx_type_bytes[op->type] == 8;
    if (op->opcode == TC_PTX_SETP) {
        return choose_setp(op);
    }
    if (op->opcode == TC_PTX_CVT) {
        return choose_cvt(op);
    }
    if (op->opcode == TC_PTX_SELP) {
        bool small = tc_ptx_type_bytes[op->type] < 4 || op->flags;
        c.id = small ? TC_FAST_NONE : b8 ? TC_FAST_SELP64 : TC_FAST_SELP32;
        c.n = 2;
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
    for (size_t i = 0; i < sizeof by_type / sizeof by_type[0]; i++) {
        const tc_by_type *t = &by_type[i];
        if (t->opcode == op->opcode && op->a[t->n + 1].kind == TC_PO_NONE &&
            op->sub == 0 && op->sub2 == 0 &&
            (op->type != TC_PT_F32 || op->type2 == TC_PT_NONE) &&
            (op->flags & ~(uint32_t)(TC_PM_LO | TC_PM_RN | TC_PM_FTZ)) == 0) {
            c.id = (tc_fast_id)column(t, op);
            c.n = t->n;
        }
    }
    return c;
}

/* ---- entries ---- */

static bool decode_setp(const tc_ptx_op *op, const tc_choice *c, tc_fast *x) {
    const tc_ptx_operand *d = &op->a[0], *q = &op->a[1], *p = &op->a[4];
    x->imm = c->negate ? UINT32_MAX : 0;
    x->sub = op->sub;
    x->d = d->kind == TC_PO_PRED ? d->slot : UINT32_MAX;
    x->q = q->kind == TC_PO_PRED ? (int32_t)q->slot : -1;
    if (op->sub != TC_BOOL_NONE) {
        x->p = (int32_t)p->slot;
        x->neg = p->neg ? UINT32_MAX : 0;
    }
    return op->sub == TC_BOOL_NONE || p->kind == TC_PO_PRED;
}

static bool decode_rows(tc_run *r, const tc_ptx_op *op, const tc_choice *c,
                        tc_fast *x) {
    tc_fast_kind kind = (tc_fast_kind)kinds[c->id];
    tc_signature s = signatures[kind];
    int first = s.d == 1 ? 2 : 1, i = c->exchange ? 1 : 0;
    const tc_ptx_operand *a = &op->a[first];
    uint64_t none = (uint64_t)(uintptr_t)tc_fast_constant(r->fast, 0, 8);
    x->a = x->b = x->c = none;
    if (none == 0 || !source(r, &a[i], s.a, &x->a, &x->ma) ||
        (c->n > 1 && !source(r, &a[1 - i], s.b, &x->b, &x->mb)) ||
        (c->n > 2 && !source(r, &a[2], s.c, &x->c, &x->mc))) {
        return false;
    }
    if (kind == TC_FAST_SEL32 || kind == TC_FAST_SEL64) {
        x->p = (int32_t)a[2].slot;
        x->neg = a[2].neg ? UINT32_MAX : 0;
        if (a[2].kind != TC_PO_PRED) {
            return false;
        }
    }
    if (op->opcode == TC_PTX_CVTA) {
        x->b =
            (uint64_t)(uintptr_t)tc_fast_constant(r->fast, tc_cvta_step(op), 8);
        return x->b && destination(r, &op->a[0], 8, false, &x->d);
    }
    return s.d == 1 ? decode_setp(op, c, x)
                    : destination(r, &op->a[0], s.d, c->narrow, &x->d);
}

static bool pred_source(const tc_ptx_operand *o, uint64_t *at, int8_t *m,
                        uint32_t *neg) {
    *neg = o->kind == TC_PO_PRED && o->neg ? UINT32_MAX : 0;
    *m = o->kind == TC_PO_PRED ? -1 : 0;
    *at = o->kind == TC_PO_PRED ? o->slot : o->imm != 0 ? UINT32_MAX : 0;
    return o->kind == TC_PO_PRED || o->kind == TC_PO_IMM;
}

static tc_fast_id decode_plogic(const tc_ptx_op *op, tc_fast *x) {
    uint32_t na = 0, nb = 0;
    bool two = true;
    switch (op->opcode) {
    case TC_PTX_AND:
        x->sub = TC_BOOL_AND;
        break;
    case TC_PTX_OR:
        x->sub = TC_BOOL_OR;
        break;
    case TC_PTX_XOR:
        x->sub = TC_BOOL_XOR;
        break;
    case TC_PTX_NOT:
    case TC_PTX_MOV:
        x->sub = TC_BOOL_NONE;
        two = false;
        break;
    default:
        return TC_FAST_NONE;
    }
    if (op->a[0].kind != TC_PO_PRED ||
        !pred_source(&op->a[1], &x->a, &x->ma, &na) ||
        (two && !pred_source(&op->a[2], &x->b, &x->mb, &nb))) {
        return TC_FAST_NONE;
    }
    na = op->opcode == TC_PTX_NOT ? ~na : na;
    x->imm = (uint64_t)nb << 32 | na;
    x->d = op->a[0].slot;
    return TC_FAST_PLOGIC;
}

static tc_fast_id decode_special(const tc_run *r, const tc_ptx_op *op,
                                 tc_fast *x) {
    uint32_t s = op->a[1].slot;
    if (!destination(r, &op->a[0], 4, false, &x->d)) {
        return TC_FAST_NONE;
    }
    if (s <= TC_SR_TID_Z) {
        x->imm = s - TC_SR_TID_X;
        return TC_FAST_TID;
    }
    if (s >= TC_SR_CTAID_X && s <= TC_SR_CTAID_Z) {
        x->imm = s - TC_SR_CTAID_X;
        return TC_FAST_CTAID;
    }
    return TC_FAST_NONE;
}

/* The base of an address; sub 1: of 32 bits. */
static bool decode_address(tc_run *r, const tc_ptx_operand *o, tc_fast *x) {
    tc_ptx_operand base = {.kind = TC_PO_REG, .cls = o->cls, .slot = o->slot};
    uint64_t v = (uint64_t)o->imm;
    if (o->kind != TC_PO_ADDRESS) {
        return false;
    }
    if (o->neg == 1) {
        x->imm = v;
        x->sub = o->cls == TC_PF_32;
        return source(r, &base, o->cls == TC_PF_64 ? 8 : 4, &x->a, &x->ma);
    }
    if (o->neg == 2 && !tc_fast_symbol(r, o, &v)) {
        return false;
    }
    x->a = (uint64_t)(uintptr_t)tc_fast_constant(r->fast, v, 8);
    return x->a != 0;
}

/* ld.param of the launched kernel gives a constant. */
static tc_fast_id decode_param(tc_run *r, const tc_ptx_op *op, tc_fast *x) {
    int size = tc_ptx_type_bytes[op->type];
    uint64_t v;
    if (!tc_fast_param(r, op, &v) ||
        !destination(r, &op->a[0], size, false, &x->d)) {
        return TC_FAST_NONE;
    }
    x->a = (uint64_t)(uintptr_t)tc_fast_constant(r->fast, v, size);
    x->b = x->c = (uint64_t)(uintptr_t)tc_fast_constant(r->fast, 0, 8);
    return x->a == 0 || x->b == 0 ? TC_FAST_NONE
           : size == 8            ? TC_FAST_MOV64
                                  : TC_FAST_MOV32;
}

static bool has_window(uint8_t space) {
    return space == TC_PS_GLOBAL || space == TC_PS_SHARED ||
           space == TC_PS_GENERIC || space == TC_PS_LOCAL ||
           space == TC_PS_CONST;
}

static tc_fast_id decode_memory(tc_run *r, const tc_ptx_op *op, tc_fast *x) {
    bool store = op->opcode == TC_PTX_ST;
    uint32_t size = tc_ptx_type_bytes[op->type], n = op->nvec ? op->nvec : 1;
    const tc_ptx_operand *v = &op->a[store ? 1 : 0];
    uint32_t caching = TC_PM_CA | TC_PM_CG | TC_PM_NC;
    bool sign = op->type == TC_PT_S8 || op->type == TC_PT_S16;
    if (op->space == TC_PS_PARAM) {
        return decode_param(r, op, x);
    }
    if ((op->flags & ~caching) || op->scope || size == 0 || size > 8 || n > 4 ||
        !has_window(op->space) ||
        !decode_address(r, &op->a[store ? 0 : 1], x)) {
        return TC_FAST_NONE;
    }
    x->space = op->space;
    x->c = size | n << 8 | (uint32_t)sign << 16;
    for (uint32_t i = 0; i < n; i++) {
        const tc_ptx_operand *e =
            v->kind == TC_PO_VECTOR ? &r->module->vec[v->slot + i] : v;
        uint32_t *at = i ? &x->e[i - 1] : &x->d;
        bool one = v->kind != TC_PO_VECTOR && store;
        if (one && !source(r, e, size == 8 ? 8 : 4, &x->b, &x->mb)) {
            return TC_FAST_NONE;
        }
        if (!one && !destination(r, e, size == 8 ? 8 : 4, size < 4, at)) {
            return TC_FAST_NONE;
        }
        if (!store) {
            x->b = e->nvec == 2 ? 0xFFFF : UINT32_MAX;
        }
    }
    if (store && v->kind == TC_PO_VECTOR) {
        x->b = x->d;
        x->mb = -1;
    }
    if (n == 1 && size >= 4) {
        return store ? (size == 4 ? TC_FAST_ST32 : TC_FAST_ST64)
                     : (size == 4 ? TC_FAST_LD32 : TC_FAST_LD64);
    }
    return store ? TC_FAST_ST : TC_FAST_LD;
}

/* The access that tells the observers. */
static tc_fast_id seen(const tc_ptx_op *op, tc_fast_id id) {
    if (op->space == TC_PS_LOCAL || op->space == TC_PS_CONST) {
        return TC_FAST_NONE;
    }
    switch (id) {
    case TC_FAST_LD32:
        return TC_FAST_SEEN_LD32;
    case TC_FAST_LD64:
        return TC_FAST_SEEN_LD64;
    case TC_FAST_ST32:
        return TC_FAST_SEEN_ST32;
    case TC_FAST_ST64:
        return TC_FAST_SEEN_ST64;
    case TC_FAST_LD:
        return TC_FAST_SEEN_LD;
    case TC_FAST_ST:
        return TC_FAST_SEEN_ST;
    default:
        return TC_FAST_NONE;
    }
}

bool tc_fast_decode(tc_run *r, const tc_ptx_op *op, tc_fast *x) {
    const tc_fast_table *t = r->fast->table;
    bool observed = r->race || r->trace || r->timing;
    tc_choice c = {0};
    *x = (tc_fast){.q = -1, .p = -1, .guard = op->guard};
    x->flip = op->guard_neg ? UINT32_MAX : 0;
    if (op->more) {
        return false;
    }
    if (op->type == TC_PT_PRED) {
        c.id = decode_plogic(op, x);
    } else if (op->opcode == TC_PTX_LD || op->opcode == TC_PTX_ST) {
        c.id = decode_memory(r, op, x);
        c.id = observed && op->space != TC_PS_PARAM ? seen(op, c.id) : c.id;
    } else {
        c = choose(op);
        if (c.id && !decode_rows(r, op, &c, x)) {
            bool mov = op->opcode == TC_PTX_MOV &&
                       op->a[1].kind == TC_PO_SPECIAL && c.id == TC_FAST_MOV32;
            c.id = mov ? decode_special(r, op, x) : TC_FAST_NONE;
        }
    }
    if (c.id == TC_FAST_NONE || !t->fn[c.id][0]) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        x->inner[i] = t->fn[c.id][i];
        x->fn[i] = op->guard >= 0 ? t->guarded : x->inner[i];
    }
    x->kind = kinds[c.id];
    x->id = (uint16_t)c.id;
    return true;
}

/* rules_arith.c - what arithmetic asks beyond its form, and the targets that
 * have it. Each rule cites the section of its row in ops.def. */
#include "ptx/internal.h"

#define T(x)  (UINT64_C(1) << TC_PT_##x)
#define BF    (T(BF16) | T(BF16X2))
#define HALF  (T(F16) | T(F16X2) | BF)
#define WIDE8 (T(E4M3X2) | T(E5M2X2))
#define TINY                                                                   \
    (T(E2M1X2) | T(E2M3X2) | T(E3M2X2) | T(UE8M0X2) | T(E4M3X4) | T(E5M2X4) |  \
     T(E2M1X4) | T(E2M3X4) | T(E3M2X4))
#define ANY (~UINT64_C(0))

/* The least target of an instruction with all of this: its types in the sets,
 * the bits of more. types2 0: of any second type, or none. */
static const struct {
    uint16_t op;
    uint64_t types, types2;
    uint32_t more;
    int sm;
} targets[] = {
    {TC_PTX_ADD, T(U16X2) | T(S16X2) | BF, 0, 0, 90},
    {TC_PTX_ADD, T(F32X2), 0, 0, 100},
    {TC_PTX_ADD, T(F32), T(F16) | T(BF16), 0, 100},
    {TC_PTX_SUB, BF, 0, 0, 90},
    {TC_PTX_SUB, T(F32X2), 0, 0, 100},
    {TC_PTX_SUB, T(F32), T(F16) | T(BF16), 0, 100},
    {TC_PTX_MUL, BF, 0, 0, 90},
    {TC_PTX_MUL, T(F32X2), 0, 0, 100},
    {TC_PTX_FMA, T(F32X2), 0, 0, 100},
    {TC_PTX_FMA, T(F32), T(F16) | T(BF16), 0, 100},
    {TC_PTX_FMA, ANY, 0, TC_PX_OOB, 90},
    {TC_PTX_MIN, T(U16X2) | T(S16X2), 0, 0, 90},
    {TC_PTX_MIN, ANY, 0, TC_PX_RELU, 90},
    {TC_PTX_MIN, ANY, 0, TC_PX_XORSIGN, 86},
    {TC_PTX_MAX, T(U16X2) | T(S16X2), 0, 0, 90},
    {TC_PTX_MAX, ANY, 0, TC_PX_RELU, 90},
    {TC_PTX_MAX, ANY, 0, TC_PX_XORSIGN, 86},
    {TC_PTX_TANH, BF, 0, 0, 90},
    {TC_PTX_EX2, BF, 0, 0, 90},
    {TC_PTX_SETP, BF, 0, 0, 90},
    {TC_PTX_SET, BF, 0, 0, 90},
    {TC_PTX_SET, ANY, BF, 0, 90},
    {TC_PTX_CVT, WIDE8, 0, 0, 89},
    {TC_PTX_CVT, ANY, WIDE8, 0, 89},
};

static bool in(uint8_t type, uint64_t set) {
    return (set >> type & 1u) != 0;
}

/* "add.f32x2", "fma.oob": the instruction in the words of its row. */
static const char *words(tc_ptx_parser *p, const tc_ptx_op *op, uint32_t more) {
    return tc_format(
        p->arena, "'%s%s%s%s'", tc_ptx_ops[op->opcode].name,
        more != 0 ? tc_ptx_more_name((tc_ptx_opcode)op->opcode, more) : "",
        tc_ptx_type_names[op->type], tc_ptx_type_names[op->type2]);
}

static bool check_target(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        bool is = targets[i].op == op->opcode &&
                  in(op->type, targets[i].types) &&
                  (targets[i].types2 == 0 || in(op->type2, targets[i].types2));
        if (is && (op->more & targets[i].more) == targets[i].more &&
            !tc_ptx_wants_sm(p, span, targets[i].sm,
                             words(p, op, targets[i].more))) {
            return false;
        }
    }
    bool tiny =
        op->opcode == TC_PTX_CVT && (in(op->type, TINY) || in(op->type2, TINY));
    bool rs = op->opcode == TC_PTX_CVT && (op->more & TC_PX_RS) != 0;
    return !(tiny || rs) ||
           tc_ptx_wants_family(p, span, 100,
                               rs ? TC_PTX_FAMILY_100 : TC_PTX_FAMILY_ANY,
                               words(p, op, rs ? TC_PX_RS : 0));
}

/* 9.7.2.1 to 9.7.2.6: the flag comes from whole words that do not saturate. */
static bool check_carry(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    bool cc = (op->more & TC_PX_CC) != 0, sat = (op->flags & TC_PM_SAT) != 0;
    bool wide = (op->flags & TC_PM_WIDE) != 0;
    if (cc && (sat || wide)) {
        return tc_ptx_fail(p, span, NULL, "'%s.cc' has no %s",
                           tc_ptx_ops[op->opcode].name, sat ? ".sat" : ".wide");
    }
    bool product = op->opcode == TC_PTX_MADC || op->opcode == TC_PTX_MAD24;
    return !(product && sat && (op->flags & TC_PM_HI) == 0) ||
           tc_ptx_fail(p, span, NULL, "'%s' has .sat only with .hi",
                       tc_ptx_ops[op->opcode].name);
}

/* 9.7.3.11, 9.7.4.9 */
static bool check_extreme(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    bool xors = (op->more & TC_PX_XORSIGN) != 0;
    bool abs = (op->more & TC_PX_ABS) != 0;
    bool three = op->a[3].kind != TC_PO_NONE;
    if (xors != abs && !three) {
        return tc_ptx_fail(p, span, NULL,
                           "'%s' of two has .xorsign and .abs together",
                           tc_ptx_ops[op->opcode].name);
    }
    if (three && xors) {
        return tc_ptx_fail(p, span, NULL, "'%s' of three has no .xorsign",
                           tc_ptx_ops[op->opcode].name);
    }
    return !three || tc_ptx_wants_sm(p, span, 100,
                                     tc_format(p->arena, "'%s' of three",
                                               tc_ptx_ops[op->opcode].name));
}

/* 9.7.4.4: .relu, .oob and .sat */
static bool check_fma(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    bool sat = (op->flags & TC_PM_SAT) != 0, ftz = (op->flags & TC_PM_FTZ) != 0;
    bool oob = (op->more & TC_PX_OOB) != 0;
    return !((sat && op->more != 0) || (ftz && oob)) ||
           tc_ptx_fail(p, span, NULL, "'fma' has %s without .relu and .oob",
                       sat ? ".sat" : ".ftz");
}

/* 9.7.9.21: cvt to and from the formats that only cvt has, and the plain
 * narrowings with .relu and .satfinite. */
static bool check_cvt(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    const char *to = tc_ptx_type_names[op->type];
    uint32_t rounds = op->flags & (TC_PM_RN | TC_PM_RZ | TC_PM_RM | TC_PM_RP);
    bool sat = (op->more & TC_PX_SATFINITE) != 0;
    bool rs = (op->more & TC_PX_RS) != 0, rna = (op->more & TC_PX_RNA) != 0;
    bool pair = in(op->type, T(F16X2) | T(BF16X2)) && op->type2 == TC_PT_F32;
    bool four = op->type >= TC_PT_E4M3X4 && op->type <= TC_PT_E3M2X4;
    bool tf32 = op->type == TC_PT_TF32;
    if (pair || tf32) {
        bool other = pair ? rs : rna;
        if (((rounds != 0) == other) || (rounds & (rounds - 1)) != 0) {
            return tc_ptx_fail(p, span,
                               pair ? ".rn, .rz or .rs" : ".rn, .rz or .rna",
                               "'cvt' to %s wants one rounding", to);
        }
        if (pair && rs != (op->a[3].kind != TC_PO_NONE)) {
            return tc_ptx_fail(p, span, NULL, "random bits go with .rs");
        }
        if (tf32 && rna && (op->more & TC_PX_RELU) != 0) {
            return tc_ptx_fail(p, span, NULL, "'cvt.rna' has no .relu");
        }
        return !tf32 || rna ||
               tc_ptx_wants_sm(p, span, sat ? 100 : 90, words(p, op, 0));
    }
    if (four && !rs) {
        return tc_ptx_fail(p, span, NULL, "'cvt' to %s wants .rs", to);
    }
    bool small = op->type > TC_PT_TF32 && op->type != TC_PT_UE8M0X2;
    if (small && !sat) {
        return tc_ptx_fail(p, span, NULL, "'cvt' to %s wants .satfinite", to);
    }
    if (op->type > TC_PT_F64 || op->type2 > TC_PT_F64 || op->more == 0) {
        return true;
    }
    bool narrow = in(op->type, T(F16) | T(BF16)) && op->type2 == TC_PT_F32 &&
                  (rounds & (TC_PM_RM | TC_PM_RP)) == 0 &&
                  (op->flags & (TC_PM_FTZ | TC_PM_SAT)) == 0;
    return narrow || tc_ptx_fail(p, span, NULL, "this 'cvt' has no %s",
                                 tc_ptx_more_name(TC_PTX_CVT, op->more));
}

/* 9.7.9.15 to 9.7.9.18 */
static bool check_policy(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    const char *name = tc_ptx_ops[op->opcode].name;
    uint8_t s = op->sub, s2 = op->sub2, space = op->space;
    bool evict = s >= TC_POLICY_NORMAL && s <= TC_POLICY_UNCHANGED;
    bool global = space == TC_PS_GLOBAL, plain = space == TC_PS_GENERIC;
    bool ok;
    switch (op->opcode) {
    case TC_PTX_PREFETCH:
        ok = s == TC_POLICY_TENSORMAP
                 ? plain || space == TC_PS_CONST || space == TC_PS_PARAM
             : evict ? (s == TC_POLICY_LAST || s == TC_POLICY_NORMAL) &&
                           (plain || global)
                     : s != TC_POLICY_NONE &&
                           (plain || global || space == TC_PS_LOCAL);
        ok = ok && s2 == TC_POLICY_NONE;
        break;
    case TC_PTX_PREFETCHU:
        ok = s == TC_POLICY_L1 && s2 == TC_POLICY_NONE && plain;
        break;
    case TC_PTX_APPLYPRIORITY:
        ok = s == TC_POLICY_NORMAL && s2 == TC_POLICY_NONE && (plain || global);
        break;
    case TC_PTX_DISCARD:
        ok = s == TC_POLICY_L2 && s2 == TC_POLICY_NONE && (plain || global);
        break;
    case TC_PTX_CREATEPOLICY_CVT:
        ok = s == TC_POLICY_L2 && s2 == TC_POLICY_NONE && plain;
        break;
    default:
        ok = evict &&
             (s2 == TC_POLICY_NONE || s2 == TC_POLICY_FIRST ||
              s2 == TC_POLICY_UNCHANGED) &&
             (plain || (global && op->opcode == TC_PTX_CREATEPOLICY_RANGE));
        break;
    }
    if (!ok) {
        return tc_ptx_fail(p, span, NULL,
                           "'%s' does not go with this level, priority or "
                           "state space",
                           name);
    }
    bool sized =
        op->opcode == TC_PTX_APPLYPRIORITY || op->opcode == TC_PTX_DISCARD;
    if (sized && op->a[1].imm != 128) {
        return tc_ptx_fail(p, span, NULL, "'%s' is for 128 bytes, not %lld",
                           name, (long long)op->a[1].imm);
    }
    return s != TC_POLICY_TENSORMAP ||
           tc_ptx_wants_sm(p, span, 90, "'prefetch.tensormap'");
}

/* 9.7.7.2: one predicate of a half, two of a pair. */
static bool check_half_pair(tc_ptx_parser *p, const tc_ptx_op *op,
                            tc_span span) {
    bool one = op->type == TC_PT_F16 || op->type == TC_PT_BF16;
    return !(one && op->a[1].kind != TC_PO_NONE) ||
           tc_ptx_fail(p, span, NULL, "'setp%s' has one predicate",
                       tc_ptx_type_names[op->type]);
}

bool tc_ptx_check_arith(tc_ptx_parser *p, tc_ptx_op *op, tc_span span,
                        const tc_ptx_parsed *operands, int n) {
    if (!check_target(p, op, span)) {
        return false;
    }
    switch (op->opcode) {
    case TC_PTX_ADD:
    case TC_PTX_SUB:
    case TC_PTX_MAD:
    case TC_PTX_MADC:
    case TC_PTX_MAD24:
        return check_carry(p, op, span);
    case TC_PTX_MIN:
    case TC_PTX_MAX:
        return check_extreme(p, op, span);
    case TC_PTX_FMA:
        return check_fma(p, op, span);
    case TC_PTX_CVT:
        return check_cvt(p, op, span);
    case TC_PTX_CVT_PACK: {
        bool halves = op->type == TC_PT_U16 || op->type == TC_PT_S16;
        return op->type3 == (halves ? TC_PT_NONE : TC_PT_B32) ||
               tc_ptx_fail(p, span, NULL,
                           "'cvt.pack' has .b32 for its third source, and only "
                           "then");
    }
    case TC_PTX_SETP:
        return check_half_pair(p, op, span);
    case TC_PTX_TESTP:
        return op->sub != TC_TESTP_NONE ||
               tc_ptx_fail(p, span, ".finite, .infinite, .number, ...",
                           "'testp' wants a property");
    case TC_PTX_LOP3: {
        bool given = op->sub != TC_BOOL_NONE;
        bool pair = op->a[1].kind != TC_PO_NONE;
        bool last = op->a[6].kind != TC_PO_NONE;
        return (given == pair && given == last) ||
               tc_ptx_fail(p, span, NULL,
                           "'lop3' has d|p and a last predicate with .and or "
                           ".or, and only then");
    }
    case TC_PTX_RCP: {
        bool approx = (op->flags & TC_PM_APPROX) != 0;
        bool ftz = (op->flags & TC_PM_FTZ) != 0;
        return !(op->type == TC_PT_F64 && approx && !ftz) ||
               tc_ptx_fail(p, span, NULL, "'rcp.approx.f64' wants .ftz");
    }
    case TC_PTX_PMEVENT:
        return (op->nvec == 1 && op->a[0].imm >= 0 &&
                op->a[0].imm <= (op->sub != 0 ? 0xffff : 15)) ||
               tc_ptx_fail(p, span, NULL, "'pmevent' has events 0 to 15");
    case TC_PTX_ISSPACEP:
        if (op->space == TC_PS_CLUSTER &&
            !tc_ptx_wants_sm(p, span, 90, "'isspacep.shared::cluster'")) {
            return false;
        }
        return op->space != TC_PS_GENERIC ||
               tc_ptx_fail(p, span, NULL, "'isspacep' wants a state space");
    default:
        break;
    }
    if ((tc_ptx_who((tc_ptx_opcode)op->opcode) & TC_WHO_POLICY) != 0) {
        return check_policy(p, op, span);
    }
    bool video = op->opcode >= TC_PTX_VADD && op->opcode <= TC_PTX_VSET4;
    return !video || tc_ptx_check_video(p, op, span, operands, n);
}

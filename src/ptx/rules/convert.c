/* convert.c - what cvt and cvt.pack ask beyond their form (PTX ISA 9.7.9.21,
 * 9.7.9.22). */
#include "ptx/internal.h"

#define T(x)      (UINT64_C(1) << TC_PT_##x)
#define FLOATS    (T(F16) | T(F16X2) | T(BF16) | T(BF16X2) | T(F32) | T(F64))
#define SIGNED    (T(S8) | T(S16) | T(S32) | T(S64))
#define RND_FLOAT (TC_PM_RN | TC_PM_RZ | TC_PM_RM | TC_PM_RP)
#define RND_INT   (TC_PM_RNI | TC_PM_RZI | TC_PM_RMI | TC_PM_RPI)

static bool is(uint8_t type, uint64_t set) {
    return (set >> type & 1u) != 0;
}

/* 9.7.9.21: cvt to and from the formats that only cvt has, and the plain
 * narrowings with .relu and .satfinite. */
static bool check_formats(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    const char *to = tc_ptx_type_names[op->type];
    uint32_t rounds = op->flags & (TC_PM_RN | TC_PM_RZ | TC_PM_RM | TC_PM_RP);
    bool sat = (op->more & TC_PX_SATFINITE) != 0;
    bool rs = (op->more & TC_PX_RS) != 0, rna = (op->more & TC_PX_RNA) != 0;
    bool pair = is(op->type, T(F16X2) | T(BF16X2)) && op->type2 == TC_PT_F32;
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
               tc_ptx_wants_sm(p, span, sat ? 100 : 90,
                               tc_format(p->arena, "'cvt%s%s'",
                                         tc_ptx_type_names[op->type],
                                         tc_ptx_type_names[op->type2]));
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
    bool narrow = is(op->type, T(F16) | T(BF16)) && op->type2 == TC_PT_F32 &&
                  (rounds & (TC_PM_RM | TC_PM_RP)) == 0 &&
                  (op->flags & (TC_PM_FTZ | TC_PM_SAT)) == 0;
    return narrow || tc_ptx_fail(p, span, NULL, "this 'cvt' has no %s",
                                 tc_ptx_more_name(TC_PTX_CVT, op->more));
}

/* 9.7.9.21: when cvt rounds, and how it may. */
static bool check_rounding(tc_ptx_parser *p, const tc_ptx_op *op,
                           tc_span span) {
    bool fd = is(op->type, FLOATS), fs = is(op->type2, FLOATS);
    int bd = tc_ptx_type_bytes[op->type], bs = tc_ptx_type_bytes[op->type2];
    bool narrows = fd && fs && bd < bs;
    bool halves = fd && fs && bd == 2 && bs == 2 && op->type != op->type2;
    bool bf = op->type == TC_PT_BF16 || op->type2 == TC_PT_BF16;
    if (op->type >= TC_PT_TF32 || op->type2 >= TC_PT_TF32 ||
        is(op->type, T(F16X2) | T(BF16X2))) {
        return true; /* their forms say it all */
    }
    uint32_t may = 0;
    bool must = false;
    if (narrows || (fd && !fs)) {
        may = RND_FLOAT;
        must = true;
    } else if (fs && !fd) {
        may = RND_INT;
        must = true;
    } else if (halves || (fd && fs && op->type2 == TC_PT_BF16 && bd > 2)) {
        may = RND_FLOAT;
    } else if (fd && fs && bd == bs) {
        may = RND_INT; /* rounds to an integral value */
    }
    uint32_t given = op->flags & (RND_FLOAT | RND_INT);
    const char *from = tc_ptx_type_names[op->type2];
    const char *to = tc_ptx_type_names[op->type];
    if (must && given == 0) {
        return tc_ptx_fail(
            p, span,
            tc_format(p->arena, "one of %s", tc_ptx_flag_list(p->arena, may)),
            "'cvt' from %s to %s wants a rounding", from, to);
    }
    if ((given & ~may) != 0) {
        return tc_ptx_fail(p, span, NULL,
                           "'cvt' from %s to %s does not round with %s", from,
                           to, tc_ptx_flag_list(p->arena, given & ~may));
    }
    if (bf && (op->flags & TC_PM_SAT) != 0) {
        return tc_ptx_fail(p, span, NULL, "'cvt' of .bf16 has no .sat");
    }
    bool old = !bf || (op->type == TC_PT_BF16 && op->type2 == TC_PT_F32) ||
               (op->type == TC_PT_F32 && (op->flags & TC_PM_FTZ) == 0);
    if (!old && !tc_ptx_wants_sm(
                    p, span, 90,
                    tc_format(p->arena, "'cvt' from %s to %s", from, to))) {
        return false;
    }
    bool ss = is(op->type2, SIGNED), ds = is(op->type, SIGNED);
    bool holds = ss == ds ? bd >= bs : ds && bd > bs;
    if ((op->flags & TC_PM_SAT) != 0 && !fd && !fs && holds) {
        return tc_ptx_fail(p, span, NULL,
                           "'cvt.sat' from %s to %s has nothing to clamp", from,
                           to);
    }
    bool f32 = op->type == TC_PT_F32 || op->type2 == TC_PT_F32;
    if ((op->flags & TC_PM_FTZ) != 0 && !f32) {
        return tc_ptx_fail(p, span, NULL, "'cvt' has .ftz only with .f32");
    }
    return true;
}

bool tc_ptx_rule_cvt(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    return check_formats(p, op, span) && check_rounding(p, op, span);
}

bool tc_ptx_rule_cvt_pack(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    bool halves = op->type == TC_PT_U16 || op->type == TC_PT_S16;
    return op->type3 == (halves ? TC_PT_NONE : TC_PT_B32) ||
           tc_ptx_fail(p, span, NULL,
                       "'cvt.pack' has .b32 for its third source, and only "
                       "then");
}

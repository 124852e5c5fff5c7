/* arith.c - what arithmetic asks beyond its form, and the targets that
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

/* "add.f32x2", "fma.oob": the instruction with what its row is about. */
static const char *instruction(tc_ptx_parser *p, const tc_ptx_op *op,
                               uint32_t more) {
    return tc_format(
        p->arena, "'%s%s%s%s'", tc_ptx_ops[op->opcode].name,
        more != 0 ? tc_ptx_more_name((tc_ptx_opcode)op->opcode, more) : "",
        tc_ptx_type_names[op->type], tc_ptx_type_names[op->type2]);
}

bool tc_ptx_check_types(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        bool is = targets[i].op == op->opcode &&
                  in(op->type, targets[i].types) &&
                  (targets[i].types2 == 0 || in(op->type2, targets[i].types2));
        if (is && (op->more & targets[i].more) == targets[i].more &&
            !tc_ptx_wants_sm(p, span, targets[i].sm,
                             instruction(p, op, targets[i].more))) {
            return false;
        }
    }
    bool tiny =
        op->opcode == TC_PTX_CVT && (in(op->type, TINY) || in(op->type2, TINY));
    bool rs = op->opcode == TC_PTX_CVT && (op->more & TC_PX_RS) != 0;
    return !(tiny || rs) ||
           tc_ptx_wants_family(p, span, 100,
                               rs ? TC_PTX_FAMILY_TMEM : TC_PTX_FAMILY_ANY,
                               instruction(p, op, rs ? TC_PX_RS : 0));
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
bool tc_ptx_rule_extreme(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
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
bool tc_ptx_rule_fma(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    bool sat = (op->flags & TC_PM_SAT) != 0, ftz = (op->flags & TC_PM_FTZ) != 0;
    bool oob = (op->more & TC_PX_OOB) != 0;
    return !((sat && op->more != 0) || (ftz && oob)) ||
           tc_ptx_fail(p, span, NULL, "'fma' has %s without .relu and .oob",
                       sat ? ".sat" : ".ftz");
}

bool tc_ptx_rule_sum(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    return check_carry(p, op, span);
}

/* 9.7.1.3 to 9.7.1.6 */
bool tc_ptx_rule_product(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    bool wide = (op->flags & TC_PM_WIDE) != 0;
    bool wide64 = wide && tc_ptx_type_bytes[op->type] == 8;
    bool sat = (op->flags & TC_PM_SAT) != 0 && op->type == TC_PT_S32 &&
               (op->flags & TC_PM_HI) == 0;
    return check_carry(p, op, span) &&
           ((!wide64 && !sat) ||
            tc_ptx_fail(p, span, NULL,
                        wide64 ? "'%s.wide' has no 128-bit result"
                               : "'%s' has .sat only with .hi",
                        tc_ptx_ops[op->opcode].name));
}

/* 9.7.3.14 */
bool tc_ptx_rule_rcp(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    bool approx = (op->flags & TC_PM_APPROX) != 0;
    bool ftz = (op->flags & TC_PM_FTZ) != 0;
    return !(op->type == TC_PT_F64 && approx && !ftz) ||
           tc_ptx_fail(p, span, NULL, "'rcp.approx.f64' wants .ftz");
}

/* compare.c - what comparisons, tests and lop3 ask beyond their form. Each rule
 * cites the section of its row in ops.def. */
#include "ptx/internal.h"

#define T(x)   (UINT64_C(1) << TC_PT_##x)
#define FLOATS (T(F16) | T(F16X2) | T(BF16) | T(BF16X2) | T(F32) | T(F64))

static bool is(uint8_t type, uint64_t set) {
    return (set >> type & 1u) != 0;
}

/* 9.7.6.2, 9.3.1: which comparisons a type has. */
bool tc_ptx_rule_set(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    uint8_t t = op->opcode == TC_PTX_SET ? op->type2 : op->type;
    const char *name = tc_ptx_ops[op->opcode].name;
    if (op->cmp == TC_PC_NONE) {
        return tc_ptx_fail(p, span, ".eq, .ne, .lt, .le, .gt or .ge",
                           "'%s' wants a comparison", name);
    }
    bool equality = op->cmp == TC_PC_EQ || op->cmp == TC_PC_NE;
    bool unsigned_order = op->cmp >= TC_PC_LO && op->cmp <= TC_PC_HS;
    bool unordered = op->cmp >= TC_PC_EQU;
    bool bits = is(t, T(B16) | T(B32) | T(B64));
    bool uns = is(t, T(U16) | T(U32) | T(U64));
    if ((bits && !equality) || (unsigned_order && !uns) ||
        (unordered && !is(t, FLOATS))) {
        return tc_ptx_fail(p, span, bits ? "bits have only .eq and .ne" : NULL,
                           "'%s' has no such comparison of %s", name,
                           tc_ptx_type_names[t]);
    }
    int at = op->opcode == TC_PTX_SET ? 3 : 4;
    if ((op->sub != TC_BOOL_NONE) != (op->a[at].kind != TC_PO_NONE)) {
        return tc_ptx_fail(p, span, NULL,
                           op->sub != TC_BOOL_NONE
                               ? "'%s' with .and, .or or .xor wants one more "
                                 "predicate"
                               : "'%s' has a predicate too many: it has no "
                                 ".and, .or or .xor",
                           name);
    }
    return true;
}

/* 9.7.7.2: one predicate of a half, two of a pair. */
static bool check_half_pair(tc_ptx_parser *p, const tc_ptx_op *op,
                            tc_span span) {
    bool one = op->type == TC_PT_F16 || op->type == TC_PT_BF16;
    return !(one && op->a[1].kind != TC_PO_NONE) ||
           tc_ptx_fail(p, span, NULL, "'setp%s' has one predicate",
                       tc_ptx_type_names[op->type]);
}

bool tc_ptx_rule_setp(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    return check_half_pair(p, op, span) && tc_ptx_rule_set(p, op, span);
}

/* 9.7.3.1 */
bool tc_ptx_rule_testp(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    return op->sub != TC_TESTP_NONE ||
           tc_ptx_fail(p, span, ".finite, .infinite, .number, ...",
                       "'testp' wants a property");
}

/* 9.7.8.6 */
bool tc_ptx_rule_lop3(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    bool given = op->sub != TC_BOOL_NONE;
    bool pair = op->a[1].kind != TC_PO_NONE;
    bool last = op->a[6].kind != TC_PO_NONE;
    if (given != pair || given != last) {
        return tc_ptx_fail(p, span, NULL,
                           "'lop3' has d|p and a last predicate with .and or "
                           ".or, and only then");
    }
    return (op->a[5].imm >= 0 && op->a[5].imm <= 255) ||
           tc_ptx_fail(p, span, NULL, "'lop3' has a table of 8 bits, not %lld",
                       (long long)op->a[5].imm);
}

/* 9.7.9.19 */
bool tc_ptx_rule_isspacep(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    if (op->space == TC_PS_CLUSTER &&
        !tc_ptx_wants_sm(p, span, 90, "'isspacep.shared::cluster'")) {
        return false;
    }
    return op->space != TC_PS_GENERIC ||
           tc_ptx_fail(p, span, NULL, "'isspacep' wants a state space");
}

/* check_op.c - what an instruction asks beyond its form, in this order: one
 * rounding, a target that has it, addresses, types, its opcode's rule. */
#include "ptx/internal.h"

static tc_ptx_rule *const rules[TC_PTX_OPCODE_COUNT] = {
#define TC_PTX_OP(id, name, section, units, class, effect, target, modifiers,  \
                  rule)                                                        \
    [TC_PTX_##id] = tc_ptx_rule_##rule,
#include "ptx/ops.def"
};

bool tc_ptx_rule_none(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    (void)p, (void)op, (void)span;
    return true;
}

bool tc_ptx_check_op(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    uint32_t roundings =
        op->flags & (TC_PM_RN | TC_PM_RZ | TC_PM_RM | TC_PM_RP | TC_PM_RNI |
                     TC_PM_RZI | TC_PM_RMI | TC_PM_RPI);
    if ((roundings & (roundings - 1)) != 0) {
        return tc_ptx_fail(p, span, NULL, "'%s' rounds in one way only, not %s",
                           tc_ptx_ops[op->opcode].name,
                           tc_ptx_flag_list(p->arena, roundings));
    }
    return tc_ptx_check_target(p, op, span) &&
           tc_ptx_check_addresses(p, op, span) &&
           tc_ptx_check_types(p, op, span) && rules[op->opcode](p, op, span);
}

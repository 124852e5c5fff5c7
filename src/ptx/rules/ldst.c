/* ldst.c - what ld, st, cp.async and moves ask beyond their form. Each rule
 * cites the section of its row in ops.def. */
#include "ptx/internal.h"

static bool too_many(uint32_t flags) {
    return (flags & (flags - 1)) != 0;
}

/* 9.7.9.25.3.1 */
bool tc_ptx_rule_cp_async(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    int64_t size = op->a[2].imm;
    if (size != 4 && size != 8 && size != 16) {
        return tc_ptx_fail(p, span, NULL,
                           "'cp.async' copies 4, 8 or 16 bytes, not %lld",
                           (long long)size);
    }
    if ((op->flags & TC_PM_CG) != 0 && size != 16) {
        return tc_ptx_fail(p, span, "use cp.async.ca for 4 and 8 bytes",
                           "'cp.async.cg' copies 16 bytes, not %lld",
                           (long long)size);
    }
    bool hint = (op->flags & TC_PM_CACHE_HINT) != 0;
    if (hint != (op->a[4].kind != TC_PO_NONE)) {
        return tc_ptx_fail(p, span, NULL,
                           "a cache policy goes with .L2::cache_hint");
    }
    const tc_ptx_operand *src = &op->a[3];
    if (src->kind == TC_PO_IMM && (src->imm < 0 || src->imm > size)) {
        return tc_ptx_fail(p, span, NULL,
                           "'cp.async' of %lld bytes cannot read %lld",
                           (long long)size, (long long)src->imm);
    }
    op->size = (uint32_t)size;
    op->a[2] = op->a[3];
    op->a[3] = op->a[4];
    op->a[4] = (tc_ptx_operand){0};
    return true;
}

/* .param of a call, or of the function, lies in its frame: 5.1.6. */
static bool check_param(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    bool ld = op->opcode == TC_PTX_LD;
    const tc_ptx_operand *at = &op->a[ld ? 1 : 0];
    bool entry = p->m->funcs[p->func].entry;
    bool frame = at->neg == 2 ? p->m->symbols[at->slot].stacked : !entry;
    if (frame) {
        op->space = TC_PS_LOCAL;
        op->more |= TC_PX_LDST_FRAME;
    }
    return frame || ld ||
           tc_ptx_fail(p, span, NULL,
                       "a kernel's parameters cannot be written");
}

/* 9.7.9.8, 9.7.9.11 */
bool tc_ptx_rule_ld_st(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    bool ld = op->opcode == TC_PTX_LD;
    int bytes = tc_ptx_type_bytes[op->type] * op->nvec;
    if (op->type == TC_PT_B128 && op->nvec > 1) {
        return tc_ptx_fail(p, span, NULL, "there is no vector of .b128");
    }
    bool global = op->space == TC_PS_GLOBAL || op->space == TC_PS_GENERIC;
    if (bytes > 32 || (bytes > 16 && !global)) {
        return tc_ptx_fail(p, span, NULL,
                           "a vector of %d bytes: at most 16 (32 in .global)",
                           bytes);
    }
    if (!ld && op->space == TC_PS_CONST) {
        return tc_ptx_fail(p, span, NULL, ".const memory cannot be written");
    }
    if ((op->flags & TC_PM_NC) != 0 && op->space != TC_PS_GLOBAL) {
        return tc_ptx_fail(p, span, NULL, "'ld' has .nc only in .global");
    }
    if (ld && p->written[1].part.len != 0) {
        op->more |= TC_PX_UNIFIED;
    }
    if (!tc_ptx_check_hints(p, op, span)) {
        return false;
    }
    uint32_t order = op->flags & (TC_PM_VOLATILE | TC_PM_RELAXED |
                                  TC_PM_ACQUIRE | TC_PM_RELEASE);
    if (too_many(order)) {
        return tc_ptx_fail(p, span, NULL, "more than one of %s",
                           tc_ptx_flag_list(p->arena, order));
    }
    bool scoped = (order & ~TC_PM_VOLATILE) != 0;
    if (scoped != (op->scope != TC_PTX_SCOPE_NONE)) {
        return tc_ptx_fail(p, span, NULL,
                           scoped ? "%s wants a scope: .cta, .cluster, .gpu "
                                    "or .sys"
                                  : "%sa scope without .relaxed, .acquire or "
                                    ".release",
                           scoped ? tc_ptx_flag_list(p->arena, order) : "");
    }
    bool hinted = op->a[2].kind != TC_PO_NONE;
    if (hinted != ((op->flags & TC_PM_CACHE_HINT) != 0)) {
        return tc_ptx_fail(p, span, NULL,
                           "a cache policy goes with .L2::cache_hint");
    }
    return op->space != TC_PS_PARAM || check_param(p, op, span);
}

/* 9.7.9.3 and 9.7.9.4: one side of mov may be a vector. */
bool tc_ptx_rule_mov(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    bool to = op->a[0].kind == TC_PO_VECTOR, of = op->a[1].kind == TC_PO_VECTOR;
    if (op->sub != 0) {
        return tc_ptx_fail(p, span, NULL, "unknown modifier '.mask' of 'mov'");
    }
    if (op->nvec > 1) { /* 6.4.3: .v2 and .v4, element by element */
        return (op->type != TC_PT_PRED && op->type != TC_PT_B128) ||
               tc_ptx_fail(p, span, NULL, "'mov' has no vector of %s",
                           tc_ptx_type_names[op->type]);
    }
    if (to && of) {
        return tc_ptx_fail(p, span, NULL,
                           "only one side of 'mov' can be a vector");
    }
    op->nvec = to ? op->a[0].nvec : of ? op->a[1].nvec : 1;
    return true;
}

/* 9.7.9.20: a space, and a variable of it. */
bool tc_ptx_rule_cvta(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    const tc_ptx_operand *o = &op->a[1];
    if (op->space == TC_PS_GENERIC) {
        return tc_ptx_fail(p, span, NULL,
                           "'cvta' wants a space: .global, .shared, .local, "
                           ".const or .param");
    }
    if (op->space == TC_PS_CLUSTER &&
        !tc_ptx_wants_sm(p, span, 90, "'cvta.shared::cluster'")) {
        return false;
    }
    tc_ptx_space plain =
        op->space == TC_PS_CLUSTER ? TC_PS_SHARED : (tc_ptx_space)op->space;
    return o->kind != TC_PO_SYMBOL || p->m->symbols[o->slot].space == plain ||
           tc_ptx_fail(p, span, NULL, "'%s' is not in the space of this 'cvta'",
                       p->m->symbols[o->slot].name);
}

/* 9.7.9.25.3.3, 9.7.9.27.2.2 */
bool tc_ptx_rule_wait_group(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    return (op->a[0].imm >= 0 && op->a[0].imm <= INT32_MAX) ||
           tc_ptx_fail(p, span, NULL, "'%s' cannot wait for %lld groups",
                       tc_ptx_ops[op->opcode].name, (long long)op->a[0].imm);
}

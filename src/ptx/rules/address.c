/* address.c - what stands in [ ]: a register, a variable or a constant,
 * and whether it fits the state space that the instruction names (PTX ISA
 * 6.4.1, 5.1). Where the text is silent, ptxas 13.0 decides. */
#include "ptx/internal.h"

enum { SKIP = 255 }; /* no state space: tensor memory, or checked elsewhere */

/* The space that operand at of op is an address in. */
static uint8_t space_of(const tc_ptx_op *op, int at) {
    switch (op->opcode) {
    case TC_PTX_CP_ASYNC:
        return at == 0 ? TC_PS_SHARED : TC_PS_GLOBAL;
    case TC_PTX_CP_ASYNC_BULK:
    case TC_PTX_CP_REDUCE_ASYNC_BULK:
        return at == 0 ? op->space : at == 1 ? op->space2 : TC_PS_SHARED;
    case TC_PTX_CP_ASYNC_BULK_TENSOR:
    case TC_PTX_CP_REDUCE_ASYNC_BULK_TENSOR:
        return at == 0   ? op->space
               : at == 1 ? TC_PS_GENERIC
               : at == 3 ? op->space2
                         : TC_PS_SHARED;
    case TC_PTX_CP_ASYNC_BULK_PREFETCH_TENSOR:
    case TC_PTX_FENCE_PROXY:
        return TC_PS_GENERIC;
    case TC_PTX_TENSORMAP_CP_FENCEPROXY:
        return at == 0 ? op->space : op->space2;
    case TC_PTX_TCGEN05_LD:
    case TC_PTX_TCGEN05_ST:
    case TC_PTX_TCGEN05_CP:
        return SKIP;
    default:
        return op->space;
    }
}

static const char *space_name(uint8_t space) {
    static const char *const names[] = {"generic", ".global", ".shared",
                                        ".local",  ".param",  ".const",
                                        ".reg",    ".shared", ".tensor memory"};
    return names[space];
}

/* [variable]: one of the space; a generic address may name any that generic
 * addresses reach, except in .const and .param. */
static bool check_variable(tc_ptx_parser *p, tc_ptx_op *op, int at,
                           uint8_t space, tc_span span) {
    const tc_ptx_symbol *s = &p->m->symbols[op->a[at].slot];
    uint8_t plain = space == TC_PS_CLUSTER ? TC_PS_SHARED : space;
    uint64_t set = tc_ptx_modifier_set((tc_ptx_opcode)op->opcode);
    if (s->space == plain ||
        (space == TC_PS_GENERIC && s->space == TC_PS_GLOBAL)) {
        return true;
    }
    bool ld_st = (set & (TC_MODS_LD | TC_MODS_ST)) != 0;
    bool named = ld_st ||
                 (set & (TC_MODS_ATOM | TC_MODS_MBAR | TC_MODS_ASYNC)) ||
                 op->opcode == TC_PTX_TCGEN05_ALLOC ||
                 op->opcode == TC_PTX_TCGEN05_COMMIT;
    if (space == TC_PS_GENERIC && named &&
        (s->space == TC_PS_SHARED || (ld_st && s->space == TC_PS_LOCAL))) {
        if (s->space == TC_PS_LOCAL) { /* nobody else is there to order */
            op->flags &= ~(uint32_t)(TC_PM_VOLATILE | TC_PM_RELAXED |
                                     TC_PM_ACQUIRE | TC_PM_RELEASE);
            op->scope = TC_PTX_SCOPE_NONE;
        }
        bool cluster = op->opcode == TC_PTX_TCGEN05_COMMIT ||
                       op->opcode == TC_PTX_ST_ASYNC ||
                       op->opcode == TC_PTX_RED_ASYNC;
        op->space = cluster ? TC_PS_CLUSTER : (uint8_t)s->space;
        return true;
    }
    if ((set & TC_MODS_MBAR) != 0) {
        return true; /* mbarrier.c reports it */
    }
    return tc_ptx_fail(p, span, NULL, "'%s' is in %s, and this '%s' is %s",
                       s->name, space_name(s->space),
                       tc_ptx_ops[op->opcode].name, space_name(space));
}

static bool check_address(tc_ptx_parser *p, tc_ptx_op *op, int at,
                          tc_span span) {
    const tc_ptx_operand *o = &op->a[at];
    uint8_t space = space_of(op, at);
    const char *name = tc_ptx_ops[op->opcode].name;
    if (space == SKIP) {
        return true;
    }
    if (o->neg == 0) {
        return space == TC_PS_LOCAL ||
               tc_ptx_fail(p, span, "mov it to a register first",
                           "'%s' has a constant address only in .local", name);
    }
    if (o->neg == 2) {
        return check_variable(p, op, at, space, span);
    }
    uint64_t set = tc_ptx_modifier_set((tc_ptx_opcode)op->opcode);
    bool tx = set == TC_MODS_ASYNC && (op->more & TC_PX_BULK_TX) != 0;
    if (space == TC_PS_GENERIC && o->cls == TC_PF_32 && at < 2 &&
        (set == TC_MODS_MATRIX || op->opcode == TC_PTX_ST_BULK || tx)) {
        op->space = tx ? TC_PS_CLUSTER : TC_PS_SHARED;
        return true; /* these reach shared memory alone */
    }
    bool wide = space == TC_PS_GENERIC || space == TC_PS_GLOBAL;
    return !wide || o->cls == TC_PF_64 ||
           tc_ptx_fail(p, span, NULL, "%s address of '%s' has 64 bits",
                       space == TC_PS_GLOBAL ? "a .global" : "a generic", name);
}

bool tc_ptx_check_addresses(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    for (int i = 0; i < 8; i++) {
        if (op->a[i].kind == TC_PO_ADDRESS && !check_address(p, op, i, span)) {
            return false;
        }
    }
    bool maps = op->opcode == TC_PTX_MAPA || op->opcode == TC_PTX_GETCTARANK;
    const tc_ptx_operand *o = &op->a[1];
    return !maps || o->kind != TC_PO_SYMBOL ||
           p->m->symbols[o->slot].space == TC_PS_SHARED ||
           tc_ptx_fail(p, span, NULL, "'%s' is not in .shared",
                       p->m->symbols[o->slot].name);
}

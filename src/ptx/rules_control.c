/* rules_control.c - what warp collectives, barriers and the like ask beyond
 * their form. Each rule cites the section of its row in ops.def. */
#include "ptx/internal.h"

/* Ops that the newer ISA took away from the newer targets (9.7.9.5, 9.7.13.8).
 */
static bool check_legacy(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    const char *name = tc_ptx_ops[op->opcode].name;
    return p->m->sm < 70 || p->m->version < 64 ||
           tc_ptx_fail(p, span, tc_format(p->arena, "'%s.sync'", name),
                       "'%s' without .sync is gone: it is for PTX 6.3 and "
                       "older, or targets before sm_70",
                       name);
}

/* 9.7.13.9: three of a predicate, ballot of bits. */
static bool check_vote(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    const char *name = tc_ptx_ops[op->opcode].name;
    if (op->sub == TC_VOTE_NONE) {
        return tc_ptx_fail(p, span, NULL,
                           "'%s' wants .all, .any, .uni or .ballot", name);
    }
    bool ballot = op->sub == TC_VOTE_BALLOT;
    if (ballot != (op->type == TC_PT_B32)) {
        return tc_ptx_fail(p, span, NULL,
                           "'%s' is .ballot.b32, or .all, .any or .uni of "
                           ".pred",
                           name);
    }
    return op->opcode == TC_PTX_VOTE_SYNC || check_legacy(p, op, span);
}

/* 9.7.13.12 */
static bool check_redux(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    bool bits = op->sub == TC_ATOM_AND || op->sub == TC_ATOM_OR ||
                op->sub == TC_ATOM_XOR;
    bool most = op->sub == TC_ATOM_MIN || op->sub == TC_ATOM_MAX;
    if (op->sub == TC_ATOM_NONE) {
        return tc_ptx_fail(p, span, NULL,
                           "'redux.sync' wants .add, .min, .max, .and, .or or "
                           ".xor");
    }
    if (op->type == TC_PT_F32) {
        return (most || tc_ptx_fail(p, span, NULL,
                                    "'redux.sync' of .f32 is .min or .max")) &&
               tc_ptx_wants_sm(p, span, 100, "'redux.sync' of .f32");
    }
    if (op->more & TC_PX_REDUX_ABS) {
        return tc_ptx_fail(p, span, NULL, "'redux.sync' has .abs only of .f32");
    }
    return (bits == (op->type == TC_PT_B32) ||
            tc_ptx_fail(p, span, NULL,
                        "'redux.sync' is .and, .or or .xor of .b32, or .add, "
                        ".min or .max of .u32 or .s32")) &&
           tc_ptx_wants_sm(p, span, 80, "'redux.sync'");
}

/* 9.7.13.14 */
static bool check_elect(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    return (op->a[1].kind == TC_PO_PRED ||
            tc_ptx_fail(p, span, "elect.sync _|%p1, membermask;",
                        "'elect.sync' wants a predicate to write to")) &&
           tc_ptx_wants_sm(p, span, 90, "'elect.sync'");
}

/* 9.7.17: the alignment of alloca. */
static bool check_stack(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    int64_t align = op->opcode == TC_PTX_ALLOCA && op->a[2].kind == TC_PO_IMM
                        ? op->a[2].imm
                        : 8;
    return (align > 0 && align <= 1 << 20 && (align & (align - 1)) == 0) ||
           tc_ptx_fail(p, span, NULL,
                       "an alignment is a power of 2 up to 1048576, not %lld",
                       (long long)align);
}

bool tc_ptx_check_control(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    switch (op->opcode) {
    case TC_PTX_VOTE:
    case TC_PTX_VOTE_SYNC:
        return check_vote(p, op, span);
    case TC_PTX_SHFL:
        return check_legacy(p, op, span);
    case TC_PTX_REDUX_SYNC:
        return check_redux(p, op, span);
    case TC_PTX_ELECT_SYNC:
        return check_elect(p, op, span);
    case TC_PTX_ALLOCA:
    case TC_PTX_STACKSAVE:
    case TC_PTX_STACKRESTORE:
        return check_stack(p, op, span) &&
               tc_ptx_wants_sm(p, span, 52, "the stack");
    default:
        return true;
    }
}

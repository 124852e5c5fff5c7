/* control.c - what warp collectives, barriers and the like ask beyond
 * their form. Each rule cites the section of its row in ops.def. */
#include "ptx/internal.h"

/* Ops that the newer ISA took away from the newer targets (9.7.9.5, 9.7.13.8).
 */
bool tc_ptx_rule_shfl(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    const char *name = tc_ptx_ops[op->opcode].name;
    return p->m->sm < 70 || p->m->version < 64 ||
           tc_ptx_fail(p, span, tc_format(p->arena, "'%s.sync'", name),
                       "'%s' without .sync is gone: it is for PTX 6.3 and "
                       "older, or targets before sm_70",
                       name);
}

/* 9.7.13.9: three of a predicate, ballot of bits. */
bool tc_ptx_rule_vote(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
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
    return op->opcode == TC_PTX_VOTE_SYNC || tc_ptx_rule_shfl(p, op, span);
}

/* 9.7.13.12 */
bool tc_ptx_rule_redux(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
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
               tc_ptx_wants_family(p, span, 100, TC_PTX_FAMILY_TMEM,
                                   "'redux.sync' of .f32");
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
bool tc_ptx_rule_elect(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    return (op->a[1].kind == TC_PO_PRED ||
            tc_ptx_fail(p, span, "elect.sync _|%p1, membermask;",
                        "'elect.sync' wants a predicate to write to")) &&
           tc_ptx_wants_sm(p, span, 90, "'elect.sync'");
}

/* 9.7.17: the alignment of alloca. */
bool tc_ptx_rule_stack(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    int64_t align = op->opcode == TC_PTX_ALLOCA && op->a[2].kind == TC_PO_IMM
                        ? op->a[2].imm
                        : 8;
    return (align > 0 && align <= 1 << 23 && (align & (align - 1)) == 0) ||
           tc_ptx_fail(p, span, NULL,
                       "an alignment is a power of 2 up to 8388608, not %lld",
                       (long long)align);
}

/* 9.7.13.1: bar is barrier with .aligned. */
static void align_bar(tc_ptx_op *op) {
    bool bar = op->opcode == TC_PTX_BAR_SYNC || op->opcode == TC_PTX_BAR_RED ||
               op->opcode == TC_PTX_BAR_ARRIVE;
    op->flags |= bar ? TC_PM_ALIGNED : 0;
}

/* 9.7.13.1: 16 barriers, whole warps. */
bool tc_ptx_rule_bar(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    align_bar(op);
    bool red = op->opcode == TC_PTX_BAR_RED || op->opcode == TC_PTX_BARRIER_RED;
    const tc_ptx_operand *bar = &op->a[red ? 1 : 0], *count = bar + 1;
    const char *name = tc_ptx_ops[op->opcode].name;
    if (bar->kind == TC_PO_IMM && (bar->imm < 0 || bar->imm > 15)) {
        return tc_ptx_fail(p, span, NULL, "'%s' has barriers 0 to 15, not %lld",
                           name, (long long)bar->imm);
    }
    if (count->kind == TC_PO_IMM &&
        (count->imm < 0 || count->imm > INT32_MAX || count->imm % 32 != 0)) {
        return tc_ptx_fail(p, span, NULL,
                           "'%s' counts threads in multiples of 32, not %lld",
                           name, (long long)count->imm);
    }
    bool arrive =
        op->opcode == TC_PTX_BAR_ARRIVE || op->opcode == TC_PTX_BARRIER_ARRIVE;
    if (arrive && count->kind == TC_PO_IMM && count->imm == 0) {
        return tc_ptx_fail(p, span, NULL, "'%s' counts at least 32 threads",
                           name);
    }
    bool popc = op->sub == TC_BARRED_POPC;
    return !red ||
           (op->sub != TC_BARRED_NONE && popc == (op->type == TC_PT_U32)) ||
           tc_ptx_fail(p, span, NULL,
                       "'%s' is .popc.u32, .and.pred or .or.pred", name);
}

/* 9.7.13.4 */
bool tc_ptx_rule_fence(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    const char *name = tc_ptx_ops[op->opcode].name;
    if (op->scope == TC_PTX_SCOPE_NONE) {
        return tc_ptx_fail(p, span, NULL, "'%s' wants a scope: %s", name,
                           op->opcode == TC_PTX_MEMBAR
                               ? ".cta, .gl or .sys"
                               : ".cta, .cluster, .gpu or .sys");
    }
    uint32_t want = op->sub == TC_FENCE_ACQUIRE   ? TC_PX_FENCE_CLUSTER
                    : op->sub == TC_FENCE_RELEASE ? TC_PX_FENCE_CTA
                                                  : 0;
    if (op->more != 0 &&
        (op->more != want || op->scope != TC_PTX_SCOPE_CLUSTER)) {
        return tc_ptx_fail(p, span, NULL,
                           "'fence' has .acquire.sync_restrict::shared::cluster"
                           ".cluster and .release.sync_restrict::shared::cta"
                           ".cluster");
    }
    bool cluster = op->scope == TC_PTX_SCOPE_CLUSTER;
    return tc_ptx_wants_sm(p, span, cluster ? 90 : 0, "this fence");
}

/* 9.7.19.5 */
bool tc_ptx_rule_setmaxnreg(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    int64_t n = op->a[0].imm;
    if (op->sub == TC_MAXNREG_NONE || op->more != 1) {
        return tc_ptx_fail(p, span, NULL,
                           "'setmaxnreg' is .inc.sync.aligned.u32 or "
                           ".dec.sync.aligned.u32");
    }
    return (n >= 24 && n <= 256 && n % 8 == 0) ||
           tc_ptx_fail(p, span, NULL,
                       "'setmaxnreg' takes a multiple of 8 from 24 to 256, not "
                       "%lld",
                       (long long)n);
}

/* 9.7.13.13 */
bool tc_ptx_rule_griddepcontrol(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    bool named = op->sub == TC_GRIDDEP_LAUNCH || op->sub == TC_GRIDDEP_WAIT;
    return ((named && op->more == 0) ||
            tc_ptx_fail(
                p, span, NULL,
                "'griddepcontrol' wants .launch_dependents or .wait")) &&
           tc_ptx_wants_sm(p, span, 90, "'griddepcontrol'");
}

/* 9.7.14.5.15 to .17: shapes, and the types that each has. */
bool tc_ptx_rule_matrix(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    const char *name = tc_ptx_ops[op->opcode].name;
    bool ld = op->opcode == TC_PTX_LDMATRIX, st = op->opcode == TC_PTX_STMATRIX;
    bool trans = (op->more & TC_PX_MATRIX_TRANS) != 0;
    uint32_t formats = op->more & (TC_PX_MATRIX_B6 | TC_PX_MATRIX_B4);
    bool one = formats == TC_PX_MATRIX_B6 || formats == TC_PX_MATRIX_B4;
    bool packed = one && (op->more & TC_PX_MATRIX_B8X16) != 0 &&
                  op->type == TC_PT_NONE && ld;
    bool none = (op->more & TC_PX_MATRIX_B8X16) == 0 && formats == 0;
    bool bytes = none && op->type == TC_PT_B8;
    bool ok = false;
    switch (op->sub) {
    case TC_MATRIX_M8N8:
        ok = none && op->type == TC_PT_B16 && (ld || st || trans);
        break;
    case TC_MATRIX_M16N16:
        ok = ld && trans && op->sub2 < 4 && (bytes || packed);
        break;
    case TC_MATRIX_M8N16:
        ok = ld && !trans && packed;
        break;
    case TC_MATRIX_M16N8:
        ok = st && trans && bytes;
        break;
    default:
        break;
    }
    bool counted = (op->sub2 != 0) == (ld || st);
    bool space = op->space == TC_PS_SHARED ||
                 (op->space == TC_PS_GENERIC && op->space2 == TC_PS_GENERIC);
    if (!ok || !counted || !space || !(op->more & TC_PX_MATRIX_SYNC)) {
        return tc_ptx_fail(p, span,
                           ld   ? "ldmatrix.sync.aligned.m8n8.x4.shared.b16"
                           : st ? "stmatrix.sync.aligned.m8n8.x4.shared.b16"
                                : "movmatrix.sync.aligned.m8n8.trans.b16",
                           "there is no such form of '%s'", name);
    }
    bool bits8 = op->sub != TC_MATRIX_M8N8;
    return tc_ptx_wants_family(p, span,
                               bits8 ? 100
                               : st  ? 90
                                     : 75,
                               bits8 ? TC_PTX_FAMILY_ANY : TC_PTX_FAMILY_NONE,
                               tc_format(p->arena, "this '%s'", name));
}

/* 9.7.19.3 */
bool tc_ptx_rule_pmevent(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    return (op->nvec == 1 && op->a[0].imm >= 0 &&
            op->a[0].imm <= (op->sub != 0 ? 0xffff : 15)) ||
           tc_ptx_fail(p, span, NULL, "'pmevent' has events 0 to 15");
}

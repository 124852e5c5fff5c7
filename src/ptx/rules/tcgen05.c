/* tcgen05.c - what tcgen05.* asks beyond its form (PTX ISA 9.7.16). Where
 * the ISA's text leaves a form open, ptxas 13.0 -arch sm_100a decides. */
#include "ptx/internal.h"

enum { CTA_GROUP = TC_PX_TCGEN_CTA_1 | TC_PX_TCGEN_CTA_2 };

static bool fail(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span,
                 const char *what) {
    return tc_ptx_fail(p, span, NULL, "'%s' %s", tc_ptx_ops[op->opcode].name,
                       what);
}

/* 9.7.16.8.3, table of .num and .shape: registers of .x1, and the most. */
int tc_ptx_tcgen05_registers(const tc_ptx_op *op) {
    int most = 8, each = 1; /* most: 1 + log2 of .x128 */
    switch (op->sub) {
    case TC_TCGEN_32X32B:
    case TC_TCGEN_16X64B:
    case TC_TCGEN_16X32BX2:
        break;
    case TC_TCGEN_16X128B:
        most = 7;
        each = 2;
        break;
    case TC_TCGEN_16X256B:
        most = 6;
        each = 4;
        break;
    default:
        return 0;
    }
    return op->sub2 >= 1 && op->sub2 <= most ? each << (op->sub2 - 1) : 0;
}

static bool check_ld_st(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    if (op->sub == 0 || op->sub2 == 0) {
        return fail(p, op, span,
                    op->sub == 0 ? "wants a shape: .32x32b, .16x64b, .16x128b, "
                                   ".16x256b or .16x32bx2"
                                 : "wants .x1, .x2, .x4 and so on to .x128");
    }
    if (op->sub > TC_TCGEN_16X32BX2) {
        return fail(p, op, span, "has no such shape: it belongs to tcgen05.cp");
    }
    if (tc_ptx_tcgen05_registers(op) == 0) {
        return fail(p, op, span,
                    op->sub == TC_TCGEN_16X128B
                        ? ".16x128b repeats at most 64 times (.x64)"
                        : ".16x256b repeats at most 32 times (.x32)");
    }
    uint32_t other =
        op->opcode == TC_PTX_TCGEN05_LD ? TC_PX_TCGEN_UNPACK : TC_PX_TCGEN_PACK;
    if ((op->more & other) != 0) {
        return fail(p, op, span,
                    op->opcode == TC_PTX_TCGEN05_LD
                        ? "has .pack::16b; .unpack::16b is of tcgen05.st"
                        : "has .unpack::16b; .pack::16b is of tcgen05.ld");
    }
    return true;
}

/* 9.7.16.9.2: which shapes are multicast, and how. */
static bool check_cp(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    uint32_t x2 = op->more & (TC_PX_TCGEN_02_13 | TC_PX_TCGEN_01_23);
    bool x4 = (op->more & TC_PX_TCGEN_WARPX4) != 0;
    if (op->sub < TC_TCGEN_128X256B) {
        return fail(p, op, span,
                    "wants a shape: .128x256b, .4x256b, .128x128b, .64x128b or "
                    ".32x128b");
    }
    if (op->sub == TC_TCGEN_64X128B && (x4 || x2 == 0 || (x2 & (x2 - 1)))) {
        return fail(p, op, span,
                    ".64x128b wants .warpx2::02_13 or .warpx2::01_23");
    }
    if (op->sub == TC_TCGEN_32X128B && (!x4 || x2 != 0)) {
        return fail(p, op, span, ".32x128b wants .warpx4");
    }
    bool alone = op->sub != TC_TCGEN_64X128B && op->sub != TC_TCGEN_32X128B;
    return !alone || (!x4 && x2 == 0) ||
           fail(p, op, span, "of this shape goes to no pairs of warps");
}

/* 9.7.16.7.1: all tcgen05 instructions of a kernel have the same group. */
static bool check_group(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    uint32_t mine = op->more & CTA_GROUP;
    bool wants = op->opcode != TC_PTX_TCGEN05_LD &&
                 op->opcode != TC_PTX_TCGEN05_ST &&
                 op->opcode != TC_PTX_TCGEN05_WAIT_LD &&
                 op->opcode != TC_PTX_TCGEN05_WAIT_ST;
    if (wants != (mine != 0) || mine == CTA_GROUP) {
        return fail(p, op, span,
                    wants ? "wants one of .cta_group::1 and .cta_group::2"
                          : "has no .cta_group");
    }
    uint32_t begin = p->func >= 0 ? p->m->funcs[p->func].begin : 0;
    for (uint32_t i = p->m->ncode; mine != 0 && i > begin; i--) {
        const tc_ptx_op *o = &p->m->code[i - 1];
        if (tc_ptx_modifier_set((tc_ptx_opcode)o->opcode) == TC_MODS_TCGEN &&
            (o->more & CTA_GROUP) != 0) {
            return (o->more & CTA_GROUP) == mine ||
                   fail(p, op, span,
                        "differs in .cta_group from one before: a kernel has "
                        "only one of the two");
        }
    }
    return true;
}

/* 9.7.16.7.1: nCols, where it is a constant. */
static bool check_columns(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    const tc_ptx_operand *n = &op->a[1];
    if (n->kind != TC_PO_IMM ||
        (n->imm >= 32 && n->imm <= 512 && (n->imm & (n->imm - 1)) == 0)) {
        return true;
    }
    return tc_ptx_fail(p, span, NULL,
                       "tensor memory has 32, 64, 128, 256 or 512 columns to "
                       "give, not %lld",
                       (long long)n->imm);
}

/* A tensor memory address is a register of 32 bits (and a constant). */
static bool check_address(tc_ptx_parser *p, const tc_ptx_op *op, int at,
                          tc_span span) {
    const tc_ptx_operand *o = &op->a[at];
    return (o->kind == TC_PO_ADDRESS && o->neg == 1 && o->cls == TC_PF_32) ||
           fail(p, op, span,
                "wants an address of tensor memory, a register of 32 bits");
}

static bool check_one(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    switch (op->opcode) {
    case TC_PTX_TCGEN05_ALLOC:
        return (op->space == TC_PS_GENERIC || op->space == TC_PS_SHARED ||
                fail(p, op, span, "writes to .shared::cta")) &&
               check_columns(p, op, span);
    case TC_PTX_TCGEN05_DEALLOC:
        return check_columns(p, op, span);
    case TC_PTX_TCGEN05_LD:
        return check_ld_st(p, op, span) && check_address(p, op, 1, span);
    case TC_PTX_TCGEN05_ST:
        return check_ld_st(p, op, span) && check_address(p, op, 0, span);
    case TC_PTX_TCGEN05_CP:
        return check_cp(p, op, span) && check_address(p, op, 0, span);
    case TC_PTX_TCGEN05_COMMIT:
        return ((op->more & TC_PX_TCGEN_ARRIVE_ONE) != 0 ||
                fail(p, op, span, "wants .mbarrier::arrive::one")) &&
               (op->space == TC_PS_GENERIC || op->space == TC_PS_CLUSTER ||
                fail(p, op, span, "takes .shared::cluster or no space"));
    default:
        return true;
    }
}

/* Modifiers that only some of the family have. */
static uint32_t allowed(const tc_ptx_op *op) {
    switch (op->opcode) {
    case TC_PTX_TCGEN05_LD:
    case TC_PTX_TCGEN05_ST:
        return TC_PX_TCGEN_SYNC | TC_PX_TCGEN_PACK | TC_PX_TCGEN_UNPACK;
    case TC_PTX_TCGEN05_CP:
        return CTA_GROUP | TC_PX_TCGEN_02_13 | TC_PX_TCGEN_01_23 |
               TC_PX_TCGEN_WARPX4;
    case TC_PTX_TCGEN05_COMMIT:
        return CTA_GROUP | TC_PX_TCGEN_ARRIVE_ONE | TC_PX_TCGEN_MULTICAST;
    default:
        return CTA_GROUP | TC_PX_TCGEN_SYNC;
    }
}

bool tc_ptx_rule_tcgen05(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    if (op->opcode == TC_PTX_TCGEN05_FENCE_BEFORE ||
        op->opcode == TC_PTX_TCGEN05_FENCE_AFTER) {
        return true;
    }
    uint32_t extra = op->more & ~allowed(op), may = allowed(op);
    if (extra != 0) {
        return tc_ptx_fail(p, span, NULL, "'%s' has no modifier %s",
                           tc_ptx_ops[op->opcode].name,
                           tc_ptx_more_name((tc_ptx_opcode)op->opcode, extra));
    }
    if ((may & ~op->more & TC_PX_TCGEN_SYNC) != 0) {
        return fail(p, op, span, "wants .sync.aligned");
    }
    bool shaped =
        op->opcode == TC_PTX_TCGEN05_LD || op->opcode == TC_PTX_TCGEN05_ST;
    if ((op->sub2 != 0 && !shaped) ||
        (op->sub != 0 && !shaped && op->opcode != TC_PTX_TCGEN05_CP)) {
        return fail(p, op, span, "has no shape");
    }
    return check_group(p, op, span) && check_one(p, op, span);
}

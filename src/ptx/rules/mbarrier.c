/* mbarrier.c - what mbarrier.*, barrier.cluster.* and the cluster's
 * addresses ask beyond their form (PTX ISA 9.7.13.15, 9.7.13.3, 9.7.9.23). */
#include "ptx/internal.h"

static const char *name_of(const tc_ptx_op *op) {
    return tc_ptx_ops[op->opcode].name;
}

/* Waits, init, inval and cp.async.mbarrier.arrive know no other CTA. */
static bool may_be_remote(const tc_ptx_op *op) {
    return op->opcode == TC_PTX_MBARRIER_ARRIVE ||
           op->opcode == TC_PTX_MBARRIER_ARRIVE_DROP ||
           op->opcode == TC_PTX_MBARRIER_EXPECT_TX ||
           op->opcode == TC_PTX_MBARRIER_COMPLETE_TX;
}

static bool is_arrive(const tc_ptx_op *op) {
    return op->opcode == TC_PTX_MBARRIER_ARRIVE ||
           op->opcode == TC_PTX_MBARRIER_ARRIVE_DROP;
}

static bool check_space(tc_ptx_parser *p, const tc_ptx_op *op, int at,
                        tc_span span) {
    bool cluster = op->space == TC_PS_CLUSTER;
    if (cluster && !may_be_remote(op)) {
        return tc_ptx_fail(p, span, NULL,
                           "'%s' takes no .shared::cluster: the mbarrier is "
                           "one of its own CTA",
                           name_of(op));
    }
    if (op->space != TC_PS_GENERIC && op->space != TC_PS_SHARED && !cluster) {
        return tc_ptx_fail(p, span, NULL, "'%s' takes .shared or no space",
                           name_of(op));
    }
    const tc_ptx_operand *o = &op->a[at];
    if (o->kind == TC_PO_ADDRESS && o->neg == 2) {
        const tc_ptx_symbol *y = &p->m->symbols[o->slot];
        if (y->space != TC_PS_SHARED || op->space == TC_PS_GENERIC) {
            return tc_ptx_fail(p, span, NULL,
                               y->space == TC_PS_SHARED
                                   ? "'%s' is in .shared, and this '%s' has "
                                     "no .shared"
                                   : "'%s' is not in .shared, where '%s' "
                                     "looks for it",
                               y->name, name_of(op));
        }
    }
    return true;
}

/* .release, .relaxed, .acquire and a scope come together. */
static bool check_order(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    uint32_t order =
        op->flags & (TC_PM_RELEASE | TC_PM_RELAXED | TC_PM_ACQUIRE);
    if ((order & (order - 1)) != 0) {
        return tc_ptx_fail(p, span, NULL, "more than one of %s",
                           tc_ptx_flag_list(p->arena, order));
    }
    if ((order != 0) != (op->scope != TC_PTX_SCOPE_NONE)) {
        return tc_ptx_fail(p, span, NULL,
                           order ? "%s wants a scope: .cta or .cluster"
                                 : "%sa scope without .release, .acquire or "
                                   ".relaxed",
                           order ? tc_ptx_flag_list(p->arena, order) : "");
    }
    return op->scope <= TC_PTX_SCOPE_CLUSTER ||
           tc_ptx_fail(p, span, NULL, "'%s' has the scopes .cta and .cluster",
                       name_of(op));
}

static bool check_more(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    bool wait = op->opcode == TC_PTX_MBARRIER_TEST_WAIT ||
                op->opcode == TC_PTX_MBARRIER_TRY_WAIT;
    uint32_t allowed =
        wait            ? TC_PX_MBAR_PARITY
        : is_arrive(op) ? TC_PX_MBAR_NO_COMPLETE | TC_PX_MBAR_EXPECT_TX
        : op->opcode == TC_PTX_CP_ASYNC_MBARRIER_ARRIVE ? TC_PX_MBAR_NOINC
                                                        : 0u;
    if ((op->more & ~allowed) == 0) {
        return true;
    }
    return tc_ptx_fail(
        p, span, NULL, "'%s' has no %s", name_of(op),
        tc_ptx_more_name((tc_ptx_opcode)op->opcode, op->more & ~allowed));
}

static bool check_arrive(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    bool expect = (op->more & TC_PX_MBAR_EXPECT_TX) != 0;
    bool partial = (op->more & TC_PX_MBAR_NO_COMPLETE) != 0;
    const tc_ptx_operand *n = &op->a[2];
    if (op->space == TC_PS_CLUSTER && op->a[0].kind != TC_PO_SINK) {
        return tc_ptx_fail(p, span, "write _ for the state",
                           "'%s' gives no state of a barrier in "
                           ".shared::cluster",
                           name_of(op));
    }
    if (expect && partial) {
        return tc_ptx_fail(p, span, NULL,
                           "'%s' has .expect_tx or .noComplete, not both",
                           name_of(op));
    }
    if ((expect || partial) && n->kind == TC_PO_NONE) {
        return tc_ptx_fail(p, span, NULL, "'%s' wants %s", name_of(op),
                           expect ? "the bytes that it expects" : "a count");
    }
    if (partial &&
        ((op->flags & TC_PM_RELAXED) != 0 ||
         op->scope == TC_PTX_SCOPE_CLUSTER || op->space == TC_PS_CLUSTER)) {
        return tc_ptx_fail(p, span, NULL,
                           "'%s.noComplete' has .release.cta and the own "
                           "CTA's barriers only",
                           name_of(op));
    }
    if (!expect && n->kind == TC_PO_IMM && n->imm == 0) {
        return tc_ptx_fail(p, span, NULL, "'%s' counts at least 1",
                           name_of(op));
    }
    return true;
}

bool tc_ptx_rule_mbarrier(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    bool value_first = op->a[0].kind != TC_PO_ADDRESS;
    if (!check_more(p, op, span) || !check_order(p, op, span) ||
        !check_space(p, op, value_first ? 1 : 0, span)) {
        return false;
    }
    const tc_ptx_operand *o = &op->a[2];
    if ((op->more & TC_PX_MBAR_PARITY) != 0 && !is_arrive(op) &&
        o->kind == TC_PO_IMM && (o->imm < 0 || o->imm > 1)) {
        return tc_ptx_fail(p, span, NULL, "a parity is 0 or 1, not %lld",
                           (long long)o->imm);
    }
    return !is_arrive(op) || check_arrive(p, op, span);
}

/* 9.7.9.23, 9.7.9.24: in .shared::cluster or generic. */
bool tc_ptx_rule_mapping(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    return op->space == TC_PS_GENERIC || op->space == TC_PS_CLUSTER ||
           tc_ptx_fail(p, span, NULL, "'%s' takes .shared::cluster or no space",
                       name_of(op));
}

/* 9.7.13.4 */
bool tc_ptx_rule_fence_init(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    return op->scope == TC_PTX_SCOPE_CLUSTER ||
           tc_ptx_fail(p, span, NULL,
                       "it is written fence.mbarrier_init.release.cluster");
}

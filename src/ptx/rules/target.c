/* target.c - the targets that have an instruction: its row's (ops.def), and of
 * some forms beyond arithmetic (arith.c). The figures are those of "Target ISA
 * Notes" of each section that ops.def names; ptxas 13.0 agrees with all
 * (tests/ptx/forms.txt). */
#include "base/target.h"
#include "ptx/internal.h"

enum { ANY = TC_PTX_FAMILY_NONE, TMEM = TC_PTX_FAMILY_TMEM };

/* Forms that want more than their opcode: an instruction with all of these.
 * Places that are 0 are not looked at. */
static const struct {
    uint16_t op;
    uint32_t more, flags;
    uint8_t space, scope, sm, which;
} rows[] = {
    {TC_PTX_CP_ASYNC_BULK_TENSOR, TC_PX_BULK_CTA_GROUP_1, 0, 0, 0, 100, TMEM},
    {TC_PTX_CP_ASYNC_BULK_TENSOR, TC_PX_BULK_CTA_GROUP_2, 0, 0, 0, 100, TMEM},
    {TC_PTX_CP_ASYNC_BULK_TENSOR, TC_PX_BULK_GATHER4, 0, TC_PS_CLUSTER, 0, 100,
     TMEM},
    {TC_PTX_CP_ASYNC_BULK_TENSOR, TC_PX_BULK_SCATTER4, 0, 0, 0, 100, TMEM},
    {TC_PTX_CP_ASYNC_BULK_PREFETCH_TENSOR, TC_PX_BULK_GATHER4, 0, 0, 0, 100,
     TMEM},
    {TC_PTX_MBARRIER_TEST_WAIT, 0, TC_PM_RELAXED, 0, 0, 90, ANY},
    {TC_PTX_MBARRIER_TEST_WAIT, 0, 0, 0, TC_PTX_SCOPE_CLUSTER, 90, ANY},
    {TC_PTX_MBARRIER_ARRIVE, 0, TC_PM_RELAXED, 0, 0, 90, ANY},
    {TC_PTX_MBARRIER_ARRIVE, 0, 0, TC_PS_CLUSTER, 0, 90, ANY},
    {TC_PTX_MBARRIER_ARRIVE, 0, 0, 0, TC_PTX_SCOPE_CLUSTER, 90, ANY},
    {TC_PTX_MBARRIER_ARRIVE, TC_PX_MBAR_EXPECT_TX, 0, 0, 0, 90, ANY},
    {TC_PTX_MBARRIER_ARRIVE_DROP, 0, TC_PM_RELAXED, 0, 0, 90, ANY},
    {TC_PTX_MBARRIER_ARRIVE_DROP, 0, 0, TC_PS_CLUSTER, 0, 90, ANY},
    {TC_PTX_MBARRIER_ARRIVE_DROP, 0, 0, 0, TC_PTX_SCOPE_CLUSTER, 90, ANY},
    {TC_PTX_MBARRIER_ARRIVE_DROP, TC_PX_MBAR_EXPECT_TX, 0, 0, 0, 90, ANY},
};

bool tc_ptx_wants_sm(tc_ptx_parser *p, tc_span span, int sm, const char *what) {
    return !p->saw_target || p->m->sm >= sm ||
           tc_ptx_fail(p, span, NULL,
                       "%s is for .target sm_%d and later, and this is for "
                       "sm_%d",
                       what, sm, p->m->sm);
}

bool tc_ptx_wants_family(tc_ptx_parser *p, tc_span span, int sm,
                         tc_ptx_family family, const char *what) {
    if (!p->saw_target || family == TC_PTX_FAMILY_NONE) {
        return tc_ptx_wants_sm(p, span, sm, what);
    }
    bool has = p->m->sm >= sm && p->m->sm_suffix != 0 &&
               (family == TC_PTX_FAMILY_ANY ||
                tc_target_has(p->m->sm, TC_TARGET_TMEM));
    return has ||
           tc_ptx_fail(p, span, tc_format(p->arena, ".target sm_%da", sm),
                       "%s is for .target sm_%da and its family", what, sm);
}

/* 9.7.13.15.13: a count was for .noComplete alone until sm_90. */
static bool counts(const tc_ptx_op *op) {
    bool arrive = op->opcode == TC_PTX_MBARRIER_ARRIVE ||
                  op->opcode == TC_PTX_MBARRIER_ARRIVE_DROP;
    return arrive && op->a[2].kind != TC_PO_NONE &&
           (op->more & TC_PX_MBAR_NO_COMPLETE) == 0;
}

static bool check_fence_proxy(tc_ptx_parser *p, const tc_ptx_op *op,
                              tc_span span) {
    int sm = op->sub2 == TC_PROXY_ALIAS ? 70 : 90;
    return tc_ptx_wants_sm(p, span, sm, "this 'fence.proxy'");
}

/* The instruction with the modifiers that the row is about. */
static const char *instruction(tc_ptx_parser *p, const tc_ptx_op *op,
                               size_t i) {
    return tc_format(
        p->arena, "'%s%s%s'", tc_ptx_ops[op->opcode].name,
        rows[i].more ? tc_ptx_more_name((tc_ptx_opcode)op->opcode, rows[i].more)
                     : "",
        rows[i].flags ? tc_ptx_flag_name(rows[i].flags) : "");
}

/* The opcode's own. */
static bool check_row(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    const tc_ptx_op_info *info = &tc_ptx_ops[op->opcode];
    int sm = info->target.sm;
    if (info->target.family == TC_PTX_FAMILY_ONLY) {
        return (p->saw_target && p->m->sm == sm && p->m->sm_suffix == 'a') ||
               tc_ptx_fail(p, span, tc_format(p->arena, ".target sm_%da", sm),
                           "'%s' is for .target sm_%da alone", info->name, sm);
    }
    return sm == 0 ||
           tc_ptx_wants_family(p, span, sm, (tc_ptx_family)info->target.family,
                               tc_format(p->arena, "'%s'", info->name));
}

bool tc_ptx_check_target(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    const char *name = tc_ptx_ops[op->opcode].name;
    if (!check_row(p, op, span)) {
        return false;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].op != op->opcode ||
            (op->more & rows[i].more) != rows[i].more ||
            (op->flags & rows[i].flags) != rows[i].flags ||
            (rows[i].space != 0 && op->space != rows[i].space) ||
            (rows[i].scope != 0 && op->scope != rows[i].scope)) {
            continue;
        }
        if (!tc_ptx_wants_family(p, span, rows[i].sm, rows[i].which,
                                 instruction(p, op, i))) {
            return false;
        }
    }
    if (counts(op) &&
        !tc_ptx_wants_sm(p, span, 90,
                         tc_format(p->arena,
                                   "'%s' with a count, without .noComplete,",
                                   name))) {
        return false;
    }
    return op->opcode != TC_PTX_FENCE_PROXY || check_fence_proxy(p, op, span);
}

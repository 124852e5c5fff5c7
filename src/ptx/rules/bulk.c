/* bulk.c - which copies of the async proxy there are: directions,
 * completion mechanisms, reductions (PTX ISA 9.7.9.25.4, 9.7.9.27.1). */
#include "ptx/internal.h"

#define T(x)     (1u << TC_PT_##x)
#define HALVES   (T(F16) | T(BF16))
#define INTEGERS (T(U32) | T(S32) | T(U64) | T(S64))

/* A direction: what it takes, and the one completion mechanism that it has. */
typedef struct direction {
    tc_ptx_space to, from;
    uint32_t completion, allowed;
    bool hint;
} direction;

static const direction copies[] = {
    {TC_PS_CLUSTER, TC_PS_GLOBAL, TC_PX_BULK_TX, TC_PX_BULK_MULTICAST, true},
    {TC_PS_SHARED, TC_PS_GLOBAL, TC_PX_BULK_TX, 0, true},
    {TC_PS_CLUSTER, TC_PS_SHARED, TC_PX_BULK_TX, 0, false},
    {TC_PS_GLOBAL, TC_PS_SHARED, TC_PX_BULK_GROUP, TC_PX_BULK_CP_MASK, true}};
static const direction reductions[] = {
    {TC_PS_CLUSTER, TC_PS_SHARED, TC_PX_BULK_TX, 0, false},
    {TC_PS_GLOBAL, TC_PS_SHARED, TC_PX_BULK_GROUP, TC_PX_BULK_NOFTZ, true}};

static const char *name_of(const tc_ptx_op *op) {
    return tc_ptx_ops[op->opcode].name;
}

static const direction *find(const direction *d, size_t n,
                             const tc_ptx_op *op) {
    for (size_t i = 0; i < n; i++) {
        if (d[i].to == op->space && d[i].from == op->space2) {
            return &d[i];
        }
    }
    return NULL;
}

static bool check_direction(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span,
                            const direction *d, const char *directions) {
    if (d == NULL) {
        return tc_ptx_fail(p, span, directions,
                           "'%s' does not copy from there to there",
                           name_of(op));
    }
    uint32_t both = TC_PX_BULK_TX | TC_PX_BULK_GROUP;
    if ((op->more & both) != d->completion) {
        return tc_ptx_fail(
            p, span, NULL, "'%s' in this direction completes by %s",
            name_of(op),
            d->completion == TC_PX_BULK_TX ? ".mbarrier::complete_tx::bytes"
                                           : ".bulk_group");
    }
    bool hint = (op->flags & TC_PM_CACHE_HINT) != 0;
    if ((op->more & ~(d->completion | d->allowed)) != 0 || (hint && !d->hint)) {
        return tc_ptx_fail(p, span, NULL,
                           "'%s' has a modifier that this direction has not",
                           name_of(op));
    }
    return true;
}

static const uint32_t global_types[] = {
    [TC_ATOM_AND] = T(B32) | T(B64),
    [TC_ATOM_OR] = T(B32) | T(B64),
    [TC_ATOM_XOR] = T(B32) | T(B64),
    [TC_ATOM_ADD] = T(U32) | T(S32) | T(U64) | T(F32) | T(F64) | HALVES,
    [TC_ATOM_INC] = T(U32),
    [TC_ATOM_DEC] = T(U32),
    [TC_ATOM_MIN] = INTEGERS | HALVES,
    [TC_ATOM_MAX] = INTEGERS | HALVES};
static const uint32_t shared_types[] = {
    [TC_ATOM_AND] = T(B32),          [TC_ATOM_OR] = T(B32),
    [TC_ATOM_XOR] = T(B32),          [TC_ATOM_ADD] = T(U32) | T(S32) | T(U64),
    [TC_ATOM_INC] = T(U32),          [TC_ATOM_DEC] = T(U32),
    [TC_ATOM_MIN] = T(U32) | T(S32), [TC_ATOM_MAX] = T(U32) | T(S32)};

/* 9.7.9.25.4.2: the types of each reduction. */
static bool check_reduction(tc_ptx_parser *p, const tc_ptx_op *op,
                            tc_span span) {
    if (op->sub == 0) {
        return tc_ptx_fail(p, span,
                           ".add, .min, .max, .inc, .dec, .and, .or "
                           "or .xor",
                           "'%s' wants a reduction", name_of(op));
    }
    bool global = op->space == TC_PS_GLOBAL;
    uint32_t types = (global ? global_types : shared_types)[op->sub];
    if ((types >> op->type & 1u) == 0) {
        return tc_ptx_fail(
            p, span, NULL, "'%s' to %s has this reduction of %s, not of %s",
            name_of(op), global ? ".global" : ".shared::cluster",
            tc_ptx_type_list(p->arena, types), tc_ptx_type_names[op->type]);
    }
    bool wants = op->sub == TC_ATOM_ADD && (HALVES >> op->type & 1u) != 0;
    bool has = (op->more & TC_PX_BULK_NOFTZ) != 0;
    return wants == has ||
           tc_ptx_fail(p, span, NULL,
                       wants ? "'%s' adds %s with .noftz"
                             : "'%s' has .noftz only where it adds .f16 or "
                               ".bf16, not %s",
                       name_of(op), tc_ptx_type_names[op->type]);
}

/* Sizes that are known now; others are checked when they are. */
static bool check_size(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span,
                       int at) {
    const tc_ptx_operand *o = &op->a[at];
    return o->kind != TC_PO_IMM || (uint64_t)o->imm % 16 == 0 ||
           tc_ptx_fail(p, span, NULL,
                       "'%s' copies multiples of 16 bytes, not %lld",
                       name_of(op), (long long)o->imm);
}

/* 9.7.9.27.1.2: directions and modifiers of the tensor copies. */
static const direction tensor_copies[] = {
    {TC_PS_CLUSTER, TC_PS_GLOBAL, TC_PX_BULK_TX,
     TC_PX_BULK_MULTICAST | TC_PX_BULK_TILE | TC_PX_BULK_GATHER4 |
         TC_PX_BULK_CTA_GROUP_1 | TC_PX_BULK_CTA_GROUP_2,
     true},
    {TC_PS_SHARED, TC_PS_GLOBAL, TC_PX_BULK_TX,
     TC_PX_BULK_TILE | TC_PX_BULK_GATHER4 | TC_PX_BULK_CTA_GROUP_1 |
         TC_PX_BULK_CTA_GROUP_2,
     true},
    {TC_PS_GLOBAL, TC_PS_SHARED, TC_PX_BULK_GROUP,
     TC_PX_BULK_TILE | TC_PX_BULK_SCATTER4, true}};
enum { FOUR = TC_PX_BULK_GATHER4 | TC_PX_BULK_SCATTER4 };

static bool check_dimensions(tc_ptx_parser *p, const tc_ptx_op *op,
                             tc_span span, int coordinates) {
    if (op->sub2 == 0) {
        return tc_ptx_fail(p, span, ".1d, .2d, .3d, .4d or .5d",
                           "'%s' wants the number of dimensions", name_of(op));
    }
    bool four = (op->more & FOUR) != 0; /* one column, four rows */
    if (four && (op->sub2 != 2 || (op->more & TC_PX_BULK_TILE) != 0)) {
        return tc_ptx_fail(p, span, NULL,
                           "'%s' gathers and scatters rows of .2d tensors",
                           name_of(op));
    }
    int n = op->a[coordinates].nvec, want = four ? 5 : op->sub2;
    return (n == want ||
            tc_ptx_fail(p, span, NULL, "'%s.%dd' takes %d coordinate%s, not %d",
                        name_of(op), op->sub2, want, want == 1 ? "" : "s",
                        n)) &&
           (!four || tc_ptx_wants_sm(p, span, 100,
                                     "'.tile::gather4' or '.tile::scatter4'"));
}

bool tc_ptx_rule_bulk_tensor(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    bool reduce = op->opcode == TC_PTX_CP_REDUCE_ASYNC_BULK_TENSOR;
    const direction *d = find(tensor_copies, 3, op);
    if (reduce && d != &tensor_copies[2]) {
        d = NULL;
    }
    if (!check_dimensions(p, op, span, 2) ||
        !check_direction(p, op, span, d,
                         reduce
                             ? ".global.shared::cta"
                             : ".shared::cluster.global, .shared::cta.global "
                               "or .global.shared::cta")) {
        return false;
    }
    if (reduce != (op->sub != 0)) {
        return tc_ptx_fail(p, span, NULL,
                           reduce ? "'%s' wants a reduction: .add, .min, .max, "
                                    ".inc, .dec, .and, .or or .xor"
                                  : "'%s' does not reduce",
                           name_of(op));
    }
    if (reduce && (op->more & FOUR) != 0) {
        return tc_ptx_fail(p, span, NULL, "'%s' does not scatter", name_of(op));
    }
    uint32_t groups = TC_PX_BULK_CTA_GROUP_1 | TC_PX_BULK_CTA_GROUP_2;
    return (op->more & groups) == 0 ||
           tc_ptx_wants_sm(p, span, 100, "'.cta_group'");
}

bool tc_ptx_rule_bulk_prefetch_tensor(tc_ptx_parser *p, tc_ptx_op *op,
                                      tc_span span) {
    uint32_t modes = TC_PX_BULK_TILE | TC_PX_BULK_GATHER4;
    return check_dimensions(p, op, span, 1) &&
           (((op->more & ~modes) == TC_PX_BULK_L2 &&
             op->space == TC_PS_GLOBAL && op->sub == 0) ||
            tc_ptx_fail(p, span, NULL, "'%s' wants .L2.global", name_of(op)));
}

bool tc_ptx_rule_bulk_prefetch(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    return ((op->more == TC_PX_BULK_L2 && op->space == TC_PS_GLOBAL) ||
            tc_ptx_fail(p, span, NULL, "'%s' wants .L2.global", name_of(op))) &&
           check_size(p, op, span, 1);
}

bool tc_ptx_rule_bulk(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    return check_direction(
               p, op, span, find(copies, 4, op),
               ".shared::cluster.global, .shared::cta.global, "
               ".shared::cluster.shared::cta or .global.shared::cta") &&
           check_size(p, op, span, 2) &&
           (op->sub == 0 || tc_ptx_fail(p, span, "cp.reduce.async.bulk",
                                        "'%s' does not reduce", name_of(op))) &&
           ((op->more & TC_PX_BULK_CP_MASK) == 0 ||
            tc_ptx_wants_sm(p, span, 100, "'.cp_mask'"));
}

bool tc_ptx_rule_bulk_reduce(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    return check_direction(p, op, span, find(reductions, 2, op),
                           ".shared::cluster.shared::cta or "
                           ".global.shared::cta") &&
           check_reduction(p, op, span) && check_size(p, op, span, 2);
}

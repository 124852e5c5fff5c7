/* atom.c - which atom and red there are (PTX ISA 9.7.13.5, 9.7.13.6):
 * types by operation, vectors, orders, and the targets that have them. */
#include "ptx/internal.h"

#define T(x)     (1u << TC_PT_##x)
#define HALVES   (T(F16) | T(F16X2) | T(BF16) | T(BF16X2))
#define BITWISE  (T(B32) | T(B64))
#define INTEGERS (T(U32) | T(S32) | T(U64) | T(S64))

static const uint32_t scalar_types[] = {
    [TC_ATOM_AND] = BITWISE,
    [TC_ATOM_OR] = BITWISE,
    [TC_ATOM_XOR] = BITWISE,
    [TC_ATOM_CAS] = T(B16) | BITWISE | T(B128),
    [TC_ATOM_EXCH] = BITWISE | T(B128),
    [TC_ATOM_ADD] = T(U32) | T(S32) | T(U64) | T(F32) | T(F64) | HALVES,
    [TC_ATOM_INC] = T(U32),
    [TC_ATOM_DEC] = T(U32),
    [TC_ATOM_MIN] = INTEGERS,
    [TC_ATOM_MAX] = INTEGERS};

static bool check_vector(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    const char *name = tc_ptx_ops[op->opcode].name;
    bool f32 = op->type == TC_PT_F32;
    bool pairs = op->type == TC_PT_F16X2 || op->type == TC_PT_BF16X2;
    bool extreme = op->sub == TC_ATOM_MIN || op->sub == TC_ATOM_MAX;
    bool has = op->sub == TC_ATOM_ADD
                   ? f32 || (HALVES >> op->type & 1u) != 0
                   : extreme && (HALVES >> op->type & 1u) != 0;
    if (!has) {
        return tc_ptx_fail(p, span, NULL,
                           "'%s' of a vector adds .f32, and adds, .min or "
                           ".max .f16, .f16x2, .bf16 or .bf16x2",
                           name);
    }
    if (op->nvec == 8 && (f32 || pairs)) {
        return tc_ptx_fail(p, span, NULL, "'%s' of %s has .v2 and .v4", name,
                           tc_ptx_type_names[op->type]);
    }
    if (op->space != TC_PS_GLOBAL && op->space != TC_PS_GENERIC) {
        return tc_ptx_fail(p, span, NULL,
                           "'%s' of a vector is only for .global", name);
    }
    return tc_ptx_wants_sm(p, span, 90,
                           tc_format(p->arena, "'%s' of a vector", name));
}

static bool check_type(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    const char *name = tc_ptx_ops[op->opcode].name;
    if (op->nvec > 1) {
        return check_vector(p, op, span);
    }
    uint32_t types = scalar_types[op->sub];
    if ((types >> op->type & 1u) == 0) {
        return tc_ptx_fail(p, span, NULL, "this '%s' has no %s: it takes %s%s",
                           name, tc_ptx_type_names[op->type],
                           tc_ptx_type_list(p->arena, types),
                           (HALVES >> op->type & 1u) != 0
                               ? " (min and max of halves are for vectors)"
                               : "");
    }
    int sm = op->type == TC_PT_B128                               ? 90
             : op->type == TC_PT_BF16 || op->type == TC_PT_BF16X2 ? 90
             : op->type == TC_PT_F16 || op->type == TC_PT_B16     ? 70
                                                                  : 60;
    return tc_ptx_wants_sm(
        p, span, sm,
        tc_format(p->arena, "'%s' of %s", name, tc_ptx_type_names[op->type]));
}

static bool check_space_of(tc_ptx_parser *p, const tc_ptx_op *op,
                           tc_span span) {
    const char *name = tc_ptx_ops[op->opcode].name;
    bool cluster = op->space == TC_PS_CLUSTER;
    if (op->space != TC_PS_GENERIC && op->space != TC_PS_GLOBAL &&
        op->space != TC_PS_SHARED && !cluster) {
        return tc_ptx_fail(p, span, NULL,
                           "'%s' is for .global, .shared and generic addresses",
                           name);
    }
    bool hint = (op->flags & TC_PM_CACHE_HINT) != 0;
    if (hint &&
        (op->space == TC_PS_SHARED || cluster || op->sub == TC_ATOM_CAS)) {
        return tc_ptx_fail(p, span, NULL, "this '%s' has no .L2::cache_hint",
                           name);
    }
    int at = op->opcode == TC_PTX_RED ? 2 : 4;
    if (hint != (op->a[at].kind != TC_PO_NONE)) {
        return tc_ptx_fail(p, span, NULL,
                           "a cache policy goes with .L2::cache_hint");
    }
    return (!cluster && op->scope != TC_PTX_SCOPE_CLUSTER) ||
           tc_ptx_wants_sm(p, span, 90, "a cluster");
}

bool tc_ptx_rule_atom(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    const char *name = tc_ptx_ops[op->opcode].name;
    bool red = op->opcode == TC_PTX_RED;
    bool swaps = op->sub == TC_ATOM_CAS || op->sub == TC_ATOM_EXCH;
    if (op->sub == TC_ATOM_NONE || (red && swaps)) {
        return tc_ptx_fail(p, span,
                           red ? ".and, .or, .xor, .add, .inc, .dec, .min or "
                                 ".max"
                               : ".and, .or, .xor, .cas, .exch, .add, .inc, "
                                 ".dec, .min or .max",
                           "'%s' wants an operation", name);
    }
    bool cas = op->sub == TC_ATOM_CAS;
    if (!red && cas != (op->a[3].kind != TC_PO_NONE)) {
        return tc_ptx_fail(p, span, NULL,
                           cas ? "'atom.cas' wants two values: to compare, "
                                 "to store"
                               : "'atom' has a value too many: it is no .cas");
    }
    bool halves = (HALVES >> op->type & 1u) != 0;
    bool noftz = (op->more & TC_PX_ATOM_NOFTZ) != 0;
    if (halves != noftz) {
        return tc_ptx_fail(p, span, NULL,
                           halves ? "'%s' of %s wants .noftz"
                                  : "'%s' of %s has no .noftz",
                           name, tc_ptx_type_names[op->type]);
    }
    uint32_t order =
        op->flags & (TC_PM_RELAXED | TC_PM_ACQUIRE | TC_PM_RELEASE);
    if ((order & TC_PM_RELAXED) != 0 && order != TC_PM_RELAXED) {
        return tc_ptx_fail(p, span, NULL, "more than one of %s",
                           tc_ptx_flag_list(p->arena, order));
    }
    return check_type(p, op, span) && check_space_of(p, op, span);
}

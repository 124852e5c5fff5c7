/* proxy.c - st.async, red.async, st.bulk, fence.proxy and tensormap.*:
 * which there are (PTX ISA 9.7.9.12, 9.7.9.13, 9.7.13.7, 9.7.13.4, 9.7.9.28,
 * 9.7.13.16). */
#include "ptx/internal.h"

#define T(x) (1u << TC_PT_##x)

static const char *name_of(const tc_ptx_op *op) {
    return tc_ptx_ops[op->opcode].name;
}

/* st.async and red.async: with an mbarrier to a CTA's shared memory, in an
 * order of the cluster (order); or, of sm_100, a release to global memory. */
static bool check_form(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span,
                       bool order) {
    bool weak = (op->more & TC_PX_BULK_WEAK) != 0;
    bool mmio = (op->more & TC_PX_BULK_MMIO) != 0;
    bool known =
        (op->more & ~(TC_PX_BULK_TX | TC_PX_BULK_WEAK | TC_PX_BULK_MMIO)) == 0;
    if ((op->more & TC_PX_BULK_TX) == 0) {
        bool global = op->space == TC_PS_GLOBAL || op->space == TC_PS_GENERIC;
        bool scope =
            op->scope == TC_PTX_SCOPE_GPU || op->scope == TC_PTX_SCOPE_SYS;
        return ((known && !weak && global && scope && op->nvec == 1 &&
                 op->flags == TC_PM_RELEASE) ||
                tc_ptx_fail(p, span, NULL,
                            "'%s' without .mbarrier::complete_tx::bytes is "
                            ".release with .gpu or .sys, to global memory",
                            name_of(op))) &&
               tc_ptx_wants_sm(
                   p, span, 100,
                   tc_format(p->arena, "'%s' to global memory", name_of(op)));
    }
    bool cluster = op->scope == TC_PTX_SCOPE_CLUSTER;
    bool scoped = order ? cluster && op->flags == TC_PM_RELAXED && !weak
                        : op->flags == 0 && (op->scope == TC_PTX_SCOPE_NONE ||
                                             (cluster && !weak));
    bool shared = op->space == TC_PS_CLUSTER || op->space == TC_PS_GENERIC ||
                  (op->space == TC_PS_SHARED && !cluster);
    return (known && !mmio && scoped && shared) ||
           tc_ptx_fail(p, span, NULL,
                       "'%s' with an mbarrier is %s and goes to "
                       ".shared::cluster",
                       name_of(op), order ? ".relaxed.cluster" : ".weak");
}

bool tc_ptx_rule_st_async(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    int bytes = tc_ptx_type_bytes[op->type];
    bool tx = (op->more & TC_PX_BULK_TX) != 0;
    if (op->sub != 0) {
        return tc_ptx_fail(p, span, "red.async", "'%s' does not reduce",
                           name_of(op));
    }
    if (tx && bytes < 4) {
        return tc_ptx_fail(p, span, NULL, "'%s' stores 4 or 8 bytes, not %s",
                           name_of(op), tc_ptx_type_names[op->type]);
    }
    if (bytes * op->nvec > 16) {
        return tc_ptx_fail(p, span, NULL,
                           "a vector of '%s' has at most 16 bytes",
                           name_of(op));
    }
    return check_form(p, op, span, false);
}

bool tc_ptx_rule_red_async(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    static const uint32_t types[] = {[TC_ATOM_AND] = T(B32),
                                     [TC_ATOM_OR] = T(B32),
                                     [TC_ATOM_XOR] = T(B32),
                                     [TC_ATOM_ADD] =
                                         T(U32) | T(S32) | T(U64) | T(S64),
                                     [TC_ATOM_INC] = T(U32),
                                     [TC_ATOM_DEC] = T(U32),
                                     [TC_ATOM_MIN] = T(U32) | T(S32),
                                     [TC_ATOM_MAX] = T(U32) | T(S32)};
    if (op->sub == 0 || (types[op->sub] >> op->type & 1u) == 0) {
        return tc_ptx_fail(p, span, NULL,
                           op->sub == 0 ? "'%s' wants a reduction"
                                        : "'%s' has no such reduction of %s",
                           name_of(op), tc_ptx_type_names[op->type]);
    }
    return (op->nvec == 1 ||
            tc_ptx_fail(p, span, NULL, "'%s' has no vector", name_of(op))) &&
           check_form(p, op, span, true);
}

bool tc_ptx_rule_st_bulk(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    const tc_ptx_operand *size = &op->a[1];
    if ((op->more & ~(uint32_t)TC_PX_BULK_WEAK) != 0 || op->sub != 0 ||
        op->nvec != 1 ||
        (op->space != TC_PS_SHARED && op->space != TC_PS_GENERIC)) {
        return tc_ptx_fail(p, span, NULL, "'st.bulk' is st.bulk.shared::cta");
    }
    if (size->kind == TC_PO_IMM &&
        (size->imm < 0 || size->imm % 8 != 0 || size->imm > 16777216)) {
        return tc_ptx_fail(p, span, NULL,
                           "'st.bulk' fills multiples of 8 bytes up to "
                           "16777216, not %lld",
                           (long long)size->imm);
    }
    return (op->a[2].imm == 0 ||
            tc_ptx_fail(p, span, NULL, "'st.bulk' fills with 0 only")) &&
           tc_ptx_wants_sm(p, span, 100, "'st.bulk'");
}

bool tc_ptx_rule_fence_proxy(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    uint32_t sem = op->flags & (TC_PM_ACQUIRE | TC_PM_RELEASE);
    bool one = sem == TC_PM_ACQUIRE || sem == TC_PM_RELEASE;
    bool range = op->a[0].kind != TC_PO_NONE;
    bool scope = op->scope != TC_PTX_SCOPE_NONE, ok;
    switch (op->sub2) {
    case TC_PROXY_ALIAS:
        ok = sem == 0 && !scope && !range && op->space == 0 && op->more == 0;
        break;
    case TC_PROXY_ASYNC:
        ok = sem == 0 && !scope && !range && op->more == 0 &&
             (op->space == 0 || op->space == TC_PS_GLOBAL ||
              op->space == TC_PS_SHARED || op->space == TC_PS_CLUSTER);
        break;
    case TC_PROXY_TENSORMAP:
        ok = one && scope && op->space == 0 && op->more == 0 &&
             range == (sem == TC_PM_ACQUIRE) &&
             (!range || (op->a[1].kind == TC_PO_IMM && op->a[1].imm == 128));
        break;
    case TC_PROXY_ASYNC_GENERIC:
        ok = one && op->scope == TC_PTX_SCOPE_CLUSTER && !range &&
             op->space == 0 &&
             op->more ==
                 (sem == TC_PM_ACQUIRE ? TC_PX_PROXY_CLUSTER : TC_PX_PROXY_CTA);
        break;
    default:
        return tc_ptx_fail(p, span, ".alias, .async or .tensormap::generic",
                           "'%s' wants a proxy", name_of(op));
    }
    return (ok && op->space2 == 0 && op->sub == 0) ||
           tc_ptx_fail(p, span, NULL, "'%s' has no such form", name_of(op));
}

/* 9.7.9.28 */
bool tc_ptx_rule_tensormap_replace(tc_ptx_parser *p, tc_ptx_op *op,
                                   tc_span span) {
    bool space = op->space == TC_PS_GENERIC || op->space == TC_PS_GLOBAL ||
                 op->space == TC_PS_SHARED;
    bool wide = op->sub == TC_TMAP_ADDRESS || op->sub == TC_TMAP_STRIDE;
    bool indexed = op->sub >= TC_TMAP_BOX && op->sub <= TC_TMAP_ELEMENT_STRIDE;
    bool constant = op->sub >= TC_TMAP_TYPE;
    if (op->more != (TC_PX_PROXY_TILE | TC_PX_PROXY_B1024) || op->sub2 != 0 ||
        op->sub == TC_TMAP_NONE || !space || op->space2 != 0 ||
        op->scope != TC_PTX_SCOPE_NONE) {
        return tc_ptx_fail(p, span, NULL,
                           "'%s' is tensormap.replace.tile.FIELD, the space, "
                           ".b1024 and the value's type",
                           name_of(op));
    }
    if (wide != (op->type == TC_PT_B64)) {
        return tc_ptx_fail(p, span, NULL, "this field of '%s' is %s",
                           name_of(op), wide ? ".b64" : ".b32");
    }
    int64_t most = op->sub == TC_TMAP_STRIDE ? 3 : 4;
    if (indexed && (op->a[1].imm < 0 || op->a[1].imm > most)) {
        return tc_ptx_fail(p, span, NULL, "'%s' has no ordinal %lld",
                           name_of(op), (long long)op->a[1].imm);
    }
    static const int64_t values[] = {[TC_TMAP_TYPE] = 15,
                                     [TC_TMAP_INTERLEAVE] = 2,
                                     [TC_TMAP_SWIZZLE] = 3,
                                     [TC_TMAP_ATOMICITY] = 3,
                                     [TC_TMAP_FILL] = 1};
    if (constant && (op->a[2].kind != TC_PO_IMM || op->a[2].imm < 0 ||
                     op->a[2].imm > values[op->sub])) {
        return tc_ptx_fail(p, span, NULL,
                           "this field of '%s' takes a constant from 0 to %lld",
                           name_of(op), (long long)values[op->sub]);
    }
    return tc_ptx_wants_sm(p, span, op->sub == TC_TMAP_ATOMICITY ? 100 : 90,
                           "this field of 'tensormap.replace'");
}

/* 9.7.13.16 */
bool tc_ptx_rule_tensormap_cp(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    return (op->more == TC_PX_PROXY_SYNC && op->sub == 0 &&
            op->sub2 == TC_PROXY_TENSORMAP && op->space == TC_PS_GLOBAL &&
            op->space2 == TC_PS_SHARED && op->scope != TC_PTX_SCOPE_NONE &&
            op->a[2].imm == 128) ||
           tc_ptx_fail(p, span, NULL,
                       "'%s' is .global.shared::cta.tensormap::generic.release,"
                       " a scope, .sync.aligned, of 128 bytes",
                       name_of(op));
}

/* hints.c - what guides the caches: at ld, ldu and st, and what orders it goes
 * with (PTX ISA 9.7.9.8 to 9.7.9.11), prefetches and policies (9.7.9.15 to
 * 9.7.9.18). None of it changes a value. */
#include "ptx/internal.h"

enum {
    STRONG = TC_PM_VOLATILE | TC_PM_RELAXED | TC_PM_ACQUIRE | TC_PM_RELEASE,
    HINTS = TC_PX_L1 | TC_PX_L2 | TC_PX_PREFETCH
};

static bool no(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span,
               const char *what) {
    return tc_ptx_fail(
        p, span, NULL, "this '%s' has no %s",
        (op->more & TC_PX_LDU) != 0 ? "ldu" : tc_ptx_ops[op->opcode].name,
        what);
}

static int operations(const tc_ptx_op *op) {
    return ((op->flags & TC_PM_CA) != 0) + ((op->flags & TC_PM_CG) != 0) +
           ((op->more & TC_PX_COP) != 0);
}

static bool check_order(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span,
                        bool global) {
    uint32_t order = op->flags & STRONG, more = op->more;
    bool shared = op->space == TC_PS_SHARED || op->space == TC_PS_CLUSTER;
    bool mmio = (more & TC_PX_MMIO) != 0;
    if (order != 0 && !global && (!shared || mmio)) {
        return no(p, op, span, "order in this state space");
    }
    if (order != 0 && (more & TC_PX_WEAK) != 0) {
        return no(p, op, span, ".weak");
    }
    if (order != 0 && operations(op) > 0) {
        return no(p, op, span, "cache operation");
    }
    if (mmio && (order != TC_PM_RELAXED || op->scope != TC_PTX_SCOPE_SYS ||
                 op->nvec > 1)) {
        return tc_ptx_fail(p, span, NULL,
                           "'.mmio' goes with .relaxed.sys, and "
                           "no vector");
    }
    bool hinted = (op->flags & TC_PM_CACHE_HINT) != 0;
    if ((mmio && (more & HINTS) != 0) ||
        ((mmio || order == TC_PM_VOLATILE) &&
         (hinted || (more & (TC_PX_L1 | TC_PX_L2)) != 0))) {
        return no(p, op, span, "hint");
    }
    bool nc = (op->flags & TC_PM_NC) != 0;
    if (nc && (order != 0 || (more & TC_PX_WEAK) != 0)) {
        return no(p, op, span, "order");
    }
    return !(nc && (more & TC_PX_COP_LD) != 0) ||
           no(p, op, span, ".lu and .cv");
}

static bool check_ldu(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span,
                      bool global) {
    bool plain = op->flags == 0 && op->more == TC_PX_LDU &&
                 op->scope == TC_PTX_SCOPE_NONE;
    if (!plain || !global || op->nvec > 4 || op->a[2].kind != TC_PO_NONE) {
        return no(p, op, span,
                  "modifier but .global, .v2 and .v4, and no policy");
    }
    return tc_ptx_type_bytes[op->type] * op->nvec <= 16 ||
           no(p, op, span, "vector of more than 16 bytes");
}

bool tc_ptx_check_hints(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    bool global = op->space == TC_PS_GLOBAL || op->space == TC_PS_GENERIC;
    if ((op->more & TC_PX_LDU) != 0) {
        return check_ldu(p, op, span, global);
    }
    bool hinted = (op->flags & TC_PM_CACHE_HINT) != 0;
    if (!global && (hinted || (op->more & HINTS) != 0 ||
                    (op->more & TC_PX_UNIFIED) != 0)) {
        return no(p, op, span, "hint in this state space");
    }
    int n = operations(op);
    if (n > 1 || (n == 1 && (op->more & (TC_PX_L1 | TC_PX_L2)) != 0)) {
        return no(p, op, span, "second cache operation");
    }
    int bytes = tc_ptx_type_bytes[op->type] * op->nvec;
    if (op->nvec == 8 && bytes != 32) {
        return no(p, op, span, ".v8 but of 32-bit types");
    }
    if ((op->more & TC_PX_L2) != 0 && bytes != 32) {
        return tc_ptx_fail(p, span, NULL,
                           "a priority in L2 goes with a vector of 32 bytes");
    }
    if (!check_order(p, op, span, global)) {
        return false;
    }
    bool cluster =
        op->space == TC_PS_CLUSTER || op->scope == TC_PTX_SCOPE_CLUSTER;
    return (!cluster || tc_ptx_wants_sm(p, span, 90, "a cluster")) &&
           (bytes != 32 || tc_ptx_wants_sm(p, span, 100,
                                           "a vector of 32 "
                                           "bytes"));
}

/* 9.7.9.15 to 9.7.9.18 */
bool tc_ptx_rule_policy(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    const char *name = tc_ptx_ops[op->opcode].name;
    uint8_t s = op->sub, s2 = op->sub2, space = op->space;
    bool evict = s >= TC_POLICY_NORMAL && s <= TC_POLICY_UNCHANGED;
    bool global = space == TC_PS_GLOBAL, plain = space == TC_PS_GENERIC;
    bool ok;
    switch (op->opcode) {
    case TC_PTX_PREFETCH:
        ok = s == TC_POLICY_TENSORMAP
                 ? plain || space == TC_PS_CONST || space == TC_PS_PARAM
             : evict ? (s == TC_POLICY_LAST || s == TC_POLICY_NORMAL) &&
                           (plain || global)
                     : s != TC_POLICY_NONE &&
                           (plain || global || space == TC_PS_LOCAL);
        ok = ok && s2 == TC_POLICY_NONE;
        break;
    case TC_PTX_PREFETCHU:
        ok = s == TC_POLICY_L1 && s2 == TC_POLICY_NONE && plain;
        break;
    case TC_PTX_APPLYPRIORITY:
        ok = s == TC_POLICY_NORMAL && s2 == TC_POLICY_NONE && (plain || global);
        break;
    case TC_PTX_DISCARD:
        ok = s == TC_POLICY_L2 && s2 == TC_POLICY_NONE && (plain || global);
        break;
    case TC_PTX_CREATEPOLICY_CVT:
        ok = s == TC_POLICY_L2 && s2 == TC_POLICY_NONE && plain;
        break;
    default:
        ok = evict &&
             (s2 == TC_POLICY_NONE || s2 == TC_POLICY_FIRST ||
              s2 == TC_POLICY_UNCHANGED) &&
             (plain || (global && op->opcode == TC_PTX_CREATEPOLICY_RANGE));
        break;
    }
    if (!ok) {
        return tc_ptx_fail(p, span, NULL,
                           "'%s' does not go with this level, priority or "
                           "state space",
                           name);
    }
    bool sized =
        op->opcode == TC_PTX_APPLYPRIORITY || op->opcode == TC_PTX_DISCARD;
    if (sized && op->a[1].imm != 128) {
        return tc_ptx_fail(p, span, NULL, "'%s' is for 128 bytes, not %lld",
                           name, (long long)op->a[1].imm);
    }
    return s != TC_POLICY_TENSORMAP ||
           tc_ptx_wants_sm(p, span, 90, "'prefetch.tensormap'");
}

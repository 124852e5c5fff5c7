/* rules.c - what single opcodes ask beyond their form. Each rule cites the
 * section of its row in ops.def. */
#include "ptx/internal.h"

#define T(x)      (UINT64_C(1) << TC_PT_##x)
#define FLOATS    (T(F16) | T(F16X2) | T(BF16) | T(BF16X2) | T(F32) | T(F64))
#define SIGNED    (T(S8) | T(S16) | T(S32) | T(S64))
#define RND_FLOAT (TC_PM_RN | TC_PM_RZ | TC_PM_RM | TC_PM_RP)
#define RND_INT   (TC_PM_RNI | TC_PM_RZI | TC_PM_RMI | TC_PM_RPI)

static bool is(uint8_t type, uint64_t set) {
    return (set >> type & 1u) != 0;
}

static bool too_many(uint32_t flags) {
    return (flags & (flags - 1)) != 0;
}

/* 9.7.6.2, 9.3.1: which comparisons a type has. */
static bool check_cmp(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    uint8_t t = op->opcode == TC_PTX_SET ? op->type2 : op->type;
    const char *name = tc_ptx_ops[op->opcode].name;
    if (op->cmp == TC_PC_NONE) {
        return tc_ptx_fail(p, span, ".eq, .ne, .lt, .le, .gt or .ge",
                           "'%s' wants a comparison", name);
    }
    bool equality = op->cmp == TC_PC_EQ || op->cmp == TC_PC_NE;
    bool unsigned_order = op->cmp >= TC_PC_LO && op->cmp <= TC_PC_HS;
    bool unordered = op->cmp >= TC_PC_EQU;
    bool bits = is(t, T(B16) | T(B32) | T(B64));
    bool uns = is(t, T(U16) | T(U32) | T(U64));
    if ((bits && !equality) || (unsigned_order && !uns) ||
        (unordered && !is(t, FLOATS))) {
        return tc_ptx_fail(p, span, bits ? "bits have only .eq and .ne" : NULL,
                           "'%s' has no such comparison of %s", name,
                           tc_ptx_type_names[t]);
    }
    int at = op->opcode == TC_PTX_SET ? 3 : 4;
    if ((op->sub != TC_BOOL_NONE) != (op->a[at].kind != TC_PO_NONE)) {
        return tc_ptx_fail(p, span, NULL,
                           op->sub != TC_BOOL_NONE
                               ? "'%s' with .and, .or or .xor wants one more "
                                 "predicate"
                               : "'%s' has a predicate too many: it has no "
                                 ".and, .or or .xor",
                           name);
    }
    return true;
}

/* 9.7.9.21: when cvt rounds, and how it may. */
static bool check_cvt(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    bool fd = is(op->type, FLOATS), fs = is(op->type2, FLOATS);
    int bd = tc_ptx_type_bytes[op->type], bs = tc_ptx_type_bytes[op->type2];
    bool narrows = fd && fs && bd < bs;
    bool halves = fd && fs && bd == 2 && bs == 2 && op->type != op->type2;
    bool bf = op->type == TC_PT_BF16 || op->type2 == TC_PT_BF16;
    if (op->type >= TC_PT_TF32 || op->type2 >= TC_PT_TF32 ||
        is(op->type, T(F16X2) | T(BF16X2))) {
        return true; /* their forms say it all */
    }
    uint32_t may = 0;
    bool must = false;
    if (narrows || (fd && !fs)) {
        may = RND_FLOAT;
        must = true;
    } else if (fs && !fd) {
        may = RND_INT;
        must = true;
    } else if (halves || (fd && fs && op->type2 == TC_PT_BF16 && bd > 2)) {
        may = RND_FLOAT;
    } else if (fd && fs && bd == bs) {
        may = RND_INT; /* rounds to an integral value */
    }
    uint32_t given = op->flags & (RND_FLOAT | RND_INT);
    const char *from = tc_ptx_type_names[op->type2];
    const char *to = tc_ptx_type_names[op->type];
    if (must && given == 0) {
        return tc_ptx_fail(
            p, span,
            tc_format(p->arena, "one of %s", tc_ptx_flag_list(p->arena, may)),
            "'cvt' from %s to %s wants a rounding", from, to);
    }
    if ((given & ~may) != 0) {
        return tc_ptx_fail(p, span, NULL,
                           "'cvt' from %s to %s does not round with %s", from,
                           to, tc_ptx_flag_list(p->arena, given & ~may));
    }
    if (bf && (op->flags & TC_PM_SAT) != 0) {
        return tc_ptx_fail(p, span, NULL, "'cvt' of .bf16 has no .sat");
    }
    bool old = !bf || (op->type == TC_PT_BF16 && op->type2 == TC_PT_F32) ||
               (op->type == TC_PT_F32 && (op->flags & TC_PM_FTZ) == 0);
    if (!old && !tc_ptx_wants_sm(
                    p, span, 90,
                    tc_format(p->arena, "'cvt' from %s to %s", from, to))) {
        return false;
    }
    bool ss = is(op->type2, SIGNED), ds = is(op->type, SIGNED);
    bool holds = ss == ds ? bd >= bs : ds && bd > bs;
    if ((op->flags & TC_PM_SAT) != 0 && !fd && !fs && holds) {
        return tc_ptx_fail(p, span, NULL,
                           "'cvt.sat' from %s to %s has nothing to clamp", from,
                           to);
    }
    bool f32 = op->type == TC_PT_F32 || op->type2 == TC_PT_F32;
    if ((op->flags & TC_PM_FTZ) != 0 && !f32) {
        return tc_ptx_fail(p, span, NULL, "'cvt' has .ftz only with .f32");
    }
    return true;
}

/* 9.7.9.25.3.1 */
static bool check_cp_async(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    int64_t size = op->a[2].imm;
    if (size != 4 && size != 8 && size != 16) {
        return tc_ptx_fail(p, span, NULL,
                           "'cp.async' copies 4, 8 or 16 bytes, not %lld",
                           (long long)size);
    }
    if ((op->flags & TC_PM_CG) != 0 && size != 16) {
        return tc_ptx_fail(p, span, "use cp.async.ca for 4 and 8 bytes",
                           "'cp.async.cg' copies 16 bytes, not %lld",
                           (long long)size);
    }
    bool hint = (op->flags & TC_PM_CACHE_HINT) != 0;
    if (hint != (op->a[4].kind != TC_PO_NONE)) {
        return tc_ptx_fail(p, span, NULL,
                           "a cache policy goes with .L2::cache_hint");
    }
    const tc_ptx_operand *src = &op->a[3];
    if (src->kind == TC_PO_IMM && (src->imm < 0 || src->imm > size)) {
        return tc_ptx_fail(p, span, NULL,
                           "'cp.async' of %lld bytes cannot read %lld",
                           (long long)size, (long long)src->imm);
    }
    op->size = (uint32_t)size;
    op->a[2] = op->a[3];
    op->a[3] = op->a[4];
    op->a[4] = (tc_ptx_operand){0};
    return true;
}

/* .param of a call, or of the function, lies in its frame: 5.1.6. */
static bool check_param(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    bool ld = op->opcode == TC_PTX_LD;
    const tc_ptx_operand *at = &op->a[ld ? 1 : 0];
    bool entry = p->m->funcs[p->func].entry;
    bool frame = at->neg == 2 ? p->m->symbols[at->slot].stacked : !entry;
    if (frame) {
        op->space = TC_PS_LOCAL;
        op->more |= TC_PX_LDST_FRAME;
    }
    return frame || ld ||
           tc_ptx_fail(p, span, NULL,
                       "a kernel's parameters cannot be written");
}

/* 9.7.9.8, 9.7.9.11 */
static bool check_ld_st(tc_ptx_parser *p, tc_ptx_op *op, tc_span span,
                        const tc_ptx_parsed *in) {
    bool ld = op->opcode == TC_PTX_LD;
    int bytes = tc_ptx_type_bytes[op->type] * op->nvec;
    if (op->type == TC_PT_B128 && op->nvec > 1) {
        return tc_ptx_fail(p, span, NULL, "there is no vector of .b128");
    }
    bool global = op->space == TC_PS_GLOBAL || op->space == TC_PS_GENERIC;
    if (bytes > 32 || (bytes > 16 && !global)) {
        return tc_ptx_fail(p, span, NULL,
                           "a vector of %d bytes: at most 16 (32 in .global)",
                           bytes);
    }
    if (!ld && op->space == TC_PS_CONST) {
        return tc_ptx_fail(p, span, NULL, ".const memory cannot be written");
    }
    if ((op->flags & TC_PM_NC) != 0 && op->space != TC_PS_GLOBAL) {
        return tc_ptx_fail(p, span, NULL, "'ld' has .nc only in .global");
    }
    if (ld && in[1].part.len != 0) {
        op->more |= TC_PX_UNIFIED;
    }
    if (!tc_ptx_check_hints(p, op, span)) {
        return false;
    }
    uint32_t order = op->flags & (TC_PM_VOLATILE | TC_PM_RELAXED |
                                  TC_PM_ACQUIRE | TC_PM_RELEASE);
    if (too_many(order)) {
        return tc_ptx_fail(p, span, NULL, "more than one of %s",
                           tc_ptx_flag_list(p->arena, order));
    }
    bool scoped = (order & ~TC_PM_VOLATILE) != 0;
    if (scoped != (op->scope != TC_PTX_SCOPE_NONE)) {
        return tc_ptx_fail(p, span, NULL,
                           scoped ? "%s wants a scope: .cta, .cluster, .gpu "
                                    "or .sys"
                                  : "%sa scope without .relaxed, .acquire or "
                                    ".release",
                           scoped ? tc_ptx_flag_list(p->arena, order) : "");
    }
    bool hinted = op->a[2].kind != TC_PO_NONE;
    if (hinted != ((op->flags & TC_PM_CACHE_HINT) != 0)) {
        return tc_ptx_fail(p, span, NULL,
                           "a cache policy goes with .L2::cache_hint");
    }
    return op->space != TC_PS_PARAM || check_param(p, op, span);
}

/* 9.7.9.3 and 9.7.9.4: one side of mov may be a vector. */
static bool check_mov(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    bool to = op->a[0].kind == TC_PO_VECTOR, of = op->a[1].kind == TC_PO_VECTOR;
    if (op->sub != 0) {
        return tc_ptx_fail(p, span, NULL, "unknown modifier '.mask' of 'mov'");
    }
    if (op->nvec > 1) { /* 6.4.3: .v2 and .v4, element by element */
        return (op->type != TC_PT_PRED && op->type != TC_PT_B128) ||
               tc_ptx_fail(p, span, NULL, "'mov' has no vector of %s",
                           tc_ptx_type_names[op->type]);
    }
    if (to && of) {
        return tc_ptx_fail(p, span, NULL,
                           "only one side of 'mov' can be a vector");
    }
    op->nvec = to ? op->a[0].nvec : of ? op->a[1].nvec : 1;
    return true;
}

/* 9.7.9.20: a space, and a variable of it. */
static bool check_cvta(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    const tc_ptx_operand *o = &op->a[1];
    if (op->space == TC_PS_GENERIC) {
        return tc_ptx_fail(p, span, NULL,
                           "'cvta' wants a space: .global, .shared, .local, "
                           ".const or .param");
    }
    if (op->space == TC_PS_CLUSTER &&
        !tc_ptx_wants_sm(p, span, 90, "'cvta.shared::cluster'")) {
        return false;
    }
    tc_ptx_space plain =
        op->space == TC_PS_CLUSTER ? TC_PS_SHARED : (tc_ptx_space)op->space;
    return o->kind != TC_PO_SYMBOL || p->m->symbols[o->slot].space == plain ||
           tc_ptx_fail(p, span, NULL, "'%s' is not in the space of this 'cvta'",
                       p->m->symbols[o->slot].name);
}

bool tc_ptx_check_op(tc_ptx_parser *p, tc_ptx_op *op, tc_span span,
                     const tc_ptx_parsed *in, int n) {
    if (too_many(op->flags & (RND_FLOAT | RND_INT))) {
        return tc_ptx_fail(
            p, span, NULL, "'%s' rounds in one way only, not %s",
            tc_ptx_ops[op->opcode].name,
            tc_ptx_flag_list(p->arena, op->flags & (RND_FLOAT | RND_INT)));
    }
    if (!tc_ptx_check_target(p, op, span) ||
        !tc_ptx_check_addresses(p, op, span) ||
        !tc_ptx_check_arith(p, op, span, in, n) ||
        !tc_ptx_check_mbarrier(p, op, span)) {
        return false;
    }
    if (tc_ptx_who((tc_ptx_opcode)op->opcode) == TC_WHO_TCGEN) {
        return tc_ptx_check_tcgen05(p, op, span);
    }
    switch (op->opcode) {
    case TC_PTX_SETP:
    case TC_PTX_SET:
        return check_cmp(p, op, span);
    case TC_PTX_CVT:
        return check_cvt(p, op, span);
    case TC_PTX_CP_ASYNC:
        return check_cp_async(p, op, span);
    case TC_PTX_CP_ASYNC_WAIT_GROUP:
        return (op->a[0].imm >= 0 && op->a[0].imm <= INT32_MAX) ||
               tc_ptx_fail(p, span, NULL,
                           "'cp.async.wait_group' cannot wait for %lld groups",
                           (long long)op->a[0].imm);
    case TC_PTX_BAR_SYNC:
    case TC_PTX_BARRIER_SYNC:
    case TC_PTX_BAR_ARRIVE:
    case TC_PTX_BARRIER_ARRIVE:
    case TC_PTX_BAR_RED:
    case TC_PTX_BARRIER_RED:
    case TC_PTX_SETMAXNREG:
    case TC_PTX_GRIDDEPCONTROL:
        return tc_ptx_check_control(p, op, span);
    case TC_PTX_LD:
    case TC_PTX_ST:
        return check_ld_st(p, op, span, in);
    case TC_PTX_MOV:
        return check_mov(p, op, span);
    case TC_PTX_LOP3:
        return (op->a[5].imm >= 0 && op->a[5].imm <= 255) ||
               tc_ptx_fail(p, span, NULL,
                           "'lop3' has a table of 8 bits, not %lld",
                           (long long)op->a[5].imm);
    case TC_PTX_MUL:
    case TC_PTX_MAD: {
        bool wide64 =
            (op->flags & TC_PM_WIDE) != 0 && tc_ptx_type_bytes[op->type] == 8;
        bool sat = (op->flags & TC_PM_SAT) != 0 && op->type == TC_PT_S32 &&
                   (op->flags & TC_PM_HI) == 0;
        return (!wide64 && !sat) ||
               tc_ptx_fail(p, span, NULL,
                           wide64 ? "'%s.wide' has no 128-bit result"
                                  : "'%s' has .sat only with .hi",
                           tc_ptx_ops[op->opcode].name);
    }
    case TC_PTX_MEMBAR:
    case TC_PTX_FENCE:
        return tc_ptx_check_control(p, op, span);
    case TC_PTX_VOTE:
    case TC_PTX_VOTE_SYNC:
    case TC_PTX_REDUX_SYNC:
    case TC_PTX_ELECT_SYNC:
    case TC_PTX_SHFL:
    case TC_PTX_LDMATRIX:
    case TC_PTX_STMATRIX:
    case TC_PTX_MOVMATRIX:
    case TC_PTX_ALLOCA:
    case TC_PTX_STACKSAVE:
    case TC_PTX_STACKRESTORE:
        return tc_ptx_check_control(p, op, span);
    case TC_PTX_ATOM:
    case TC_PTX_RED:
        return tc_ptx_check_atom(p, op, span);
    case TC_PTX_CP_ASYNC_BULK:
    case TC_PTX_CP_REDUCE_ASYNC_BULK:
    case TC_PTX_CP_ASYNC_BULK_TENSOR:
    case TC_PTX_CP_REDUCE_ASYNC_BULK_TENSOR:
    case TC_PTX_CP_ASYNC_BULK_PREFETCH_TENSOR:
    case TC_PTX_CP_ASYNC_BULK_PREFETCH:
    case TC_PTX_CP_ASYNC_BULK_WAIT_GROUP:
        return tc_ptx_check_bulk(p, op, span);
    case TC_PTX_ST_ASYNC:
    case TC_PTX_RED_ASYNC:
    case TC_PTX_ST_BULK:
    case TC_PTX_FENCE_PROXY:
    case TC_PTX_TENSORMAP_REPLACE:
    case TC_PTX_TENSORMAP_CP_FENCEPROXY:
        return tc_ptx_check_proxy(p, op, span);
    case TC_PTX_CVTA:
        return check_cvta(p, op, span);
    case TC_PTX_WGMMA_FENCE:
    case TC_PTX_WGMMA_COMMIT_GROUP:
    case TC_PTX_WGMMA_WAIT_GROUP:
    case TC_PTX_WGMMA_MMA_ASYNC:
        return tc_ptx_check_wgmma(p, op, span);
    case TC_PTX_MMA:
    case TC_PTX_WMMA_MMA:
    case TC_PTX_WMMA_LOAD_A:
    case TC_PTX_WMMA_LOAD_B:
    case TC_PTX_WMMA_LOAD_C:
    case TC_PTX_WMMA_STORE_D:
        return tc_ptx_check_mma(p, op, span);
    default:
        return true;
    }
}

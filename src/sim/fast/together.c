/* together.c - which handler an atomic has on the fast path, or an op that the
 * lanes of a warp do together, and its rows. */
#include "sim/fast/entry.h"

enum { PLAIN, SIGNED, REAL }; /* atomic.inc */

static bool is_word(const tc_ptx_op *op) {
    bool ints =
        op->type == TC_PT_U32 || op->type == TC_PT_S32 || op->type == TC_PT_B32;
    return (ints && op->sub != TC_ATOM_NONE) ||
           (op->type == TC_PT_F32 && op->sub == TC_ATOM_ADD);
}

static bool is_full(tc_run *r, const tc_ptx_operand *o) {
    uint64_t v;
    return tc_fast_value(r, o, &v) && (uint32_t)v == UINT32_MAX;
}

/* A lock may be taken so, or given back: race/race.h is told of it. */
static bool may_lock(const tc_run *r, const tc_ptx_op *op) {
    return r->race && op->opcode == TC_PTX_ATOM &&
           (op->sub == TC_ATOM_CAS || op->sub == TC_ATOM_EXCH) &&
           tc_code_constant(r->module, op, &op->a[2]);
}

static tc_fast_id decode_atom(tc_run *r, const tc_ptx_op *op, tc_fast *x) {
    bool red = op->opcode == TC_PTX_RED;
    const tc_ptx_operand *b = &op->a[red ? 1 : 2];
    if (r->trace || r->timing || op->nvec > 1 || !is_word(op) ||
        !tc_fast_reaches(op->space) || op->space == TC_PS_LOCAL ||
        op->space == TC_PS_CONST ||
        !tc_fast_address(r, &op->a[red ? 0 : 1], x) ||
        !tc_fast_source(r, b, 4, &x->b, &x->mb)) {
        return TC_FAST_NONE;
    }
    x->c = x->b;
    x->mc = x->mb;
    x->space = op->space;
    x->e[0] = may_lock(r, op);
    x->q = op->sub;
    x->p = op->type == TC_PT_F32   ? REAL
           : op->type == TC_PT_S32 ? SIGNED
                                   : PLAIN;
    x->d = UINT32_MAX;
    if (op->sub == TC_ATOM_CAS &&
        !tc_fast_source(r, &op->a[3], 4, &x->c, &x->mc)) {
        return TC_FAST_NONE;
    }
    bool sink = red || op->a[0].kind == TC_PO_SINK;
    return sink || tc_fast_destination(r, &op->a[0], 4, false, &x->d)
               ? TC_FAST_ATOM
               : TC_FAST_NONE;
}

static tc_fast_id decode_shuffle(tc_run *r, const tc_ptx_op *op, tc_fast *x) {
    x->sub = op->sub;
    x->q = op->a[1].kind == TC_PO_PRED ? (int32_t)op->a[1].slot : -1;
    return is_full(r, &op->a[5]) &&
                   tc_fast_destination(r, &op->a[0], 4, false, &x->d) &&
                   tc_fast_source(r, &op->a[2], 4, &x->a, &x->ma) &&
                   tc_fast_source(r, &op->a[3], 4, &x->b, &x->mb) &&
                   tc_fast_source(r, &op->a[4], 4, &x->c, &x->mc)
               ? TC_FAST_SHFL
               : TC_FAST_NONE;
}

static tc_fast_id decode_vote(tc_run *r, const tc_ptx_op *op, tc_fast *x) {
    const tc_ptx_operand *d = &op->a[0], *p = &op->a[1];
    bool ballot = op->sub == TC_VOTE_BALLOT;
    if (!is_full(r, &op->a[2]) || p->kind != TC_PO_PRED ||
        (ballot && !tc_fast_destination(r, d, 4, false, &x->d)) ||
        (!ballot && d->kind != TC_PO_PRED)) {
        return TC_FAST_NONE;
    }
    x->sub = op->sub;
    x->p = (int32_t)p->slot;
    x->neg = p->neg ? UINT32_MAX : 0;
    x->d = ballot ? x->d : d->slot;
    return TC_FAST_VOTE;
}

tc_fast_id tc_fast_together(tc_run *r, const tc_ptx_op *op, tc_fast *x) {
    switch (op->opcode) {
    case TC_PTX_ATOM:
    case TC_PTX_RED:
        return decode_atom(r, op, x);
    case TC_PTX_SHFL_SYNC:
        return decode_shuffle(r, op, x);
    case TC_PTX_VOTE_SYNC:
        return decode_vote(r, op, x);
    case TC_PTX_BAR_WARP_SYNC:
        return !r->race && is_full(r, &op->a[0]) ? TC_FAST_NOTHING
                                                 : TC_FAST_NONE;
    default:
        return TC_FAST_NONE;
    }
}

/* vote.c - the lanes of a warp together: vote, match, redux, elect and
 * activemask (PTX ISA 9.7.13.8 to 9.7.13.14), and the gathering of lanes that
 * they share with shfl.sync (9.7.9.6).
 *
 * Lanes that give the same membermask form a group; each group goes when all
 * its members that live have come. */
#include "sim/alu/alu.h"
#include "sim/core/finding.h"
#include "sim/isa/isa.h"
#include "sim/race/race.h"
#include "sim/timing/timing.h"

typedef tc_sim_op_fn group_fn; /* mask: the lanes of one group */

/* Groups the lanes of mask by their membermask, operand `at`; runs fn for each
 * group that is whole, and blocks the lanes of the others. */
static void collect(tc_warp *w, const tc_ptx_op *op, uint32_t mask, int at,
                    group_fn *fn) {
    uint32_t tmp[TC_LANES], members[TC_LANES];
    memcpy(members, tc_src32(w, &op->a[at], tmp), sizeof members);
    while (mask && !w->cta->run->stopped) {
        uint32_t need = members[tc_first_bit(mask)], group = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            int i = tc_first_bit(m);
            group |= members[i] == need ? UINT32_C(1) << i : 0;
        }
        mask &= ~group;
        if (group & ~need) {
            tc_undefined_sync(w, op, group & ~need,
                              (tc_detail){.row = TC_DETAIL_NOT_A_MEMBER});
        }
        if (mask & need) {
            tc_undefined_sync(w, op, mask & need,
                              (tc_detail){.row = TC_DETAIL_MEMBERMASKS});
        }
        if (tc_warp_converged(w, op, group, need & ~mask)) {
            fn(w, op, group);
        }
    }
}

/* ---- bar.warp.sync, 9.7.13.2 ---- */

/* Lanes that wait at a bar.warp.sync of the same members, wherever it is. */
static uint32_t elsewhere(tc_warp *w, uint32_t need, bool release) {
    uint32_t lanes = 0;
    for (int i = 0; i < w->core->nsplit; i++) {
        tc_split *s = &w->core->split[i];
        if (i != w->core->cur && s->state == TC_SPLIT_WARP &&
            s->op->opcode == TC_PTX_BAR_WARP_SYNC &&
            (s->need & w->alive) == need) {
            lanes |= s->mask;
            if (release) {
                s->pc++;
                s->state = TC_SPLIT_READY;
                w->core->moved |= UINT32_C(1) << i;
            }
        }
    }
    return lanes;
}

/* The members need not come to the same instruction, only to one of the same
 * members. */
void tc_sim_op_BAR_WARP_SYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t tmp[TC_LANES], members[TC_LANES];
    memcpy(members, tc_src32(w, &op->a[0], tmp), sizeof members);
    while (mask) {
        uint32_t need = members[tc_first_bit(mask)] & w->alive, group = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            int i = tc_first_bit(m);
            bool same = (members[i] & w->alive) == need;
            group |= same ? UINT32_C(1) << i : 0;
        }
        mask &= ~group;
        if (group & ~need) {
            tc_undefined_sync(w, op, group & ~need,
                              (tc_detail){.row = TC_DETAIL_NOT_A_MEMBER});
        }
        uint32_t others = elsewhere(w, need, false);
        if (need & ~(group | others)) {
            tc_warp_converged(w, op, group, need);
            continue;
        }
        elsewhere(w, need, true);
        w->core->limit = others ? 0 : w->core->limit;
        if (w->cta->run->race) {
            tc_race_warp_sync(w, group | others);
        }
    }
}

void tc_collective_SHFL_SYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    collect(w, op, mask, 5, tc_sim_op_SHFL_SYNC);
}

/* 9.7.9.5: whoever executes it takes part. */
void tc_sim_op_SHFL(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_sim_op_SHFL_SYNC(w, op, mask);
}

static void put(tc_warp *w, const tc_ptx_operand *d, uint32_t value,
                uint32_t mask) {
    uint32_t v[TC_LANES];
    for (int i = 0; i < TC_LANES; i++) {
        v[i] = value;
    }
    tc_put32(w, d, v, mask);
}

static void vote(tc_warp *w, const tc_ptx_op *op, uint32_t group) {
    uint32_t yes = tc_src_pred(w, &op->a[1]) & group;
    switch (op->sub) {
    case TC_VOTE_BALLOT:
        put(w, &op->a[0], yes, group);
        return;
    case TC_VOTE_ALL:
        tc_put_pred(w, &op->a[0], yes == group ? UINT32_MAX : 0, group);
        return;
    case TC_VOTE_ANY:
        tc_put_pred(w, &op->a[0], yes ? UINT32_MAX : 0, group);
        return;
    default:
        tc_put_pred(w, &op->a[0], yes == group || !yes ? UINT32_MAX : 0, group);
        return;
    }
}

void tc_sim_op_VOTE(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    vote(w, op, mask);
}

void tc_sim_op_VOTE_SYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    collect(w, op, mask, 2, vote);
}

/* A value as 64 bits, whatever its width. */
static void values(tc_warp *w, const tc_ptx_op *op, uint64_t *out) {
    uint64_t tmp[TC_LANES];
    uint64_t keep = op->type == TC_PT_B64 ? UINT64_MAX : UINT32_MAX;
    const uint64_t *v =
        tc_src64(w, &op->a[op->opcode == TC_PTX_MATCH_ANY_SYNC ? 1 : 2], tmp);
    for (int i = 0; i < TC_LANES; i++) {
        out[i] = v[i] & keep;
    }
}

static uint32_t equal_lanes(const uint64_t *v, int lane, uint32_t group) {
    uint32_t same = 0;
    for (int i = 0; i < TC_LANES; i++) {
        same |= (uint32_t)(v[i] == v[lane]) << i;
    }
    return same & group;
}

static void match_any(tc_warp *w, const tc_ptx_op *op, uint32_t group) {
    uint64_t v[TC_LANES];
    uint32_t d[TC_LANES] = {0}, different = 0;
    values(w, op, v);
    for (uint32_t m = group; m; m &= m - 1) {
        int i = tc_first_bit(m);
        d[i] = equal_lanes(v, i, group);
        different += tc_first_bit(d[i]) == i;
    }
    if (w->cta->run->timing) {
        tc_timing_values(w, op, different);
    }
    tc_put32(w, &op->a[0], d, group);
}

static void match_all(tc_warp *w, const tc_ptx_op *op, uint32_t group) {
    uint64_t v[TC_LANES];
    values(w, op, v);
    bool same = equal_lanes(v, tc_first_bit(group), group) == group;
    put(w, &op->a[0], same ? group : 0, group);
    tc_put_pred(w, &op->a[1], same ? UINT32_MAX : 0, group);
}

void tc_sim_op_MATCH_ANY_SYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    collect(w, op, mask, 2, match_any);
}

void tc_sim_op_MATCH_ALL_SYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    collect(w, op, mask, 3, match_all);
}

void tc_sim_op_ACTIVEMASK(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    put(w, &op->a[0], mask, mask);
}

/* ---- redux.sync, 9.7.13.12 ---- */

static uint32_t reduce_int(uint8_t sub, tc_ptx_type t, uint32_t a, uint32_t b) {
    bool less = t == TC_PT_S32 ? (int32_t)a < (int32_t)b : a < b;
    switch (sub) {
    case TC_ATOM_AND:
        return a & b;
    case TC_ATOM_OR:
        return a | b;
    case TC_ATOM_XOR:
        return a ^ b;
    case TC_ATOM_ADD:
        return a + b;
    case TC_ATOM_MIN:
        return less ? a : b;
    default:
        return less ? b : a;
    }
}

static uint32_t reduce_float(const tc_ptx_op *op, uint32_t a, uint32_t b) {
    uint32_t x[TC_LANES] = {a}, y[TC_LANES] = {b}, d[TC_LANES];
    tc_k32 *k = op->sub == TC_ATOM_MIN ? tc_f32_min : tc_f32_max;
    k(op->flags & TC_PM_NAN, d, x, y, y);
    return d[0];
}

static void redux(tc_warp *w, const tc_ptx_op *op, uint32_t group) {
    uint32_t tmp[TC_LANES];
    const uint32_t *v = tc_src32(w, &op->a[1], tmp);
    bool real = op->type == TC_PT_F32;
    uint32_t keep = op->more & TC_PX_REDUX_ABS ? 0x7fffffffu : UINT32_MAX;
    uint32_t r = v[tc_first_bit(group)] & keep;
    r = real ? reduce_float(op, r, r) : r; /* one NaN becomes the canonical */
    for (uint32_t m = group & (group - 1); m; m &= m - 1) {
        uint32_t x = v[tc_first_bit(m)] & keep;
        r = real ? reduce_float(op, r, x)
                 : reduce_int(op->sub, (tc_ptx_type)op->type, r, x);
    }
    put(w, &op->a[0], r, group);
}

void tc_sim_op_REDUX_SYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    collect(w, op, mask, 2, redux);
}

/* 9.7.13.14: which lane is elected is the machine's choice, the same each time;
 * ours and NVIDIA's is the first. */
static void elect(tc_warp *w, const tc_ptx_op *op, uint32_t group) {
    int leader = tc_first_bit(group);
    put(w, &op->a[0], (uint32_t)leader, group);
    tc_put_pred(w, &op->a[1], UINT32_C(1) << leader, group);
}

void tc_sim_op_ELECT_SYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    collect(w, op, mask, 2, elect);
}

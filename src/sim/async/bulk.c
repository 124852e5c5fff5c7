/* bulk.c - cp.async.bulk and cp.reduce.async.bulk (PTX ISA 9.7.9.25.4), their
 * groups (9.7.9.27.2). */
#include "sim/async/bulk.h"
#include "sim/async/transfer.h"
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/core/operand.h"
#include "sim/isa/isa.h"
#include "sim/timing/timing.h"
#include <stdlib.h>
#include <string.h>

uint32_t tc_bulk_value(tc_warp *w, const tc_ptx_operand *o, int lane) {
    uint32_t tmp[TC_LANES];
    return tc_src32(w, o, tmp)[lane];
}

uint64_t tc_bulk_address(tc_warp *w, const tc_ptx_operand *o, int lane) {
    uint64_t at[TC_LANES];
    tc_operand_addresses(w, o, at);
    return at[lane];
}

/* ---- where to ---- */

/* The same place in the shared memory of every CTA of the mask. */
static bool multicast(tc_warp *w, const tc_ptx_op *op, int lane, tc_bulk *b,
                      uint32_t mask) {
    tc_cta *c = w->cta;
    tc_bulk_target first = b->target[0];
    b->ntargets = 0;
    for (uint32_t i = 0; i < TC_CLUSTER_MOST; i++) {
        if ((mask >> i & 1) == 0) {
            continue;
        }
        tc_cta *peer = c->peers && i < c->ncluster ? c->peers[i] : NULL;
        if (!peer && i == 0 && c->ncluster <= 1) {
            peer = c;
        }
        if (!peer || peer->ended) {
            tc_finding_fault(w, op, lane,
                             peer ? TC_FINDING_REMOTE_EXITED
                                  : TC_FINDING_OUT_OF_BOUNDS,
                             TC_PS_SHARED, first.to.address, b->bytes,
                             peer ? TC_DETAIL_NONE : TC_DETAIL_MASK_CTA);
            return false;
        }
        tc_bulk_target *t = &b->target[b->ntargets++];
        *t = first;
        t->to.bytes = peer->shared + first.to.address;
        t->to.owner = t->barrier.cta = peer;
    }
    return true;
}

bool tc_bulk_targets(tc_warp *w, const tc_ptx_op *op, int lane, tc_bulk *b,
                     const tc_ptx_operand *barrier, tc_ptx_space space,
                     const tc_ptx_operand *mask) {
    tc_bulk_target *t = &b->target[0];
    b->ntargets = 1;
    if (barrier->kind == TC_PO_NONE) {
        return true;
    }
    t->has_barrier = true;
    if (!tc_mbarrier_find(w, op, lane, space, tc_bulk_address(w, barrier, lane),
                          &t->barrier)) {
        return false;
    }
    if (mask->kind != TC_PO_NONE) {
        return multicast(w, op, lane, b, tc_bulk_value(w, mask, lane) & 0xffff);
    }
    return true;
}

/* ---- the transfer ---- */

void tc_bulk_drop(tc_transfer *t) {
    tc_bulk *b = t->state;
    free(b->data);
    free(b);
}

static void tell_checker(tc_transfer *t, const tc_bulk *b) {
    tc_warp *w = t->warp;
    for (uint32_t i = 0; t->race && i < b->ntargets; i++) {
        const tc_bulk_target *g = &b->target[i];
        if (g->to.owner && g->to.owner != w->cta) {
            tc_race_remote_access(w, t->op, t->lane, g->to.owner, g->to.address,
                                  b->bytes);
        }
        if (g->has_barrier) {
            tc_race_agent_signals(t->race, g->barrier.cta, g->barrier.offset,
                                  tc_mbarrier_phase(g->barrier));
        }
    }
}

static tc_transfer_end end_of(const tc_resolved *at) {
    return (tc_transfer_end){at->space, at->owner, at->address};
}

static void place(tc_transfer *t, const tc_bulk *b) {
    if (b->ntargets || b->target[0].to.space == TC_PS_GLOBAL) {
        t->to = end_of(&b->target[0].to);
    }
    t->from = end_of(&b->from);
    for (uint32_t i = 0; b->ntargets > 1 && i < b->ntargets; i++) {
        t->targets |= (uint16_t)(1u << b->target[i].to.owner->rank);
    }
}

tc_transfer *tc_bulk_transfer(tc_warp *w, const tc_ptx_op *op, int lane,
                              tc_bulk *b) {
    tc_transfer *t = tc_transfer_new(w, op, lane);
    t->state = b;
    t->drop = tc_bulk_drop;
    t->bytes = b->bytes;
    place(t, b);
    t->in_group = (op->more & TC_PX_BULK_GROUP) != 0;
    t->has_barrier = b->ntargets > 0 && b->target[0].has_barrier;
    t->barrier = b->target[0].barrier;
    tell_checker(t, b);
    return t;
}

void tc_bulk_signal(tc_run *r, tc_transfer *t) {
    const tc_bulk *b = t->state;
    tc_access by = tc_transfer_access(t);
    for (uint32_t i = 0; i < b->ntargets; i++) {
        if (b->target[i].has_barrier) {
            tc_mbarrier_complete_tx(r, b->target[i].barrier, b->bytes, &by);
        }
    }
}

/* Sums of .f32 keep subnormals, unlike red.global's (an H200's,
 * tests/gpu/tensor-h200.jsonl). */
void tc_bulk_reduce(const tc_ptx_op *op, tc_ptx_type type, uint8_t *to,
                    const uint8_t *from, uint64_t bytes) {
    uint32_t size = tc_ptx_type_bytes[type];
    for (uint64_t i = 0; i + size <= bytes; i += size) {
        uint64_t old = 0, with = 0;
        memcpy(&old, to + i, size);
        memcpy(&with, from + i, size);
        old = tc_atomic_combine(op->sub, type, old, with, false);
        memcpy(to + i, &old, size);
    }
}

static void fetch(tc_run *r, tc_transfer *t) {
    tc_bulk *b = t->state;
    (void)r;
    b->data = tc_xmalloc(b->bytes + 1u);
    memcpy(b->data, b->from.bytes, b->bytes);
}

static void write_masked(uint8_t *to, const uint8_t *from, uint32_t bytes,
                         uint16_t mask) {
    for (uint32_t i = 0; i < bytes; i++) {
        to[i] = mask >> i % 16 & 1 ? from[i] : to[i];
    }
}

static void land(tc_run *r, tc_transfer *t) {
    tc_bulk *b = t->state;
    for (uint32_t i = 0; i < b->ntargets; i++) {
        uint8_t *to = b->target[i].to.bytes;
        if (t->op->sub) {
            tc_bulk_reduce(t->op, (tc_ptx_type)t->op->type, to, b->data,
                           b->bytes);
        } else if (b->byte_mask == UINT16_MAX) {
            memcpy(to, b->data, b->bytes);
        } else {
            write_masked(to, b->data, b->bytes, b->byte_mask);
        }
    }
    tc_bulk_signal(r, t);
}

/* ---- issue ---- */

static bool check_size(tc_warp *w, const tc_ptx_op *op, int lane,
                       uint32_t bytes) {
    if (bytes % 16 != 0) {
        tc_finding_fault(w, op, lane, TC_FINDING_ILLEGAL_SIZE,
                         (tc_ptx_space)op->space, 0, bytes,
                         TC_DETAIL_BULK_SIZE);
        return false;
    }
    return true;
}

/* Resolves the operands of one lane. */
static bool find(tc_warp *w, const tc_ptx_op *op, int lane, tc_bulk *b) {
    tc_bulk_target *t = &b->target[0];
    tc_ptx_space space = (tc_ptx_space)op->space;
    b->bytes = tc_bulk_value(w, &op->a[2], lane);
    b->byte_mask = UINT16_MAX;
    if (op->more & TC_PX_BULK_CP_MASK) {
        b->byte_mask = (uint16_t)tc_bulk_value(w, &op->a[6], lane);
    }
    if (!check_size(w, op, lane, b->bytes) ||
        !tc_resolve_lane(w, op, space, lane,
                         tc_bulk_address(w, &op->a[0], lane), b->bytes, 16,
                         &t->to) ||
        !tc_resolve_lane(w, op, (tc_ptx_space)op->space2, lane,
                         tc_bulk_address(w, &op->a[1], lane), b->bytes, 16,
                         &b->from) ||
        !tc_bulk_targets(w, op, lane, b, &op->a[3], space, &op->a[4])) {
        return false;
    }
    if (t->has_barrier && t->barrier.cta != t->to.owner) {
        tc_finding_fault(w, op, lane, TC_FINDING_TRAP, TC_PS_SHARED,
                         t->to.address, b->bytes, TC_DETAIL_BULK_MBARRIER);
        return false;
    }
    return true;
}

static void issue(tc_warp *w, const tc_ptx_op *op, int lane) {
    tc_run *r = w->cta->run;
    tc_bulk *b = tc_xcalloc(1, sizeof *b);
    if (!find(w, op, lane, b)) {
        free(b);
        return;
    }
    tc_transfer *t = tc_bulk_transfer(w, op, lane, b);
    t->fetch = fetch;
    t->land = land;
    if (t->race) {
        tc_race_agent_access(t->race, b->from.owner, b->from.space,
                             b->from.address, b->bytes, false);
        for (uint32_t i = 0; i < b->ntargets; i++) {
            const tc_resolved *to = &b->target[i].to;
            tc_race_agent_access(t->race, to->owner, to->space, to->address,
                                 b->bytes, true);
        }
    }
    if (r->timing) {
        t->complete = tc_timing_transfer(
            r, b->bytes, b->from.space, b->target[0].to.space,
            b->from.space == TC_PS_GLOBAL ? b->from.address
                                          : b->target[0].to.address,
            &t->source);
    }
    tc_transfer_start(t);
}

static void bulk(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    for (uint32_t m = mask; m && !w->cta->run->stopped; m &= m - 1) {
        issue(w, op, tc_first_bit(m));
    }
}

void tc_sim_op_CP_ASYNC_BULK(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    bulk(w, op, mask);
}

void tc_sim_op_CP_REDUCE_ASYNC_BULK(tc_warp *w, const tc_ptx_op *op,
                                    uint32_t mask) {
    bulk(w, op, mask);
}

/* 9.7.9.25.4.3: a hint, but of a legal size and place. */
void tc_sim_op_CP_ASYNC_BULK_PREFETCH(tc_warp *w, const tc_ptx_op *op,
                                      uint32_t mask) {
    for (uint32_t m = mask; m && !w->cta->run->stopped; m &= m - 1) {
        int lane = tc_first_bit(m);
        tc_resolved at;
        uint32_t bytes = tc_bulk_value(w, &op->a[1], lane);
        if (check_size(w, op, lane, bytes)) {
            tc_resolve_lane(w, op, TC_PS_GLOBAL, lane,
                            tc_bulk_address(w, &op->a[0], lane), bytes, 16,
                            &at);
        }
    }
}

void tc_sim_op_CP_ASYNC_BULK_COMMIT_GROUP(tc_warp *w, const tc_ptx_op *op,
                                          uint32_t mask) {
    tc_transfer_commit(w, op, mask);
}

void tc_sim_op_CP_ASYNC_BULK_WAIT_GROUP(tc_warp *w, const tc_ptx_op *op,
                                        uint32_t mask) {
    tc_transfer_wait(w, op, mask, op->a[0].imm,
                     (op->more & TC_PX_BULK_READ) != 0);
}

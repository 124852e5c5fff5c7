/* tmem.c - tensor memory of a CTA and its allocation (PTX ISA 9.7.16.1,
 * 9.7.16.7). */
#include "sim/async/tmem.h"
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/core/operand.h"
#include "sim/isa/isa.h"
#include "sim/race/race.h"
#include <stdlib.h>
#include <string.h>

enum { CELLS = TC_TMEM_LANES * TC_TMEM_UNIT };

/* ---- storage: made by the unit, kept until the CTA ends ---- */

tc_tensor_memory *tc_tmem_make(tc_cta *c) {
    if (!c->tensor) {
        c->tensor = tc_xcalloc(1, sizeof *c->tensor);
    }
    return c->tensor;
}

static void forget(tc_tensor_memory *t) {
    for (uint32_t i = 0; i < TC_TMEM_UNITS; i++) {
        free(t->unit[i]);
    }
    memset(t, 0, sizeof *t);
}

void tc_tmem_free(tc_cta *c) {
    if (c->tensor) {
        forget(c->tensor);
        free(c->tensor);
        c->tensor = NULL;
    }
}

void tc_tmem_fault(tc_warp *w, const tc_ptx_op *op, int lane,
                   tc_finding_kind kind, uint32_t address, uint32_t bytes,
                   tc_detail_id detail) {
    uint32_t column = address & 0xffff;
    column = column < TC_TMEM_COLUMNS ? column : TC_TMEM_COLUMNS - 1;
    tc_finding_fault(w, op, lane, kind, TC_PS_TENSOR,
                     (address >> 16) * UINT64_C(2048) + column * 4, bytes,
                     detail);
}

bool tc_tmem_allocated(const tc_cta *c, uint32_t column, uint32_t n) {
    if (!c->tensor || column > TC_TMEM_COLUMNS ||
        n > TC_TMEM_COLUMNS - column) {
        return false;
    }
    for (uint32_t i = column / TC_TMEM_UNIT;
         i * TC_TMEM_UNIT < column + n && i < TC_TMEM_UNITS; i++) {
        if (!c->tensor->owner[i]) {
            return false;
        }
    }
    return true;
}

/* ---- operands ---- */

uint32_t tc_tmem_address(tc_warp *w, const tc_ptx_operand *o, int lane) {
    uint64_t at[TC_LANES];
    tc_operand_addresses(w, o, at);
    return (uint32_t)at[lane];
}

static uint32_t value_of(tc_warp *w, const tc_ptx_operand *o, int lane) {
    uint32_t tmp[TC_LANES];
    return tc_src32(w, o, tmp)[lane];
}

/* .sync.aligned; undefined if a thread of the warp has ended (9.7.16.8.3). */
bool tc_tmem_together(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    if (!tc_warp_converged(w, op, mask, w->valid)) {
        return false;
    }
    if (w->alive == UINT32_MAX) {
        return true;
    }
    tc_finding_fault(w, op, tc_first_bit(mask), TC_FINDING_TRAP, TC_PS_TENSOR,
                     0, 0, TC_DETAIL_TMEM_WARP);
    return false;
}

static void trap(tc_warp *w, const tc_ptx_op *op, tc_detail_id why) {
    tc_finding_fault(w, op,
                     tc_first_bit(w->core->mask ? w->core->mask : w->alive),
                     TC_FINDING_TRAP, TC_PS_REG, 0, 0, why);
}

/* ---- alloc ---- */

/* First unit of n free ones in a row, aligned to n; -1: no room. */
static int room(const tc_tensor_memory *t, uint32_t n) {
    for (uint32_t at = 0; at + n <= TC_TMEM_UNITS; at += n) {
        uint32_t i = 0;
        while (i < n && !t->owner[at + i]) {
            i++;
        }
        if (i == n) {
            return (int)at;
        }
    }
    return -1;
}

static void take(tc_cta *c, const tc_ptx_op *op, uint32_t at, uint32_t n,
                 uint32_t warp) {
    tc_tensor_memory *t = c->tensor;
    for (uint32_t i = 0; i < n; i++) {
        t->owner[at + i] = (uint16_t)(at + 1);
        if (!t->unit[at + i]) {
            t->unit[at + i] = tc_xcalloc(CELLS, sizeof *t->unit[0]);
        }
    }
    t->alloc[at] = op;
    t->warp[at] = warp;
    t->last = n * TC_TMEM_UNIT;
    c->run->progress++;
}

static bool good_columns(uint32_t n) {
    return n >= TC_TMEM_UNIT && n <= TC_TMEM_COLUMNS && (n & (n - 1)) == 0;
}

/* Also what the ISA only warns of: allocations that grow may never end. */
static bool check_alloc(tc_warp *w, const tc_ptx_op *op, int lane, uint32_t n) {
    tc_tensor_memory *t = tc_tmem_make(w->cta);
    if (!good_columns(n)) {
        tc_finding_fault(w, op, lane, TC_FINDING_ILLEGAL_SIZE, TC_PS_TENSOR, 0,
                         n, TC_DETAIL_TMEM_COLUMNS);
        return false;
    }
    if (t->relinquished) {
        trap(w, op, TC_DETAIL_TMEM_RELINQUISHED);
        return false;
    }
    if (t->last && n > t->last) {
        tc_finding f = {.kind = TC_FINDING_ILLEGAL_SIZE,
                        .space = TC_PS_TENSOR,
                        .bytes = n,
                        .at = tc_access_of(w, op, lane),
                        .lanes = 1,
                        .detail.row = TC_DETAIL_TMEM_GROWS};
        tc_finding_add(w->cta->run, &f);
    }
    return true;
}

/* The address goes to shared memory as a plain store of one thread. */
static void hand_out(tc_warp *w, const tc_ptx_op *op, int lane,
                     uint32_t column) {
    uint64_t addr[TC_LANES] = {0};
    tc_operand_addresses(w, &op->a[0], addr);
    tc_resolved p;
    if (!tc_resolve_lane(w, op, (tc_ptx_space)op->space, lane, addr[lane], 4, 4,
                         &p)) {
        return;
    }
    if (p.space != TC_PS_SHARED || p.owner != w->cta) {
        trap(w, op, TC_DETAIL_TMEM_ALLOC_SHARED);
        return;
    }
    memcpy(p.bytes, &column, sizeof column);
    const tc_run *r = w->cta->run;
    if (r->race) { /* the warp may read it at once: 9.7.16.6.1 */
        tc_race_warp_sync(w, w->alive);
    }
    if (r->race || r->trace || r->timing) {
        addr[lane] = p.address;
        tc_isa_observe(w, op, TC_PS_SHARED, UINT32_C(1) << lane, addr, 4, true);
    }
    if (r->race) {
        tc_race_warp_sync(w, w->alive);
    }
}

/* Blocks the warp until there is room, or its peer comes; op is issued again.
 */
static void wait_here(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_warp_block(w, mask, w->core->pc - 1, TC_SPLIT_TENSOR, op);
}

static void wake(tc_cta *c) {
    for (uint32_t i = 0; i < c->nwarps; i++) {
        tc_warp *w = &c->warps[i];
        for (int j = 0; j < w->core->nsplit && w->alive; j++) {
            if (w->core->split[j].state == TC_SPLIT_TENSOR) {
                tc_warp_release(w, &w->core->split[j], 0);
            }
        }
    }
    c->run->progress++;
}

tc_cta *tc_tmem_peer(const tc_cta *c) {
    uint32_t other = c->rank ^ 1;
    return c->peers && other < c->ncluster ? c->peers[other] : NULL;
}

/* .cta_group::2: the first warp waits; the second one does it for both. */
static void alloc_pair(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                       uint32_t n) {
    tc_cta *peer = tc_tmem_peer(w->cta);
    tc_tensor_memory *mine = w->cta->tensor;
    if (mine->meeting == TC_TMEM_MET) {
        mine->meeting = TC_TMEM_ALONE;
        hand_out(w, op, tc_first_bit(mask), mine->wanted);
        return;
    }
    if (!peer || peer->ended) {
        trap(w, op, peer ? TC_DETAIL_TMEM_PAIR_ENDED : TC_DETAIL_TMEM_PAIR);
        return;
    }
    tc_tensor_memory *other = tc_tmem_make(peer);
    if (other->meeting == TC_TMEM_COMES) {
        int at = room(mine, n / TC_TMEM_UNIT);
        if (other->wanted != n) {
            trap(w, op, TC_DETAIL_TMEM_PAIR_COLUMNS);
            return;
        }
        if (at >= 0 && room(other, n / TC_TMEM_UNIT) == at) {
            take(w->cta, op, (uint32_t)at, n / TC_TMEM_UNIT, w->index);
            take(peer, op, (uint32_t)at, n / TC_TMEM_UNIT, 0);
            other->meeting = TC_TMEM_MET;
            other->wanted = (uint32_t)at * TC_TMEM_UNIT;
            mine->meeting = TC_TMEM_ALONE;
            hand_out(w, op, tc_first_bit(mask), other->wanted);
            wake(peer);
            return;
        }
    }
    mine->meeting = TC_TMEM_COMES;
    mine->wanted = n;
    wait_here(w, op, mask);
}

void tc_sim_op_TCGEN05_ALLOC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    if (!tc_tmem_together(w, op, mask)) {
        return;
    }
    int lane = tc_first_bit(mask);
    uint32_t n = value_of(w, &op->a[1], lane);
    tc_tensor_memory *t = tc_tmem_make(w->cta);
    if (t->meeting != TC_TMEM_MET && !check_alloc(w, op, lane, n)) {
        return;
    }
    if ((op->more & TC_PX_TCGEN_CTA_2) != 0) {
        alloc_pair(w, op, mask, n);
        return;
    }
    int at = room(t, n / TC_TMEM_UNIT);
    if (at < 0) {
        wait_here(w, op, mask);
        return;
    }
    take(w->cta, op, (uint32_t)at, n / TC_TMEM_UNIT, w->index);
    hand_out(w, op, lane, (uint32_t)at * TC_TMEM_UNIT);
}

/* ---- dealloc ---- */

/* 9.7.16.7.1: taddr points to an allocation of so many columns. With
 * .cta_group::2 it may block for the peer: we do not, and each CTA gives back
 * its own. */
void tc_sim_op_TCGEN05_DEALLOC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    if (!tc_tmem_together(w, op, mask)) {
        return;
    }
    int lane = tc_first_bit(mask);
    uint32_t at = value_of(w, &op->a[0], lane);
    uint32_t n = value_of(w, &op->a[1], lane);
    uint32_t unit = at / TC_TMEM_UNIT;
    tc_tensor_memory *t = w->cta->tensor;
    bool good = t && good_columns(n) && at % TC_TMEM_UNIT == 0 &&
                at + n <= TC_TMEM_COLUMNS && t->owner[unit] == unit + 1;
    for (uint32_t i = 0; good && i < n / TC_TMEM_UNIT; i++) {
        good = t->owner[unit + i] == unit + 1;
    }
    uint32_t end = unit + n / TC_TMEM_UNIT;
    good = good && (end == TC_TMEM_UNITS || t->owner[end] != unit + 1);
    if (!good) {
        tc_tmem_fault(w, op, lane, TC_FINDING_OUT_OF_BOUNDS, at, 0,
                      TC_DETAIL_TMEM_DEALLOC);
        return;
    }
    memset(&t->owner[unit], 0, n / TC_TMEM_UNIT * sizeof t->owner[0]);
    wake(w->cta);
    tc_cta *peer = tc_tmem_peer(w->cta);
    if (peer && peer != w->cta) {
        wake(peer);
    }
}

void tc_sim_op_TCGEN05_RELINQUISH(tc_warp *w, const tc_ptx_op *op,
                                  uint32_t mask) {
    if (tc_tmem_together(w, op, mask)) {
        tc_tmem_make(w->cta)->relinquished = true;
    }
}

/* 9.7.16.1.2: all that was allocated is deallocated before the kernel ends. */
void tc_tmem_finish(tc_cta *c) {
    tc_tensor_memory *t = c->tensor;
    for (uint32_t i = 0; t && i < TC_TMEM_UNITS && !c->run->stopped; i++) {
        if (t->owner[i] != i + 1) {
            continue;
        }
        tc_finding f = {.kind = TC_FINDING_TRAP,
                        .space = TC_PS_TENSOR,
                        .address = (uint64_t)i * TC_TMEM_UNIT * 4,
                        .at =
                            tc_access_of(&c->warps[t->warp[i]], t->alloc[i], 0),
                        .lanes = 1,
                        .detail.row = TC_DETAIL_TMEM_NOT_FREED};
        tc_finding_add(c->run, &f);
    }
    if (t) {
        forget(t);
    }
}

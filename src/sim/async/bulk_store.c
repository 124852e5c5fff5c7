/* bulk_store.c - st.async and red.async (PTX ISA 9.7.9.12, 9.7.13.7): stores
 * that complete later; st.bulk (9.7.9.13); fence.proxy (9.7.13.4). */
#include "sim/async/bulk.h"
#include "sim/async/transfer.h"
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/core/operand.h"
#include "sim/isa/isa.h"
#include "sim/timing/timing.h"
#include <stdlib.h>
#include <string.h>

/* The values are read at the issue: they are in registers. */
static void take_values(tc_warp *w, const tc_ptx_op *op, int lane, tc_bulk *b) {
    uint32_t size = tc_ptx_type_bytes[op->type];
    const tc_ptx_operand *v = &op->a[1];
    b->data = tc_xmalloc(b->bytes + 1u);
    for (uint32_t i = 0; i < op->nvec; i++) {
        const tc_ptx_operand *o = v->kind == TC_PO_VECTOR
                                      ? &w->cta->run->module->vec[v->slot + i]
                                      : v;
        uint64_t tmp[TC_LANES], x = tc_src64(w, o, tmp)[lane];
        memcpy(b->data + (size_t)i * size, &x, size);
    }
}

static void land(tc_run *r, tc_transfer *t) {
    tc_bulk *b = t->state;
    uint8_t *to = b->target[0].to.bytes;
    if (t->op->sub) {
        uint64_t old = 0, with = 0;
        memcpy(&old, to, b->bytes);
        memcpy(&with, b->data, b->bytes);
        old = tc_atomic_combine(t->op->sub, (tc_ptx_type)t->op->type, old, with,
                                false);
        memcpy(to, &old, b->bytes);
    } else {
        memcpy(to, b->data, b->bytes);
    }
    tc_bulk_signal(r, t);
}

static bool find(tc_warp *w, const tc_ptx_op *op, int lane, tc_bulk *b) {
    static const tc_ptx_operand none = {.kind = TC_PO_NONE};
    tc_ptx_space space = (tc_ptx_space)op->space;
    tc_bulk_target *t = &b->target[0];
    b->bytes = tc_ptx_type_bytes[op->type] * (uint32_t)op->nvec;
    if (!tc_resolve_lane(w, op, space, lane,
                         tc_bulk_address(w, &op->a[0], lane), b->bytes,
                         b->bytes, &t->to) ||
        !tc_bulk_targets(w, op, lane, b, &op->a[2], space, &none)) {
        return false;
    }
    bool shared = (op->more & TC_PX_BULK_TX) != 0;
    if ((t->to.space == TC_PS_SHARED) != shared) {
        tc_finding_fault(w, op, lane, TC_FINDING_OUT_OF_BOUNDS, t->to.space,
                         t->to.address, b->bytes,
                         shared ? TC_DETAIL_NOT_SHARED : TC_DETAIL_NOT_GLOBAL);
        return false;
    }
    if (shared && t->barrier.cta != t->to.owner) {
        tc_finding_fault(w, op, lane, TC_FINDING_TRAP, TC_PS_SHARED,
                         t->to.address, b->bytes, TC_DETAIL_STORE_MBARRIER);
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
    take_values(w, op, lane, b);
    tc_transfer *t = tc_bulk_transfer(w, op, lane, b);
    t->land = land;
    if (t->race) {
        const tc_resolved *to = &b->target[0].to;
        tc_race_agent_access(t->race, to->owner, to->space, to->address,
                             b->bytes, true);
    }
    if (r->timing) {
        t->complete =
            tc_timing_transfer(r, b->bytes, TC_PS_SHARED, b->target[0].to.space,
                               b->target[0].to.address, &t->source);
    }
    tc_transfer_start(t);
}

void tc_sim_op_ST_ASYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    for (uint32_t m = mask; m && !w->cta->run->stopped; m &= m - 1) {
        issue(w, op, tc_first_bit(m));
    }
}

void tc_sim_op_RED_ASYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_sim_op_ST_ASYNC(w, op, mask);
}

static void fill_zero(tc_warp *w, const tc_ptx_op *op, int lane) {
    uint64_t tmp[TC_LANES], bytes = tc_src64(w, &op->a[1], tmp)[lane];
    tc_resolved at;
    if (bytes % 8 != 0 || bytes > 16777216) {
        tc_finding_fault(w, op, lane, TC_FINDING_ILLEGAL_SIZE, TC_PS_SHARED, 0,
                         (uint32_t)bytes, TC_DETAIL_ST_BULK_SIZE);
        return;
    }
    if (!tc_resolve_lane(w, op, (tc_ptx_space)op->space, lane,
                         tc_bulk_address(w, &op->a[0], lane), (uint32_t)bytes,
                         8, &at)) {
        return;
    }
    if (at.owner != w->cta) {
        tc_finding_fault(w, op, lane, TC_FINDING_OUT_OF_BOUNDS, at.space,
                         at.address, (uint32_t)bytes, TC_DETAIL_ST_BULK_OWN);
        return;
    }
    if (w->cta->run->race) {
        uint64_t address[TC_LANES] = {0};
        for (uint64_t i = 0; i < bytes; i += 8) {
            address[lane] = at.address + i;
            tc_race_access(w, op, TC_PS_SHARED, UINT32_C(1) << lane, address, 8,
                           true);
        }
    }
    memset(at.bytes, 0, bytes);
    w->cta->run->progress++;
}

void tc_sim_op_ST_BULK(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    for (uint32_t m = mask; m && !w->cta->run->stopped; m &= m - 1) {
        fill_zero(w, op, tc_first_bit(m));
    }
}

/* One memory, in order: only the checker has anything to do. */
void tc_sim_op_FENCE_PROXY(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    if (w->cta->run->race) {
        tc_race_proxy_fence(w, op, mask);
    }
}

/* cp_async.c - cp.async and its per-thread commit groups (PTX ISA 9.7.9.25.3).
 *
 * A copy's bytes are read from global memory and written to shared memory at
 * the moment it lands, which the completion policy chooses; a wait lands what
 * it covers. A copy that no wait covers never lands under LATE. */
#include "sim/core/cp_async.h"
#include "sim/async/async.h"
#include "sim/async/mbarrier.h"
#include "sim/async/transfer.h"
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/core/operand.h"
#include "sim/isa/isa.h"
#include "sim/race/race.h"
#include "sim/timing/timing.h"
#include <stdlib.h>
#include <string.h>

/* What the trace is told of these lanes' copies. */
static tc_trace_event copy_event(tc_warp *w, const tc_batch *b,
                                 uint32_t lanes) {
    uint64_t dst[TC_LANES];
    int first = tc_first_bit(lanes);
    for (int i = 0; i < TC_LANES; i++) {
        dst[i] = b->dst[i];
    }
    tc_trace_event e = {.lanes = lanes,
                        .bytes = (int32_t)(b->op->size * tc_popc(lanes)),
                        .each = b->op->size,
                        .object = TC_OBJECT_GROUP,
                        .space = TC_TRACE_SPACE_SHARED,
                        .owner = w->cta->index,
                        .source = b->src[first],
                        .source_space = TC_TRACE_SPACE_GLOBAL};
    tc_trace_lanes(w->cta->run->trace, &e, dst);
    return e;
}

/* ---- landing ---- */

/* Bounds were checked at issue, and allocations live as long as the run. */
void tc_async_land(tc_warp *w, tc_batch *b, uint32_t lanes) {
    tc_cta *c = w->cta;
    tc_run *r = c->run;
    uint32_t n = 0;
    lanes &= ~b->landed;
    for (uint32_t m = lanes; m; m &= m - 1) {
        int i = tc_first_bit(m);
        uint8_t bytes[16] = {0};
        const uint8_t *from = bytes;
        if (b->src_size[i]) {
            const tc_sim_allocation *a = tc_allocation_find(r, b->src[i]);
            from = a->bytes + (b->src[i] - a->address);
        }
        n += b->op->size;
        if (b->ahead) {
            tc_issued_write(w, c->shared + b->dst[i], b->op->size);
        }
        if (b->src_size[i] == 16) {
            memcpy(c->shared + b->dst[i], from, 16);
            continue;
        }
        if (from != bytes) {
            memcpy(bytes, from, b->src_size[i]);
        }
        memcpy(c->shared + b->dst[i], bytes, b->op->size);
    }
    b->landed |= lanes;
    r->progress++;
    if (lanes && w->core->copies) {
        tc_mbarrier_copies_landed(w);
    }
    if (lanes && r->trace) {
        tc_trace_event e = copy_event(w, b, lanes);
        e.group = b->group[tc_first_bit(lanes)];
        e.cause = b->event;
        e.bytes = (int32_t)n;
        tc_observe_event(w, b->op, TC_TRACE_COMPLETE, TC_UNIT_ASYNC, lanes, e);
    }
}

static void free_batch(tc_batch *b) {
    free(b);
}

/* Batches that an mbarrier was told of are kept a while for a wait_group. */
enum { KEPT = 64 };

/* A batch with nothing left to happen to it. */
static void sweep(tc_warp_core *k) {
    tc_batch **p = &k->batches;
    while (*p) {
        tc_batch *b = *p;
        uint32_t over =
            b->serial + KEPT < k->nbatches ? b->done | b->tracked : b->done;
        if ((b->mask & ~(b->landed & over)) == 0 && !b->queued) {
            *p = b->next;
            free_batch(b);
        } else {
            p = &b->next;
        }
    }
    k->tail = p;
}

void tc_async_drop(tc_warp *w) {
    tc_warp_core *k = w->core;
    if (k->batches) {
        tc_event_forget(w->cta->run, w);
    }
    while (k->batches) {
        tc_batch *b = k->batches;
        k->batches = b->next;
        free_batch(b);
    }
    k->tail = &k->batches;
}

/* ---- issue ---- */

/* a[2] is src-size, ignore-src, or nothing. */
static void source_sizes(tc_warp *w, const tc_ptx_op *op, uint32_t *out) {
    uint32_t tmp[TC_LANES];
    for (int i = 0; i < TC_LANES; i++) {
        out[i] = op->size;
    }
    const tc_ptx_operand *o = &op->a[2];
    if (o->kind == TC_PO_NONE) {
        return;
    }
    if (o->kind == TC_PO_PRED) { /* ignore-src: all zeros */
        uint32_t ignore = tc_src_pred(w, o);
        for (int i = 0; i < TC_LANES; i++) {
            out[i] = ignore >> i & 1 ? 0 : op->size;
        }
    } else {
        memcpy(out, tc_src32(w, o, tmp), sizeof tmp);
    }
}

/* Faults of one lane's copy; src-size 0 reads nothing. */
static bool check_lane(tc_warp *w, const tc_ptx_op *op, int i, uint64_t dst,
                       uint64_t src, uint32_t src_size) {
    tc_cta *c = w->cta;
    if (src_size > op->size) {
        tc_finding_fault(w, op, i, TC_FINDING_ILLEGAL_SIZE, TC_PS_SHARED, dst,
                         src_size, TC_DETAIL_SRC_SIZE);
        return false;
    }
    uint32_t low = op->size - 1u; /* of 4, 8 or 16 */
    if (dst & low) {
        tc_finding_fault(w, op, i, TC_FINDING_MISALIGNED, TC_PS_SHARED, dst,
                         op->size, TC_DETAIL_NONE);
        return false;
    }
    if (dst > c->shared_bytes || c->shared_bytes - dst < op->size) {
        tc_finding_fault(w, op, i, TC_FINDING_OUT_OF_BOUNDS, TC_PS_SHARED, dst,
                         op->size, TC_DETAIL_NONE);
        return false;
    }
    if (src & low) {
        tc_finding_fault(w, op, i, TC_FINDING_MISALIGNED, TC_PS_GLOBAL, src,
                         op->size, TC_DETAIL_NONE);
        return false;
    }
    if (src_size == 0) {
        return true;
    }
    tc_sim_allocation *a = tc_allocation_find(c->run, src);
    if (!a || a->size - (src - a->address) < src_size) {
        tc_finding_fault(w, op, i, TC_FINDING_OUT_OF_BOUNDS, TC_PS_GLOBAL, src,
                         src_size, TC_DETAIL_NONE);
        return false;
    }
    return true;
}

/* Says when the batch lands. RANDOM: each lane for itself, soon, late, or not
 * before the wait. */
static void schedule(tc_warp *w, tc_batch *b) {
    tc_run *r = w->cta->run;
    switch (r->completion) {
    case TC_COMPLETE_EARLY:
        tc_async_land(w, b, b->mask);
        break;
    case TC_COMPLETE_TIMING:
        tc_event_push(r, (tc_event){.cycle = b->complete,
                                    .queued = &b->queued,
                                    .warp = w,
                                    .batch = b,
                                    .mask = b->mask});
        break;
    case TC_COMPLETE_RANDOM:
        for (uint32_t m = b->mask; m; m &= m - 1) {
            uint64_t x = tc_sim_random(r);
            uint32_t spread = x & 1 ? 64 : 4096;
            if ((x >> 1) % 4 == 0) {
                continue; /* at the wait */
            }
            tc_event_push(r, (tc_event){.cycle = r->cycle + (x >> 8) % spread,
                                        .queued = &b->queued,
                                        .warp = w,
                                        .batch = b,
                                        .mask = m & -m});
        }
        if (!r->timing && tc_event_next(r) < r->deadline) {
            r->deadline = tc_event_next(r);
            w->core->limit = 0; /* the loop looks at the deadline again */
        }
        break;
    default:
        break;
    }
}

static tc_batch *new_batch(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_warp_core *k = w->core;
    uint64_t dst[TC_LANES], src[TC_LANES];
    uint32_t size[TC_LANES];
    tc_operand_addresses(w, &op->a[0], dst);
    tc_operand_addresses(w, &op->a[1], src);
    source_sizes(w, op, size);
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        if (!check_lane(w, op, i, dst[i], src[i], size[i])) {
            return NULL;
        }
    }
    tc_batch *b = tc_xcalloc(1, sizeof *b);
    b->op = op;
    b->mask = mask;
    b->event = -1;
    b->serial = k->nbatches++;
    if (b->serial % KEPT == 0) {
        sweep(k);
    }
    for (int i = 0; i < TC_LANES; i++) {
        b->group[i] = -1;
        b->dst[i] = (uint32_t)dst[i];
        b->src[i] = src[i];
        b->src_size[i] = (uint8_t)size[i];
    }
    *k->tail = b;
    k->tail = &b->next;
    return b;
}

/* 9.7.9.25.3.1 */
void tc_sim_op_CP_ASYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_run *r = w->cta->run;
    tc_batch *b = new_batch(w, op, mask);
    if (!b) {
        return;
    }
    r->progress++;
    r->counters.async_copies++;
    r->counters.async_bytes += (uint64_t)op->size * tc_popc(mask);
    for (uint32_t m = mask; m; m &= m - 1) {
        r->counters.async_read_bytes += b->src_size[tc_first_bit(m)];
    }
    b->complete = r->cycle;
    if (r->race) {
        tc_race_copy_issued(w, b);
    }
    if (r->timing) {
        b->complete = tc_timing_copy(w, b);
    }
    if (r->trace) {
        tc_trace_event e = copy_event(w, b, mask);
        e.group = (int32_t)w->core->ncommit[tc_first_bit(mask)];
        b->event =
            tc_observe_event(w, op, TC_TRACE_ISSUE, TC_UNIT_ASYNC, mask, e);
        if (r->timing) {
            tc_timing_traced(r, b->event);
        }
    }
    if (b->complete != UINT64_MAX || r->completion != TC_COMPLETE_TIMING) {
        schedule(w, b);
    }
}

/* ---- groups ---- */

static void commit(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_warp_core *k = w->core;
    int32_t ordinal[TC_LANES];
    for (int i = 0; i < TC_LANES; i++) {
        ordinal[i] = (int32_t)k->ncommit[i];
        k->ncommit[i] += mask >> i & 1;
    }
    for (tc_batch *b = k->batches; b; b = b->next) {
        uint32_t took = 0;
        for (uint32_t m = mask & b->mask; m; m &= m - 1) {
            int i = tc_first_bit(m);
            if (b->group[i] < 0) {
                b->group[i] = ordinal[i];
                took |= UINT32_C(1) << i;
            }
        }
        if (took && b->race) {
            tc_race_copy_committed(b, took);
        }
    }
    tc_transfer_trace_groups(w, op, mask, ordinal,
                             (tc_group_event){.kind = TC_TRACE_COMMIT,
                                              .unit = TC_UNIT_ASYNC,
                                              .object = TC_OBJECT_GROUP});
}

/* 9.7.9.25.3.2: also an empty group counts. */
void tc_sim_op_CP_ASYNC_COMMIT_GROUP(tc_warp *w, const tc_ptx_op *op,
                                     uint32_t mask) {
    commit(w, op, mask);
}

/* Lanes of b that a wait leaving n groups covers. */
static uint32_t covered(const tc_warp_core *k, const tc_batch *b, uint32_t mask,
                        int64_t n) {
    uint32_t out = 0;
    for (uint32_t m = mask & b->mask & ~b->done; m; m &= m - 1) {
        int i = tc_first_bit(m);
        if (b->group[i] >= 0 && b->group[i] < (int64_t)k->ncommit[i] - n) {
            out |= UINT32_C(1) << i;
        }
    }
    return out;
}

/* When the wait is over: the modelled arrival of all that it covers. */
static uint64_t wait_end(const tc_run *r, const tc_warp_core *k, uint32_t mask,
                         int64_t n) {
    uint64_t end = r->cycle;
    for (const tc_batch *b = k->batches; b; b = b->next) {
        if (b->complete > end && covered(k, b, mask, n)) {
            end = b->complete;
        }
    }
    return end;
}

static void wait_group(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                       int64_t n) {
    tc_run *r = w->cta->run;
    tc_warp_core *k = w->core;
    int32_t newest[TC_LANES];
    uint64_t begin = r->cycle, end = wait_end(r, k, mask, n);
    if (end > begin) {
        /* Under timing the op is issued again when the bytes are there. */
        tc_split *s = tc_warp_block(w, mask, k->pc - 1, TC_SPLIT_UNTIL, op);
        s->until = end;
        tc_warp_wait(w, mask);
        return;
    }
    begin = tc_warp_waited(w, mask);
    bool late = false;
    for (tc_batch *b = k->batches; b; b = b->next) {
        uint32_t lanes = covered(k, b, mask, n);
        if (lanes) {
            late |= (lanes & ~b->landed) != 0;
            tc_async_land(w, b, lanes);
            b->done |= lanes;
        }
        if (b->race) {
            tc_race_copy_waited(w, op, b, lanes, mask, n);
        }
    }
    k->waited += late && !r->timing ? tc_timing_waited(r) : 0;
    for (int i = 0; i < TC_LANES; i++) {
        int64_t g = (int64_t)k->ncommit[i] - n - 1;
        newest[i] = g < 0 ? -1 : (int32_t)g;
    }
    tc_transfer_trace_groups(w, op, mask, newest,
                             (tc_group_event){.kind = TC_TRACE_WAIT,
                                              .unit = TC_UNIT_ASYNC,
                                              .object = TC_OBJECT_GROUP,
                                              .begin = begin});
    sweep(k);
}

/* 9.7.9.25.3.3 */
void tc_sim_op_CP_ASYNC_WAIT_GROUP(tc_warp *w, const tc_ptx_op *op,
                                   uint32_t mask) {
    wait_group(w, op, mask, op->a[0].imm < 0 ? 0 : op->a[0].imm);
}

/* wait_all is commit_group and wait_group 0. */
void tc_sim_op_CP_ASYNC_WAIT_ALL(tc_warp *w, const tc_ptx_op *op,
                                 uint32_t mask) {
    uint32_t first = 0; /* lanes whose wait has not begun */
    for (uint32_t m = mask; m; m &= m - 1) {
        first |= w->core->wait_since[tc_first_bit(m)] ? 0 : m & -m;
    }
    if (first) {
        commit(w, op, first);
    }
    wait_group(w, op, mask, 0);
}

/* transfer.c - when the async proxy's operations land, and the bulk groups
 * (PTX ISA 9.7.9.25.1: completion mechanisms; 9.7.9.27.2: bulk groups). */
#include "sim/async/transfer.h"
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/core/results.h"
#include "sim/isa/isa.h"
#include <stdlib.h>

/* st.async and red.async are no operations of the async proxy (9.7.9.12,
 * 9.7.13.7): relaxed accesses that complete later. */
static tc_race_proxy proxy_of(const tc_ptx_op *op) {
    switch (tc_ptx_effect_of(op)) {
    case TC_PTX_EFFECT_TMEM_LOAD:
    case TC_PTX_EFFECT_TMEM_STORE: /* 9.7.16.6.5: cp reads as the async proxy */
        return TC_RACE_TENSOR;
    case TC_PTX_EFFECT_ST_ASYNC:
    case TC_PTX_EFFECT_RED_ASYNC:
    case TC_PTX_EFFECT_GROUP: /* tcgen05.commit: 9.7.16.12.1 */
        return TC_RACE_GENERIC;
    default:
        return TC_RACE_ASYNC;
    }
}

/* ---- lists: so that an end costs no look at all the others ---- */

static void link_cta(tc_transfer *t) {
    tc_cta *c = t->warp->cta;
    t->prev = c->transfers_last;
    *(t->prev ? &t->prev->next : &c->transfers) = t;
    c->transfers_last = t;
}

static void unlink_cta(tc_transfer *t) {
    tc_cta *c = t->warp->cta;
    *(t->prev ? &t->prev->next : &c->transfers) = t->next;
    *(t->next ? &t->next->prev : &c->transfers_last) = t->prev;
}

static void link_flying(tc_transfer *t) {
    tc_run *r = t->warp->cta->run;
    t->prev_flying = r->flying_last;
    *(t->prev_flying ? &t->prev_flying->next_flying : &r->flying) = t;
    r->flying_last = t;
}

static void unlink_flying(tc_transfer *t) {
    tc_run *r = t->warp->cta->run;
    *(t->prev_flying ? &t->prev_flying->next_flying : &r->flying) =
        t->next_flying;
    *(t->next_flying ? &t->next_flying->prev_flying : &r->flying_last) =
        t->prev_flying;
}

/* ---- life ---- */

tc_transfer *tc_transfer_new(tc_warp *w, const tc_ptx_op *op, int lane) {
    tc_run *r = w->cta->run;
    tc_transfer *t = tc_xcalloc(1, sizeof *t);
    t->op = op;
    t->warp = w;
    t->lane = lane;
    t->group = -1;
    t->event = -1;
    t->lanes = UINT32_C(1) << lane;
    t->to.space = t->from.space = TC_PS_REG;
    t->to.owner = t->from.owner = w->cta;
    t->race = r->race ? tc_race_agent_new(w, op, lane, proxy_of(op)) : NULL;
    link_cta(t);
    link_flying(t);
    return t;
}

tc_access tc_transfer_access(const tc_transfer *t) {
    tc_access a = tc_access_of(t->warp, t->op, t->lane);
    if (t->in_group) {
        a.group = t->group;
    }
    return a;
}

/* ---- the trace ---- */

/* tcgen05.ld, st and commit, and wgmma, are no copies. */
static bool is_copy(const tc_ptx_op *op) {
    return proxy_of(op) != TC_RACE_TENSOR &&
           tc_ptx_effect_of(op) != TC_PTX_EFFECT_GROUP &&
           tc_ptx_effect_of(op) != TC_PTX_EFFECT_ASYNC_MMA;
}

/* The kind of its issue. tcgen05.commit has none: it is an event alone. */
static tc_trace_kind kind_of(const tc_ptx_op *op) {
    switch (tc_ptx_effect_of(op)) {
    case TC_PTX_EFFECT_TMEM_LOAD:
        return TC_TRACE_TMEM_LOAD;
    case TC_PTX_EFFECT_TMEM_STORE:
        return TC_TRACE_TMEM_STORE;
    case TC_PTX_EFFECT_TMEM_COPY:
        return TC_TRACE_TENSOR;
    case TC_PTX_EFFECT_ASYNC_MMA:
        return TC_TRACE_MMA;
    case TC_PTX_EFFECT_ST_ASYNC:
    case TC_PTX_EFFECT_RED_ASYNC:
        return TC_TRACE_ISSUE;
    case TC_PTX_EFFECT_GROUP:
        return TC_TRACE_COMMIT;
    default:
        return op->opcode == TC_PTX_CP_ASYNC_BULK_TENSOR ||
                       op->opcode == TC_PTX_CP_REDUCE_ASYNC_BULK_TENSOR
                   ? TC_TRACE_TENSOR
                   : TC_TRACE_BULK;
    }
}

static tc_trace_unit unit_of(const tc_ptx_op *op) {
    return is_copy(op) && op->opcode != TC_PTX_TCGEN05_CP ? TC_UNIT_TMA
                                                          : TC_UNIT_TENSOR;
}

/* Of what its group or its wait is. */
static tc_trace_object object_of(const tc_transfer *t) {
    switch (tc_ptx_effect_of(t->op)) {
    case TC_PTX_EFFECT_TMEM_LOAD:
        return TC_OBJECT_TMEM_LOAD;
    case TC_PTX_EFFECT_TMEM_STORE:
        return TC_OBJECT_TMEM_STORE;
    case TC_PTX_EFFECT_ASYNC_MMA:
        return TC_OBJECT_MMA_GROUP;
    default:
        return t->has_barrier ? TC_OBJECT_MBARRIER
               : t->in_group  ? TC_OBJECT_BULK_GROUP
                              : TC_OBJECT_NONE;
    }
}

static int32_t group_of(const tc_transfer *t) {
    if (tc_ptx_effect_of(t->op) == TC_PTX_EFFECT_ASYNC_MMA) {
        return t->group >= 0 ? t->group : (int32_t)t->warp->core->wgmma_groups;
    }
    if (!t->in_group) {
        return -1;
    }
    return t->group >= 0 ? t->group : (int32_t)t->warp->core->nbulk[t->lane];
}

static int32_t tell_transfer(tc_transfer *t, tc_trace_kind kind) {
    bool of_shared = t->to.space == TC_PS_SHARED || t->to.space == TC_PS_TENSOR;
    tc_trace_event e = {
        .group = group_of(t),
        .bytes = t->bytes ? (int32_t)t->bytes : -1,
        .cause = t->event,
        .object = object_of(t),
        .owner = of_shared ? t->to.owner->index : t->warp->cta->index,
        .targets = t->targets,
        .address = t->to.address,
        .space = tc_trace_space_of(t->to.space),
        .source = t->from.address,
        .source_space = tc_trace_space_of(t->from.space),
        .source_owner = t->from.owner ? t->from.owner->index : 0};
    if (t->has_barrier) {
        e.owner = t->barrier.cta->index;
        e.barrier = t->barrier.offset;
        e.phase = (int32_t)tc_mbarrier_phase(t->barrier);
    }
    return tc_observe_event(t->warp, t->op, kind, unit_of(t->op), t->lanes, e);
}

/* ---- landing ---- */

static void drop(tc_transfer *t) {
    if (t->drop) {
        t->drop(t);
    }
    tc_race_agent_free(t->race);
    free(t);
}

static void read_sources(tc_run *r, tc_transfer *t) {
    if (!t->read) {
        t->read = true;
        if (t->fetch) {
            t->fetch(r, t);
        }
    }
}

static void land(tc_run *r, tc_transfer *t) {
    if (t->landed) {
        return;
    }
    read_sources(r, t);
    t->landed = true;
    unlink_flying(t);
    r->progress++;
    if (r->trace && kind_of(t->op) != TC_TRACE_COMMIT) {
        tell_transfer(t, TC_TRACE_COMPLETE);
    }
    t->land(r, t);
}

void tc_transfer_land(tc_transfer *t) {
    land(t->warp->cta->run, t);
}

void tc_transfer_forget(tc_transfer *t) {
    if (t->landed && !t->in_group && !t->kept && t->queued == 0) {
        unlink_cta(t);
        drop(t);
    }
}

void tc_transfer_due(tc_transfer *t) {
    tc_transfer_land(t);
    tc_transfer_forget(t);
}

bool tc_transfer_force(tc_run *r) {
    tc_transfer *t = r->flying;
    if (t) {
        tc_transfer_due(t);
    }
    return t != NULL;
}

/* ---- the completion policy ---- */

static void at(tc_transfer *t, uint64_t cycle) {
    tc_run *r = t->warp->cta->run;
    tc_event_push(r, (tc_event){.cycle = cycle,
                                .queued = &t->queued,
                                .warp = t->warp,
                                .transfer = t,
                                .at = &t->queued_at});
    if (!r->timing && tc_event_next(r) < r->deadline) {
        r->deadline = tc_event_next(r);
        t->warp->core->limit = 0; /* the loop looks at the deadline again */
    }
}

/* RANDOM: soon, late, or not before somebody must have it; the sources are read
 * at once or with the landing. */
static void at_random(tc_transfer *t) {
    tc_run *r = t->warp->cta->run;
    uint64_t x = tc_sim_random(r);
    uint32_t spread = x & 1 ? 64 : 4096;
    if ((x >> 3 & 1) != 0) {
        read_sources(r, t);
    }
    if ((x >> 1) % 4 != 0) {
        at(t, r->cycle + (x >> 8) % spread);
    }
}

void tc_transfer_start(tc_transfer *t) {
    tc_run *r = t->warp->cta->run;
    r->progress++;
    if (is_copy(t->op)) {
        r->counters.async_copies++;
        r->counters.bulk_copies++;
        r->counters.async_bytes += t->bytes;
        r->counters.bulk_bytes += t->bytes;
        r->counters.async_read_bytes +=
            t->from.space == TC_PS_GLOBAL ? t->bytes : 0;
    }
    if (t->to.space == TC_PS_GLOBAL) {
        tc_results_copied(t->warp->cta, t->to.address, t->bytes);
    }
    if (r->trace) {
        t->event = tell_transfer(t, kind_of(t->op));
    }
    switch (r->completion) {
    case TC_COMPLETE_EARLY:
        tc_transfer_due(t);
        break;
    case TC_COMPLETE_TIMING:
        at(t, t->complete > r->cycle ? t->complete : r->cycle);
        break;
    case TC_COMPLETE_RANDOM:
        at_random(t);
        break;
    default:
        break;
    }
}

/* ---- bulk groups ---- */

void tc_transfer_trace_groups(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                              const int32_t *ordinal, tc_group_event e) {
    while (w->cta->run->trace && mask) {
        int32_t g = ordinal[tc_first_bit(mask)];
        uint32_t same = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            int i = tc_first_bit(m);
            same |= ordinal[i] == g ? UINT32_C(1) << i : 0;
        }
        tc_observe_event(w, op, e.kind, e.unit, same,
                         (tc_trace_event){.cycle = e.begin,
                                          .group = g,
                                          .bytes = -1,
                                          .count = e.read_only,
                                          .object = e.object});
        mask &= ~same;
    }
}

static bool is_of(const tc_transfer *t, const tc_warp *w, uint32_t mask) {
    return t->warp == w && t->in_group && (mask >> t->lane & 1) != 0;
}

/* 9.7.9.27.2.1: also an empty group counts. */
void tc_transfer_commit(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_warp_core *k = w->core;
    int32_t ordinal[TC_LANES];
    for (int i = 0; i < TC_LANES; i++) {
        ordinal[i] = (int32_t)k->nbulk[i];
        k->nbulk[i] += mask >> i & 1;
    }
    for (tc_transfer *t = w->cta->transfers; t; t = t->next) {
        if (is_of(t, w, mask) && t->group < 0) {
            t->group = ordinal[t->lane];
            tc_race_agent_committed(t->race);
        }
    }
    tc_transfer_trace_groups(w, op, mask, ordinal,
                             (tc_group_event){.kind = TC_TRACE_COMMIT,
                                              .unit = TC_UNIT_TMA,
                                              .object = TC_OBJECT_BULK_GROUP});
}

static bool covers(const tc_transfer *t, const tc_warp *w, uint32_t mask,
                   int64_t leave) {
    return is_of(t, w, mask) && t->group >= 0 &&
           t->group < (int64_t)w->core->nbulk[t->lane] - leave;
}

/* When the wait is over under the clock. */
static uint64_t wait_end(const tc_warp *w, uint32_t mask, int64_t leave,
                         bool read_only) {
    const tc_run *r = w->cta->run;
    uint64_t end = r->cycle;
    for (const tc_transfer *t = w->cta->transfers; r->timing && t;
         t = t->next) {
        uint64_t x = read_only ? t->source : t->complete;
        if (x > end && !(read_only ? t->read : t->landed) &&
            covers(t, w, mask, leave)) {
            end = x;
        }
    }
    return end;
}

static void finish_wait(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                        int64_t leave, bool read_only) {
    tc_run *r = w->cta->run;
    for (tc_transfer *t = w->cta->transfers, *next; t; t = next) {
        next = t->next;
        if (!is_of(t, w, mask)) {
            continue;
        }
        bool covered = covers(t, w, mask, leave);
        if (covered && read_only) {
            read_sources(r, t);
        } else if (covered) {
            land(r, t);
        }
        if (covered && t->race) {
            tc_race_agent_waited(t->race, w, op, UINT32_C(1) << t->lane,
                                 read_only);
        }
        if (!covered) {
            tc_race_agent_missed(t->race, w, op,
                                 (int64_t)w->core->nbulk[t->lane] - 1 -
                                     t->group);
        }
        /* A later wait for the bytes makes them known to the thread. */
        t->in_group = !covered || (read_only && (t->race || !t->landed));
        tc_transfer_forget(t);
    }
}

void tc_transfer_wait(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                      int64_t leave, bool read_only) {
    tc_run *r = w->cta->run;
    tc_warp_core *k = w->core;
    uint64_t end = wait_end(w, mask, leave, read_only);
    if (end > r->cycle) {
        tc_split *s = tc_warp_block(w, mask, k->pc - 1, TC_SPLIT_UNTIL, op);
        s->until = end;
        tc_warp_wait(w, mask);
        return;
    }
    uint64_t begin = tc_warp_waited(w, mask);
    finish_wait(w, op, mask, leave, read_only);
    int32_t newest[TC_LANES];
    for (int i = 0; i < TC_LANES; i++) {
        int64_t g = (int64_t)k->nbulk[i] - leave - 1;
        newest[i] = g < 0 ? -1 : (int32_t)g;
    }
    tc_transfer_trace_groups(w, op, mask, newest,
                             (tc_group_event){.kind = TC_TRACE_WAIT,
                                              .unit = TC_UNIT_TMA,
                                              .object = TC_OBJECT_BULK_GROUP,
                                              .begin = begin,
                                              .read_only = read_only});
}

/* ---- waits of a warp ---- */

bool tc_transfer_wait_warp(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                           tc_transfer_filter *takes, int64_t what) {
    tc_run *r = w->cta->run;
    tc_warp_core *k = w->core;
    uint64_t end = r->cycle;
    for (tc_transfer *x = w->cta->transfers; r->timing && x; x = x->next) {
        if (takes(w, x, what) && !x->landed && x->complete > end) {
            end = x->complete;
        }
    }
    if (end > r->cycle) {
        tc_warp_block(w, mask, k->pc - 1, TC_SPLIT_UNTIL, op)->until = end;
        k->tensor_begin = k->tensor_begin ? k->tensor_begin : r->cycle;
        return false;
    }
    for (tc_transfer *x = w->cta->transfers, *next; x; x = next) {
        next = x->next;
        if (takes(w, x, what)) {
            tc_transfer_land(x);
            tc_race_agent_waited(x->race, w, op, mask, false);
            x->kept = false;
            tc_transfer_forget(x);
        }
    }
    return true;
}

/* ---- ends ---- */

/* What the CTA's threads started lands now, unless the run has stopped; its
 * shared memory is about to go. */
void tc_transfer_finish(tc_cta *c) {
    tc_run *r = c->run;
    for (tc_transfer *t = c->transfers; t; t = t->next) {
        t->in_group = t->kept = false;
        if (!r->stopped) {
            land(r, t);
        } else if (!t->landed) {
            unlink_flying(t);
        }
        t->landed = t->read = true;
    }
    while (c->transfers) {
        if (c->transfers->queued) {
            tc_event_remove(r, c->transfers->queued_at);
        }
        tc_transfer_forget(c->transfers);
    }
}

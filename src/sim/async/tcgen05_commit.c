/* tcgen05_commit.c - tcgen05.commit: an mbarrier that tracks the tcgen05.cp of
 * a thread (PTX ISA 9.7.16.12.1). */
#include "sim/async/tmem.h"
#include "sim/async/transfer.h"
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/core/operand.h"
#include "sim/race/race.h"
#include <stdlib.h>

enum { CTAS_MOST = 16 };

typedef struct tensor_commit {
    tc_mbarrier_ref barrier[CTAS_MOST];
    uint32_t n;
} tensor_commit;

/* What a commit tracks: the thread's own asynchronous operations before it
 * with the same .cta_group. */
static bool tracks(const tc_transfer *x, const tc_transfer *before) {
    uint32_t group = TC_PX_TCGEN_CTA_1 | TC_PX_TCGEN_CTA_2;
    return before->op->opcode == TC_PTX_TCGEN05_CP && before->warp == x->warp &&
           before->lane == x->lane &&
           (before->op->more & group) == (x->op->more & group);
}

static void land(tc_run *r, tc_transfer *x) {
    tensor_commit *c = x->state;
    tc_transfer *next;
    for (tc_transfer *t = x->warp->cta->transfers; t && t != x; t = next) {
        next = t->next;
        if (tracks(x, t)) {
            tc_transfer_land(t);
            tc_transfer_forget(t);
        }
    }
    tc_access by = tc_transfer_access(x);
    for (uint32_t i = 0; i < c->n && !r->stopped; i++) {
        tc_mbarrier_arrive(r, c->barrier[i], 1, &by);
    }
}

static void drop(tc_transfer *x) {
    free(x->state);
}

/* ---- issue ---- */

/* The same offset in the shared memory of every CTA of the mask. */
static bool multicast(tc_warp *w, const tc_ptx_op *op, int lane,
                      tensor_commit *c) {
    uint32_t tmp[TC_LANES];
    uint32_t mask = tc_src32(w, &op->a[1], tmp)[lane] & 0xffff;
    tc_mbarrier_ref own = c->barrier[0];
    c->n = 0;
    for (uint32_t i = 0; i < CTAS_MOST; i++) {
        tc_cta *peer = i < w->cta->ncluster
                           ? (w->cta->peers ? w->cta->peers[i] : w->cta)
                           : NULL;
        if ((mask >> i & 1) == 0) {
            continue;
        }
        if (!peer || peer->ended) {
            tc_finding_fault(w, op, lane,
                             peer ? TC_FINDING_REMOTE_EXITED
                                  : TC_FINDING_OUT_OF_BOUNDS,
                             TC_PS_SHARED, own.offset, 8,
                             peer ? TC_DETAIL_NONE : TC_DETAIL_MASK_CTA);
            return false;
        }
        c->barrier[c->n] = own;
        if (peer != own.cta) {
            c->barrier[c->n] =
                (tc_mbarrier_ref){.cta = peer, .offset = own.offset};
        }
        c->n++;
    }
    return true;
}

static bool find(tc_warp *w, const tc_ptx_op *op, int lane, tensor_commit *c) {
    uint64_t address[TC_LANES];
    tc_operand_addresses(w, &op->a[0], address);
    c->n = 1;
    return tc_mbarrier_find(w, op, lane, (tc_ptx_space)op->space, address[lane],
                            &c->barrier[0]) &&
           ((op->more & TC_PX_TCGEN_MULTICAST) == 0 ||
            multicast(w, op, lane, c));
}

/* Who waits for the phase knows of all that the commit tracks. */
static void tell_checker(tc_race_agent *g, const tensor_commit *c) {
    for (uint32_t i = 0; g && i < c->n; i++) {
        tc_race_agent_signals(g, c->barrier[i].cta, c->barrier[i].offset,
                              tc_mbarrier_phase(c->barrier[i]));
    }
}

/* The copy completes on that barrier, in the trace too. */
static void track(tc_run *r, tc_transfer *t, tc_mbarrier_ref barrier) {
    t->kept = false;
    t->has_barrier = true;
    t->barrier = barrier;
    tc_trace_event *e = r->trace ? tc_trace_at(r->trace, t->event) : NULL;
    if (e) {
        e->object = TC_OBJECT_MBARRIER;
        e->owner = barrier.cta->index;
        e->barrier = barrier.offset;
        e->phase = (int32_t)tc_mbarrier_phase(barrier);
    }
}

static void issue(tc_warp *w, const tc_ptx_op *op, int lane) {
    tc_run *r = w->cta->run;
    tensor_commit *c = tc_xcalloc(1, sizeof *c);
    if (!find(w, op, lane, c)) {
        free(c);
        return;
    }
    tc_transfer *x = tc_transfer_new(w, op, lane);
    x->state = c;
    x->drop = drop;
    x->land = land;
    x->has_barrier = c->n > 0;
    x->barrier = c->barrier[0];
    tell_checker(x->race, c);
    for (tc_transfer *t = w->cta->transfers; t && t != x; t = t->next) {
        if (tracks(x, t) && t->kept) {
            tell_checker(t->race, c);
            track(r, t, c->barrier[0]);
        }
        if (tracks(x, t) && !t->landed && t->complete > x->complete) {
            x->complete = t->complete;
        }
    }
    tc_transfer_start(x);
}

void tc_sim_op_TCGEN05_COMMIT(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    for (uint32_t m = mask; m && !w->cta->run->stopped; m &= m - 1) {
        issue(w, op, tc_first_bit(m));
    }
}

/* mbarrier_copies.c - cp.async.mbarrier.arrive (PTX ISA 9.7.13.15.15): an
 * arrival that the system makes when all cp.async that the thread issued before
 * have completed. Without .noinc the pending count is raised by one at the
 * issue, so that the phase waits for the arrival without having counted it. */
#include "sim/alu/alu.h"
#include "sim/async/async.h"
#include "sim/async/mbarrier.h"
#include "sim/core/cp_async.h"
#include "sim/core/finding.h"
#include "sim/race/race.h"
#include <stdlib.h>

/* The lanes of one op that still wait. */
typedef struct tc_mbarrier_copies {
    struct tc_mbarrier_copies *next; /* in issue order */
    const tc_ptx_op *op;
    uint32_t lanes;
    uint64_t before; /* batches with a lower serial count */
    tc_mbarrier_ref to[TC_LANES];
} tc_mbarrier_copies;

/* Lanes of the op with a cp.async before it that has not landed. */
static uint32_t waiting(const tc_warp_core *k, const tc_mbarrier_copies *c) {
    uint32_t out = 0;
    for (const tc_batch *b = k->batches; b && b->serial < c->before;
         b = b->next) {
        out |= b->mask & ~b->landed;
    }
    return out & c->lanes;
}

static void arrive(tc_warp *w, const tc_mbarrier_copies *c, uint32_t lanes) {
    for (uint32_t m = lanes; m && !w->cta->run->stopped; m &= m - 1) {
        int i = tc_first_bit(m);
        tc_access by = tc_access_of(w, c->op, i);
        tc_race_mbarrier_copied(w, i, c->to[i].cta, c->to[i].offset,
                                tc_mbarrier_phase(c->to[i]), c->before);
        tc_mbarrier_trace(w, c->op, TC_TRACE_ARRIVE, i, &c->to[i], 1, -1);
        tc_mbarrier_arrive(w->cta->run, c->to[i], 1, &by);
    }
    for (tc_batch *b = w->core->batches; b && b->serial < c->before;
         b = b->next) {
        b->tracked |= lanes & b->mask;
    }
}

void tc_mbarrier_copies_landed(tc_warp *w) {
    tc_mbarrier_copies **p = &w->core->copies;
    while (*p) {
        tc_mbarrier_copies *c = *p;
        uint32_t ready = c->lanes & ~waiting(w->core, c);
        c->lanes &= ~ready;
        arrive(w, c, ready);
        if (c->lanes) {
            p = &c->next;
        } else {
            *p = c->next;
            free(c);
        }
    }
}

void tc_mbarrier_copies_drop(tc_warp *w) {
    while (w->core->copies) {
        tc_mbarrier_copies *c = w->core->copies;
        w->core->copies = c->next;
        free(c);
    }
}

bool tc_mbarrier_force_copies(tc_warp *w) {
    const tc_mbarrier_copies *c = w->core->copies;
    if (!c) {
        return false;
    }
    uint32_t lanes = c->lanes;
    uint64_t before = c->before;
    for (tc_batch *b = w->core->batches; b && b->serial < before; b = b->next) {
        tc_async_land(w, b, lanes & b->mask);
    }
    return true;
}

/* 9.7.13.15.15 */
void tc_sim_op_CP_ASYNC_MBARRIER_ARRIVE(tc_warp *w, const tc_ptx_op *op,
                                        uint32_t mask) {
    tc_run *r = w->cta->run;
    tc_warp_core *k = w->core;
    tc_mbarrier_copies *c = tc_xcalloc(1, sizeof *c), **end = &k->copies;
    uint64_t addr[TC_LANES];
    tc_operand_addresses(w, &op->a[0], addr);
    c->op = op;
    c->lanes = mask;
    c->before = k->nbatches;
    while (*end) {
        end = &(*end)->next;
    }
    *end = c;
    for (uint32_t m = mask; m && !r->stopped; m &= m - 1) {
        int i = tc_first_bit(m);
        tc_access by = tc_access_of(w, op, i);
        if (!tc_mbarrier_find(w, op, i, (tc_ptx_space)op->space, addr[i],
                              &c->to[i])) {
            return;
        }
        tc_race_mbarrier_copies(w, op, i, c->to[i].cta, c->to[i].offset,
                                tc_mbarrier_phase(c->to[i]));
        tc_mbarrier_trace(w, op, TC_TRACE_TRACK, i, &c->to[i], 0, -1);
        if (!(op->more & TC_PX_MBAR_NOINC)) {
            tc_mbarrier_raise(r, c->to[i], &by);
        }
    }
    if (!r->stopped) {
        tc_mbarrier_copies_landed(w);
    }
    if (r->stopped) {
        k->limit = 0;
    }
}

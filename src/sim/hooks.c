/* hooks.c - what the rooms do when something happens to a CTA, a warp or the
 * clock. */
#include "sim/async/async.h"
#include "sim/async/mbarrier.h"
#include "sim/async/tmem.h"
#include "sim/async/transfer.h"
#include "sim/isa/isa.h"
#include "sim/launch.h"
#include "sim/race/race.h"
#include "sim/timing/timing.h"

static void cta_start(tc_cta *c) {
    tc_mbarrier_forget(c);
    for (uint32_t i = 0; c->run->timing && i < c->nwarps; i++) {
        tc_timing_warp(&c->warps[i]);
    }
    if (c->run->launch->stops) {
        tc_state_begin(c);
    }
    if (c->run->race) {
        tc_race_cta_start(c);
    }
}

/* What it has under way may use another CTA's mbarriers. */
static void cta_drain(tc_cta *c) {
    tc_transfer_finish(c);
}

static void drop_copies(tc_cta *c) {
    for (uint32_t i = 0; i < c->nwarps; i++) {
        tc_mbarrier_copies_drop(&c->warps[i]);
        tc_async_drop(&c->warps[i]);
    }
    tc_mbarrier_forget(c);
}

static void cta_finish(tc_cta *c) {
    for (uint32_t i = 0; c->run->timing && i < c->nwarps; i++) {
        tc_timing_warp_end(&c->warps[i]);
    }
    tc_transfer_finish(c);
    tc_tmem_finish(c);
    if (c->run->race) {
        tc_race_cta_finish(c);
    }
    drop_copies(c);
}

static void cta_free(tc_cta *c) {
    if (c->run->race) {
        tc_race_cta_free(c);
    }
    drop_copies(c);
    for (uint32_t i = 0; i < c->nwarps; i++) {
        tc_timing_warp_free(&c->warps[i]);
    }
    tc_tmem_free(c);
}

static void exited(tc_cta *c) {
    if (c->waits) {
        tc_barrier_check(c);
    }
    if (c->run->clusters) {
        tc_cluster_check(c);
    }
}

static void due(tc_run *r, const tc_event *e) {
    (void)r;
    if (e->transfer) {
        tc_transfer_due(e->transfer);
    } else {
        tc_async_land(e->warp, e->batch, e->mask);
    }
}

static bool phase_over(const tc_cta *c, uint32_t offset, uint32_t phase) {
    const tc_mbarrier *m = tc_mbarrier_entry(
        (tc_mbarrier_ref){.cta = (tc_cta *)(uintptr_t)c, .offset = offset});
    return m && m->live &&
           (phase == UINT32_MAX || m->phase > phase + 1 || m->now.n > 0);
}

static bool force(tc_run *r, tc_cta *const *ctas, uint32_t n) {
    if (tc_transfer_force(r)) {
        return true;
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < ctas[i]->nwarps; j++) {
            if (tc_mbarrier_force_copies(&ctas[i]->warps[j])) {
                return true;
            }
        }
    }
    return false;
}

const tc_hooks tc_sim_hooks = {.cta_start = cta_start,
                               .cta_drain = cta_drain,
                               .cta_finish = cta_finish,
                               .cta_free = cta_free,
                               .exited = exited,
                               .due = due,
                               .phase_over = phase_over,
                               .force = force,
                               .deadlock = tc_sim_deadlock,
                               .cancelled = tc_sim_cancelled,
                               .reached = tc_state_reached,
                               .capture = tc_state_capture};

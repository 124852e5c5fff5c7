/* mbarrier_phase.c - waits on an mbarrier that name the wrong phase.
 *
 * A parity names the current phase or the one before it (PTX ISA 9.7.13.15.16).
 * Who waits for a phase of which he knows already waits for nothing, and who
 * waits for a phase without knowing of the one before has missed that one. Both
 * can be meant; with a race behind it, or for ever, it was not. */
#include "sim/core/run.h"
#include "sim/race/race.h"
#include "sim/race/visit.h"
#include <stdlib.h>

void tc_race_idle_wait(tc_warp *w, const tc_ptx_op *op, int lane, tc_cta *owner,
                       uint32_t offset, uint32_t phase) {
    tc_race_warp *hw = tc_race_warp_of(w);
    uint32_t bit = UINT32_C(1) << lane;
    bool parity = (op->more & TC_PX_MBAR_PARITY) != 0;
    uint64_t known =
        tc_vclock_phases(hw->vclock[lane], tc_race_barrier_id(owner, offset));
    hw->idles &= ~bit;
    if (!parity || owner != w->cta || (phase != UINT32_MAX && known <= phase)) {
        return;
    }
    if (!hw->idle) {
        hw->idle = tc_xcalloc(TC_LANES, sizeof *hw->idle);
    }
    hw->idles |= bit;
    hw->idle[lane] = (tc_race_idle){op, offset, phase, hw->phase[lane]};
}

/* Has a phase begun that comes after that? */
static bool later_phase(const tc_warp *w, const tc_race_idle *idle) {
    return w->cta->run->hooks->phase_over(w->cta, idle->offset, idle->phase);
}

void tc_race_idle_wait_found(tc_race *h, tc_finding *f,
                             const tc_shadow_record *rd, int lane) {
    for (const tc_race_cta *z = h->ctas; z; z = z->next) {
        if (z->cta->index != rd->cta) {
            continue;
        }
        const tc_warp *w = &z->cta->warps[rd->warp];
        const tc_race_warp *hw = &z->warps[rd->warp];
        const tc_race_idle *idle = hw->idle ? &hw->idle[lane] : NULL;
        if (!(hw->idles >> lane & 1) || idle->position != hw->phase[lane] ||
            !later_phase(w, idle)) {
            return;
        }
        f->kind = TC_FINDING_MBARRIER_PHASE;
        f->missing = TC_MISSING_NOTHING;
        f->at.op = idle->op;
        f->address = idle->offset;
        f->bytes = f->to = 8;
        f->from = 0;
        f->detail.row = idle->phase == UINT32_MAX ? TC_DETAIL_PHASE_BEFORE_FIRST
                                                  : TC_DETAIL_PHASE_WAITED_FOR;
        return;
    }
}

bool tc_race_phase_skipped(const tc_warp *w, const tc_ptx_op *op, int lane,
                           uint32_t offset, uint32_t phase) {
    if (!w->cta->run->race || !(op->more & TC_PX_MBAR_PARITY)) {
        return false;
    }
    const tc_vclock *k = w->cta->race->warps[w->index].vclock[lane];
    return tc_vclock_phases(k, tc_race_barrier_id(w->cta, offset)) < phase;
}

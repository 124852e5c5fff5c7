/* mbarrier.h - mbarrier objects (PTX ISA 9.7.13.15).
 *
 * An object is 64 bits of a CTA's shared memory: pending and expected arrivals,
 * the tx-count and the phase's parity are kept in those bits, so that a copy of
 * them, or an overwrite, is what it is on the hardware. What the bits cannot
 * hold (how many phases have completed, who arrived, who announced which
 * bytes) is in a table of the CTA. */
#ifndef TC_SIM_MBARRIER_H
#define TC_SIM_MBARRIER_H

#include "sim/internal.h"

/* An mbarrier object: whose shared memory, and where in it. */
typedef struct tc_mbarrier_ref {
    tc_cta *cta;     /* owner; may be another CTA of the cluster */
    uint32_t offset; /* in its shared window, a multiple of 8 */
} tc_mbarrier_ref;

/* Resolves an address of a lane: space SHARED, CLUSTER or GENERIC. False after
 * a fault (bounds, alignment, a CTA that the cluster does not have). */
bool tc_mbarrier_find(tc_warp *w, const tc_ptx_op *op, int lane,
                      tc_ptx_space space, uint64_t address,
                      tc_mbarrier_ref *out);

/* What an asynchronous operation does to the barrier that it was given. by is
 * the access that stands for it in findings; it must outlive the call only.
 * Both may complete the phase, which wakes the waiters. */
void tc_mbarrier_complete_tx(tc_run *r, tc_mbarrier_ref b, uint32_t bytes,
                             const tc_access *by);
void tc_mbarrier_arrive(tc_run *r, tc_mbarrier_ref b, uint32_t count,
                        const tc_access *by);

/* Phases that have completed since init; the current phase's ordinal. */
uint32_t tc_mbarrier_phase(tc_mbarrier_ref b);

void tc_mbarrier_forget(tc_cta *c); /* at the CTA's start and end */

#endif

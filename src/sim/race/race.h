/* race.h - the happens-before checker: what the machine tells it.
 *
 * Every warp has a clock that ticks when one of its threads synchronises, and
 * every thread knows some of the others' clocks (vclock.h). Memory has a shadow
 * of lines (shadow.h): who wrote these bytes last, and who has read them since.
 * Two accesses conflict if no chain of barriers and waits orders them, whatever
 * the order in which they happened to execute. */
#ifndef TC_SIM_HAZARD_H
#define TC_SIM_HAZARD_H

#include "sim/core/cp_async.h"
#include "sim/core/run.h"

/* access.c */
tc_hazard *tc_hazard_new(tc_run *r);
void tc_hazard_free(tc_hazard *h);
void tc_hazard_access(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                      uint32_t mask, const uint64_t *addr, uint32_t bytes,
                      bool store);
/* The same, where lane i of mask accesses base + i * bytes. */
void tc_hazard_run(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                   uint32_t mask, uint64_t base, uint32_t bytes, bool store);
/* A cp.async was issued: reads its source, writes its destination. */
void tc_hazard_copy(tc_warp *w, tc_batch *b);
void tc_hazard_commit(tc_batch *b, uint32_t lanes);
/* A wait of mask that leaves n groups and covers lanes of b. */
void tc_hazard_wait(tc_warp *w, const tc_ptx_op *op, tc_batch *b,
                    uint32_t lanes, uint32_t mask, int64_t n);
void tc_hazard_finish(tc_cta *c); /* at the end: what is still undecided */

/* ---- the async families' hooks (async.c). All may be called with
 * hazards off: they do nothing then. shared memory is named by its owner CTA
 * and offset, global memory by its address (owner NULL), tensor memory by its
 * owner, lane << 16 | column and 4 bytes a column. ---- */

typedef enum tc_hz_proxy {
    TC_HZ_GENERIC,
    TC_HZ_ASYNC,
    TC_HZ_TENSOR
} tc_hz_proxy;

/* An asynchronous operation: a thread of its own that begins after what its
 * issuer did before (through a proxy fence where the proxies differ), and that
 * others know of when they wait for what it signals. NULL: hazards off. */
tc_hz_agent *tc_hazard_agent(tc_warp *w, const tc_ptx_op *op, int lane,
                             tc_hz_proxy proxy);
/* It reads (at any time until its sources are known to be read) or writes
 * (until it is known to be complete) these bytes. */
void tc_hazard_agent_access(tc_hz_agent *g, tc_cta *owner, tc_ptx_space space,
                            uint64_t address, uint32_t bytes, bool store);
/* It will complete on that phase of that mbarrier: who waits for the phase
 * knows of all that the agent did. */
void tc_hazard_agent_signals(tc_hz_agent *g, tc_cta *owner, uint32_t offset,
                             uint32_t phase);
/* The bulk group, or tcgen05.wait: these lanes of w know of it from now on
 * (read_only: of its reads only). committed false: a wait that it was not yet
 * part of. */
void tc_hazard_agent_waited(tc_hz_agent *g, tc_warp *w, const tc_ptx_op *op,
                            uint32_t lanes, bool read_only);
/* The bulk group that it is part of was committed. */
void tc_hazard_agent_committed(tc_hz_agent *g);
/* Its issuer waited, and not for it: it was not committed, or the wait leaves
 * too many groups; leaving `enough` would have covered it. */
void tc_hazard_agent_missed(tc_hz_agent *g, tc_warp *w, const tc_ptx_op *op,
                            int64_t enough);
void tc_hazard_agent_free(tc_hz_agent *g); /* landed; nobody will wait on it */

/* mbarriers. phase: ordinal since init of the phase that is concerned. */
void tc_hazard_mbarrier_init(tc_warp *w, const tc_ptx_op *op, int lane,
                             tc_cta *owner, uint32_t offset);
void tc_hazard_mbarrier_inval(tc_warp *w, const tc_ptx_op *op, int lane,
                              tc_cta *owner, uint32_t offset);
void tc_hazard_mbarrier_arrive(tc_warp *w, const tc_ptx_op *op, int lane,
                               tc_cta *owner, uint32_t offset, uint32_t phase);
/* cp.async.mbarrier.arrive: all cp.async that the lane issued before complete
 * on that phase (noinc or not is the same to the order). */
void tc_hazard_mbarrier_copies(tc_warp *w, const tc_ptx_op *op, int lane,
                               tc_cta *owner, uint32_t offset, uint32_t phase);
/* The arrival of the lane's copies before that serial is made, for that phase
 */
void tc_hazard_mbarrier_copied(tc_warp *w, int lane, tc_cta *owner,
                               uint32_t offset, uint32_t phase,
                               uint64_t before);
/* A test or try of these lanes that returned true for that phase. */
void tc_hazard_mbarrier_wait(tc_warp *w, const tc_ptx_op *op, int lane,
                             tc_cta *owner, uint32_t offset, uint32_t phase);

/* Does the lane wait, by parity, for a phase without knowing of the one before?
 */
bool tc_hazard_phase_skipped(const tc_warp *w, const tc_ptx_op *op, int lane,
                             uint32_t offset, uint32_t phase);

/* barrier.cluster (arrive: with its semantics; wait: when it returns). */
void tc_hazard_cluster_arrive(tc_warp *w, const tc_ptx_op *op, uint32_t mask);
void tc_hazard_cluster_wait(tc_warp *w, const tc_ptx_op *op, uint32_t mask);
/* fence.proxy.* and fence.mbarrier_init; tcgen05.fence. */
void tc_hazard_proxy_fence(tc_warp *w, const tc_ptx_op *op, uint32_t mask);
/* atom, red: one atomic read and write of each lane. */
void tc_hazard_atomic(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                      uint32_t mask, const uint64_t *addr, uint32_t bytes);
/* bar.arrive: these lanes' work is ordered before the barrier's release. */
void tc_hazard_barrier_arrive(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                              uint32_t id);
/* An access of this thread to a remote CTA's shared memory or barrier. */
void tc_hazard_remote(tc_warp *w, const tc_ptx_op *op, int lane, tc_cta *owner,
                      uint64_t offset, uint32_t bytes);

/* barrier.c: clocks */
void tc_hazard_cta_start(tc_cta *c);
void tc_hazard_cta_free(tc_cta *c);
void tc_hazard_barrier(tc_cta *c, uint32_t id); /* before its release */
void tc_hazard_warp_sync(tc_warp *w, uint32_t mask);
void tc_hazard_fence(tc_warp *w, uint32_t mask); /* of all scopes */
void tc_hazard_fence_op(tc_warp *w, const tc_ptx_op *op, uint32_t mask);
/* free and malloc of a kernel, by a lane. */
void tc_hazard_heap_give(tc_warp *w, int lane);
void tc_hazard_heap_take(tc_warp *w, int lane);

#endif

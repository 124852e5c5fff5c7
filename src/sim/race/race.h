/* race.h - the happens-before checker: what the machine tells it.
 *
 * Every warp has a clock that ticks when one of its threads synchronises, and
 * every thread has a vector clock of the others' (vclock.h). Memory has a
 * shadow of lines (shadow.h): who wrote these bytes last, and who has read them
 * since. Two accesses conflict if no chain of barriers and waits orders them,
 * whatever the order in which they happened to execute. */
#ifndef TC_SIM_RACE_H
#define TC_SIM_RACE_H

#include "sim/core/cp_async.h"
#include "sim/core/run.h"

/* access.c */
tc_race *tc_race_new(tc_run *r);
void tc_race_free(tc_race *h);
/* first_pass.h: can the launch have a first pass? It begins one. */
bool tc_race_first_applies(const tc_run *r);
void tc_race_first_begin(tc_run *r);
/* The first pass has ended, and cannot say that all is well: memory is as it was
 * before the launch. False: there was none, or it can. */
bool tc_race_first_failed(tc_run *r);
/* What the op does cannot be undone: in the first pass, which ends, the op is
 * not executed (true). */
bool tc_race_first_stops(tc_warp *w);

/* first_pass.h: of runs[0], which is *first and has been alone until now, and
 * others, whose first passes join. runs stays the caller's. */
typedef struct tc_first_team tc_first_team;
tc_first_team *tc_team_new(tc_run *first, tc_run **runs);
void tc_team_join(tc_first_team *t, tc_run *r);
void tc_team_free(tc_first_team *t);
/* This one's first pass cannot say that all is well. */
bool tc_team_doubts(const tc_run *r);
/* After all n have ended: one has written what another one touched. */
bool tc_team_meets(tc_first_team *t, uint32_t n);
/* sim/order/touched.c: tells launch->touched, where there is one. */
void tc_race_touched(const tc_run *r);
/* Memory is as it was before the launch. */
void tc_team_undo(const tc_first_team *t, uint32_t n);
void tc_race_first_undo(tc_run *r);

void tc_race_access(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                    uint32_t mask, const uint64_t *addr, uint32_t bytes,
                    bool store);
/* The same, not of local memory, where it is known how the lanes follow each
 * other. */
void tc_race_access_steps(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                          uint32_t mask, const uint64_t *addr, uint32_t bytes,
                          bool store, tc_lane_steps steps);
/* The same, where lane i of mask accesses base + i * bytes. */
void tc_race_access_run(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                        uint32_t mask, uint64_t base, uint32_t bytes,
                        bool store);
/* Lanes of mask call f's function: its .local variables have no values yet, its
 * parameters have. */
void tc_race_call(tc_warp *w, const tc_frame *f, uint32_t mask);
/* A cp.async was issued: reads its source, writes its destination. */
void tc_race_copy_issued(tc_warp *w, tc_batch *b);
void tc_race_copy_committed(tc_batch *b, uint32_t lanes);
/* A wait of mask that leaves n groups and covers lanes of b. */
void tc_race_copy_waited(tc_warp *w, const tc_ptx_op *op, tc_batch *b,
                         uint32_t lanes, uint32_t mask, int64_t n);
void tc_race_cta_finish(tc_cta *c); /* at the end: what is still undecided */

/* ---- the async families' hooks (async.c). All may be called with
 * hazards off: they do nothing then. shared memory is named by its owner CTA
 * and offset, global memory by its address (owner NULL), tensor memory by its
 * owner, lane << 16 | column and 4 bytes a column. ---- */

typedef enum tc_race_proxy {
    TC_RACE_GENERIC,
    TC_RACE_ASYNC,
    TC_RACE_TENSOR
} tc_race_proxy;

/* An asynchronous operation: a thread of its own that begins after what its
 * issuer did before (through a proxy fence where the proxies differ), and that
 * others know of when they wait for what it signals. NULL: hazards off. */
tc_race_agent *tc_race_agent_new(tc_warp *w, const tc_ptx_op *op, int lane,
                                 tc_race_proxy proxy);
/* It reads (at any time until its sources are known to be read) or writes
 * (until it is known to be complete) these bytes. */
void tc_race_agent_access(tc_race_agent *g, tc_cta *owner, tc_ptx_space space,
                          uint64_t address, uint32_t bytes, bool store);
/* It will complete on that phase of that mbarrier: who waits for the phase
 * knows of all that the agent did. */
void tc_race_agent_signals(tc_race_agent *g, tc_cta *owner, uint32_t offset,
                           uint32_t phase);
/* The bulk group, or tcgen05.wait: these lanes of w know of it from now on
 * (read_only: of its reads only). committed false: a wait that it was not yet
 * part of. */
void tc_race_agent_waited(tc_race_agent *g, tc_warp *w, const tc_ptx_op *op,
                          uint32_t lanes, bool read_only);
/* The bulk group that it is part of was committed. */
void tc_race_agent_committed(tc_race_agent *g);
/* Its issuer waited, and not for it: it was not committed, or the wait leaves
 * too many groups; leaving `enough` would have covered it. */
void tc_race_agent_missed(tc_race_agent *g, tc_warp *w, const tc_ptx_op *op,
                          int64_t enough);
void tc_race_agent_free(tc_race_agent *g); /* landed; nobody will wait on it */

/* mbarriers. phase: ordinal since init of the phase that is concerned. */
void tc_race_mbarrier_init(tc_warp *w, const tc_ptx_op *op, int lane,
                           tc_cta *owner, uint32_t offset);
void tc_race_mbarrier_inval(tc_warp *w, const tc_ptx_op *op, int lane,
                            tc_cta *owner, uint32_t offset);
void tc_race_mbarrier_arrive(tc_warp *w, const tc_ptx_op *op, int lane,
                             tc_cta *owner, uint32_t offset, uint32_t phase);
/* cp.async.mbarrier.arrive: all cp.async that the lane issued before complete
 * on that phase (noinc or not is the same to the order). */
void tc_race_mbarrier_copies(tc_warp *w, const tc_ptx_op *op, int lane,
                             tc_cta *owner, uint32_t offset, uint32_t phase);
/* The arrival of the lane's copies before that serial is made, for that phase
 */
void tc_race_mbarrier_copied(tc_warp *w, int lane, tc_cta *owner,
                             uint32_t offset, uint32_t phase, uint64_t before);
/* A test or try of these lanes that returned true for that phase. */
void tc_race_mbarrier_wait(tc_warp *w, const tc_ptx_op *op, int lane,
                           tc_cta *owner, uint32_t offset, uint32_t phase);

/* Does the lane wait, by parity, for a phase without knowing of the one before?
 */
bool tc_race_phase_skipped(const tc_warp *w, const tc_ptx_op *op, int lane,
                           uint32_t offset, uint32_t phase);

/* barrier.cluster (arrive: with its semantics; wait: when it returns). */
void tc_race_cluster_arrive(tc_warp *w, const tc_ptx_op *op, uint32_t mask);
void tc_race_cluster_wait(tc_warp *w, const tc_ptx_op *op, uint32_t mask);
/* fence.proxy.* and fence.mbarrier_init; tcgen05.fence. */
void tc_race_proxy_fence(tc_warp *w, const tc_ptx_op *op, uint32_t mask);
/* atom, red: one atomic read and write of each lane. */
void tc_race_atomic(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                    uint32_t mask, const uint64_t *addr, uint32_t bytes);
/* bar.arrive: these lanes' work is ordered before the barrier's release. */
void tc_race_barrier_arrive(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                            uint32_t id);
/* An access of this thread to a remote CTA's shared memory or barrier. */
void tc_race_remote_access(tc_warp *w, const tc_ptx_op *op, int lane,
                           tc_cta *owner, uint64_t offset, uint32_t bytes);

/* barrier.c: clocks */
void tc_race_cta_start(tc_cta *c);
void tc_race_cta_free(tc_cta *c);
void tc_race_barrier_complete(tc_cta *c, uint32_t id); /* before its release */
void tc_race_warp_sync(tc_warp *w, uint32_t mask);
void tc_race_fence(tc_warp *w, uint32_t mask); /* of all scopes */
void tc_race_fence_op(tc_warp *w, const tc_ptx_op *op, uint32_t mask);
/* Which bytes of its local memory a warp's threads have written, a byte each;
 * NULL: it has none. */
uint8_t *tc_race_local(const tc_warp *w);
/* Lanes will swap a word: compare-and-swap, exchange (sim/order/locks.c). */
void tc_race_lock_before(tc_warp *w, uint32_t mask);
/* The lane has put another value there. owner: of shared memory; NULL: global. */
void tc_race_lock_swapped(tc_warp *w, const tc_ptx_op *op, int lane,
                          const struct tc_race_cta *owner, uint64_t address,
                          uint64_t old, uint64_t new);
/* free and malloc of a kernel, by a lane. */
void tc_race_heap_give(tc_warp *w, int lane);
void tc_race_heap_take(tc_warp *w, int lane);

#endif

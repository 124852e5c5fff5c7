/* isa.h - what the instructions share with the rooms above. */
#ifndef TC_SIM_ISA_H
#define TC_SIM_ISA_H

#include "sim/core/run.h"

/* Device memory of a kernel's malloc. */
void tc_heap_init(tc_sim *s);

/* isa/control.c */
void tc_end_lanes(tc_warp *w, const tc_ptx_op *op, uint32_t mask);

void tc_barrier_check(tc_cta *c); /* releases barriers that are complete */
void tc_barrier_arrivals(const tc_cta *c, uint32_t id, uint32_t *arrived,
                         uint32_t *wanted); /* threads, as it counts them */
/* isa/cluster.c */
/* Releases barrier.cluster if all live threads of the cluster are there. */
void tc_cluster_check(tc_cta *c);
/* Threads that have arrived at the cluster's barrier, of those that live;
 * returns an arrive, or NULL where nobody has. */
const tc_ptx_op *tc_cluster_arrivals(tc_cta *c, uint32_t *arrived,
                                     uint32_t *live);
/* Lanes access shared::cluster addresses of one CTA; tells the observers. False
 * after a fault: that CTA has ended. */
bool tc_cluster_access(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                       const uint64_t *addr, uint32_t bytes, bool store);

/* ---- what the observers are told: entries of the code table that name an
 * observed function ---- */

tc_sim_op_fn tc_observed_LD, tc_observed_ST, tc_collective_SHFL_SYNC;
void tc_isa_observe(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                    uint32_t mask, const uint64_t *addr, uint32_t bytes,
                    bool store);
/* The same, where it is known how the lanes follow each other. */
void tc_observe_lanes(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                      uint32_t mask, const uint64_t *addr, uint32_t bytes,
                      bool store, tc_lane_steps steps);
/* The same of all lanes side by side from address on, each on 4 or 8 aligned
 * bytes of global or shared memory. */
void tc_observe_run(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                    uint64_t address, uint32_t bytes, bool store);
void tc_observe_atomic(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                       uint32_t mask, const uint64_t *addr, uint32_t bytes);
/* Lanes will swap a word; one has put another value there (race/race.h): shared
 * memory's own, or global memory's. */
void tc_observe_swaps(tc_warp *w, uint32_t mask);
void tc_observe_swap(tc_warp *w, const tc_ptx_op *op, int lane, bool shared,
                     uint64_t address, uint64_t old, uint64_t new);
/* The checker's bytes of the warp's local memory, laid out as that is: 1 where
 * the thread has written. NULL: somebody else observes it too, or nobody. */
uint8_t *tc_observe_local(const tc_warp *w);
/* Records an event of the warp's lanes; needs a trace. Cycles that are 0 are
 * now; of `more`, a phase counts with an mbarrier only, a cause with COMPLETE.
 * Returns the event's number. */
int32_t tc_observe_event(tc_warp *w, const tc_ptx_op *op, tc_trace_kind kind,
                         tc_trace_unit unit, uint32_t lanes,
                         tc_trace_event more);
uint8_t tc_trace_space_of(tc_ptx_space space); /* tc_trace_space */

/* isa/shfl.c: what cvta adds to an address. */
uint64_t tc_cvta_step(const tc_ptx_op *op);

/* isa/atomic.c: what an element becomes under TC_ATOM_sub, all but cas; values
 * are zero-extended; global: its sums of .f32 flush subnormals. */
uint64_t tc_atomic_combine(uint8_t sub, tc_ptx_type t, uint64_t old, uint64_t b,
                           bool global);

#endif

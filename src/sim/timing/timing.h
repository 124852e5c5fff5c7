/* timing.h - the clock of a launch: what an op costs, when it issues, and the
 * grid's way over the SMs. */
#ifndef TC_SIM_TIMING_H
#define TC_SIM_TIMING_H

#include "sim/core/run.h"

tc_timing *tc_timing_new(tc_run *r);
/* L2 of the simulator, as the launches and copies so far left it. */
struct tc_l2 *tc_timing_l2(tc_sim *s);
void tc_timing_free(tc_timing *t);
/* What the cycles are of. */
void tc_timing_result(const tc_timing *t, tc_sim_result *out);
void tc_timing_warp(tc_warp *w);     /* a warp starts */
void tc_timing_warp_end(tc_warp *w); /* its last lane, or the run, has ended */
void tc_timing_warp_free(tc_warp *w);
/* timing/issued.c: of a launch that stops. The warp begins; it is looked at before
 * op `until` of those that it executes. */
void tc_issued_begin(tc_warp *w, uint64_t until);
/* It executes an op of the module's code. */
void tc_issued_op(tc_warp *w, uint32_t at);
/* So many have issued, of those executed. */
uint64_t tc_issued_ops(const tc_warp *w);
/* It is about to write: bytes of a lane, or of each lane of mask. */
void tc_issued_write(tc_warp *w, uint8_t *bytes, uint32_t n);
void tc_issued_writes(tc_warp *w, tc_ptx_space space, uint32_t mask,
                      const uint64_t *addr, uint32_t bytes);
/* What warps wrote after they were looked at is as before. */
void tc_issued_restore(tc_timing *t);
/* timing/grid.c: runs the whole grid, cycle by cycle. */
void tc_timing_grid(tc_run *r);
void tc_timing_access(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                      uint32_t mask, const uint64_t *addr, uint32_t bytes,
                      bool store);
/* The same as tc_observe_run is to tc_isa_observe. */
void tc_timing_run(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                   uint64_t address, uint32_t bytes, bool store);
/* Cycles from the last arrival to the release. */
uint64_t tc_timing_barrier(const tc_cta *c);
/* A fence beyond the CTA: the warp goes on when its accesses to global memory
 * are there. */
void tc_timing_fence(tc_warp *w);
uint64_t tc_timing_mbarrier(const tc_cta *c);
uint64_t tc_timing_cluster(const tc_cta *c);
/* When the bytes of a cp.async issued now will have arrived; UINT64_MAX: it will
 * be said, and the event made, when the clock issues it. */
uint64_t tc_timing_copy(tc_warp *w, tc_batch *b);
/* The trace's event of the access that was told of last. */
void tc_timing_traced(tc_run *r, int32_t event);
/* The op that executes met n different values in its lanes (match.any). */
void tc_timing_values(tc_warp *w, const tc_ptx_op *op, uint32_t n);
/* When a transfer of the async proxy that is issued now will be complete;
 * global: the address there, where it is one piece; 0: it is not. *source: when
 * its sources will have been read. */
uint64_t tc_timing_transfer(tc_run *r, uint32_t bytes, tc_ptx_space from,
                            tc_ptx_space to, uint64_t global, uint64_t *source);

/* timing/grid.c: CTAs that an SM holds at once, and the registers a thread has.
 */
uint32_t tc_ctas_per_sm(tc_run *r);
uint32_t tc_timing_residency(const tc_run *r,
                             uint32_t registers); /* may be 0 */
/* Registers of 32 bits a thread needs, at a guess: the most values that live
 * at one place of the code, and what an address and a call take. */
uint32_t tc_register_estimate(const tc_ptx_module *m, const tc_ptx_func *f);

/* estimate.c: for a launch without a clock. What it would take, in cycles; what
 * a wait for an asynchronous copy takes. */
uint64_t tc_timing_estimate(tc_run *r);
uint64_t tc_timing_waited(const tc_run *r);

/* Cycles a microsecond of a machine's SMs. */
uint32_t tc_timing_mhz(const tc_machine *m);

#endif

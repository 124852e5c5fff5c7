/* threads.h - CTAs of a launch on several threads, where that changes nothing.
 *
 * What a learner sees (bytes, findings, counters, cycles) is the same for every
 * number of threads. That holds because each CTA is executed as if it were
 * alone, and it is looked afterwards whether it was:
 *
 *  - Only launches that have a first pass (race/first_pass.h) take part, so not
 *    those with a clock, a trace, clusters, asynchronous copies or a stop, nor
 *    with hazards off: nobody would know then what CTAs touch. The kernel asks
 *    no clock, does not sleep, print, allocate or call functions, has no atomics on global
 *    memory whose answers are read, no strong loads and stores of it, and is not
 *    cooperative.
 *  - The launch begins on one thread, CTA after CTA. When it has taken some
 *    milliseconds and as much is left, the other threads begin; each takes the
 *    next piece of the grid when it has finished one.
 *  - A thread has a run of its own (tc_run: findings, counters, cycle, random
 *    numbers, code with what its entries have learnt), a checker of its own, an
 *    arena of its own. They share what nobody writes meanwhile (module, launch,
 *    symbols' addresses, the list of allocations), device memory, the saved
 *    bytes of its pages (race/first_pass.h), the next piece, and a flag that
 *    ends all of them.
 *  - Atomics whose answers nobody reads are kept and done in the order of CTAs
 *    (isa/reds.h), as far ahead as 32 MB of them.
 *  - When all have ended their shadows are compared. If somebody doubts, if two
 *    have met, if a CTA waits for what none of its own can give, or takes so
 *    long that one thread would have run several of them in turns: memory is as
 *    before the launch, and it is executed again on one thread. So it is from
 *    then on for that kernel.
 *
 * Else counters and cycles are the sums of the threads'. Memory: what the first
 * pass takes, once a thread. */
#ifndef TC_SIM_THREADS_H
#define TC_SIM_THREADS_H

#include "sim/core/run.h"

/* May this launch be executed on several threads? It must have a first pass. */
bool tc_threads_apply(const tc_run *r);
/* fresh: r before it was prepared. Sets r->apart where it must be executed
 * again, on one. */
void tc_threads_execute(tc_run *r, const tc_run *fresh);

#endif

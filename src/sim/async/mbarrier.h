/* mbarrier.h - mbarrier objects (PTX ISA 9.7.13.15).
 *
 * An object is 64 bits of a CTA's shared memory: pending and expected arrivals,
 * the tx-count and the phase's parity are kept in those bits, so that a copy of
 * them, or an overwrite, is what it is on the hardware. What the bits cannot
 * hold (how many phases have completed, who arrived, who announced which
 * bytes) is in a table of the CTA. */
#ifndef TC_SIM_MBARRIER_H
#define TC_SIM_MBARRIER_H

#include "sim/core/run.h"

/* An mbarrier object: whose shared memory, and where in it. */
typedef struct tc_mbarrier_ref {
    tc_cta *cta;     /* owner; may be another CTA of the cluster */
    uint32_t offset; /* in its shared window, a multiple of 8 */
    uint32_t issued; /* tc_mbarrier_find: the phase's ordinal then, + 1; what
                        completes on it belongs to that phase. 0: not known */
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

/* Tells the trace, if there is one, what a lane does to it; lanes of one
 * instruction that do the same are one event, unless a phase ended between
 * them. arrivals: how many; bytes: announced, -1 none. */
void tc_mbarrier_trace(tc_warp *w, const tc_ptx_op *op, tc_trace_kind kind,
                       int lane, const tc_mbarrier_ref *b, uint32_t arrivals,
                       int32_t bytes);

/* Phases that have completed since init; the current phase's ordinal. */
uint32_t tc_mbarrier_phase(tc_mbarrier_ref b);

void tc_mbarrier_forget(tc_cta *c); /* at the CTA's start and end */

/* ---- between mbarrier*.c and deadlock.c ---- */

enum { TC_MBARRIER_MAX = (1 << 20) - 1 }; /* counts; tx-count, either sign */

/* Threads that arrived in a phase: rank in the cluster * 1024 + thread. */
typedef struct tc_arrivers {
    uint32_t *id;
    uint32_t n, cap;
} tc_arrivers;

/* The table's entry: what the 64 bits cannot hold. */
typedef struct tc_mbarrier {
    uint32_t offset;
    bool used; /* the slot */
    bool live; /* initialised, not invalidated */
    uint64_t bits;
    uint32_t phase;          /* completed since init */
    uint32_t count;          /* that init gave */
    tc_arrivers now, before; /* in this phase; in the one before */
    bool waited;             /* splits may be suspended on it */
    int64_t announced;       /* bytes of this phase: expect_tx, complete_tx */
    int64_t copied;
    tc_access init, arrive, expect, complete; /* the last of each */
} tc_mbarrier;

/* The object as its bits say. */
typedef struct tc_mbarrier_state {
    uint32_t pending, expected;
    int32_t tx;
    bool parity;
} tc_mbarrier_state;
tc_mbarrier_state tc_mbarrier_unpack(uint64_t bits);

/* The entry of an object, or NULL if there never was one. */
tc_mbarrier *tc_mbarrier_entry(tc_mbarrier_ref b);
/* The entry of a live object whose bytes are as they were left. by: who uses
 * it. NULL after a finding, which ends the execution. */
tc_mbarrier *tc_mbarrier_use(tc_run *r, tc_mbarrier_ref b, const tc_access *by);
void tc_mbarrier_init(tc_run *r, tc_mbarrier_ref b, uint32_t count,
                      const tc_access *by);
void tc_mbarrier_inval(tc_run *r, tc_mbarrier_ref b, const tc_access *by);
void tc_mbarrier_expect_tx(tc_run *r, tc_mbarrier_ref b, uint32_t bytes,
                           const tc_access *by);
/* What the trace is told: that a phase is over; the fields as they are now. */
void tc_mbarrier_trace_phase(tc_run *r, tc_mbarrier_ref b, uint32_t phase,
                             const tc_access *by);
void tc_mbarrier_trace_fields(tc_run *r, tc_mbarrier_ref b,
                              const tc_mbarrier *m);
/* One more arrival is pending in this phase. */
void tc_mbarrier_raise(tc_run *r, tc_mbarrier_ref b, const tc_access *by);

/* More of arrive. The bits before the arrival go to *before. */
enum { TC_ARRIVE_DROP = 1, TC_ARRIVE_NO_COMPLETE = 2, TC_ARRIVE_MORE = 4 };
void tc_mbarrier_arrive_on(tc_run *r, tc_mbarrier_ref b, uint32_t count,
                           unsigned how, const tc_access *by, uint64_t *before);

/* A state token: phase and pending arrivals. */
uint64_t tc_mbarrier_token(const tc_mbarrier *m, uint64_t bits);
uint32_t tc_mbarrier_token_phase(uint64_t token);
uint32_t tc_mbarrier_token_pending(uint64_t token);

/* cp.async.mbarrier.arrive: arrivals that wait for the cp.async before them. */
void tc_mbarrier_copies_landed(tc_warp *w); /* some cp.async of w has */
/* Lands what the warp's oldest one waits for. False: there is none. */
bool tc_mbarrier_force_copies(tc_warp *w);
void tc_mbarrier_copies_drop(tc_warp *w);

#endif

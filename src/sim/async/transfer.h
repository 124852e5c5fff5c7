/* transfer.h - operations of the async proxy that are under way: bulk and
 * tensor copies, st.async, red.async, tcgen05.cp, tcgen05.commit.
 *
 * An op makes one transfer for each lane that issued it. It lands once: its
 * function moves the bytes and signals its completion (an mbarrier, or the
 * issuing thread's bulk group). When that is, the completion policy says:
 * EARLY at issue; TIMING when timing/issue.c says; RANDOM at any legal moment;
 * LATE when nobody of the resident CTAs can go on without it (or when a wait of
 * its own thread demands it), the oldest first. */
#ifndef TC_SIM_TRANSFER_H
#define TC_SIM_TRANSFER_H

#include "sim/async/mbarrier.h"
#include "sim/core/run.h"
#include "sim/race/race.h"

typedef struct tc_transfer tc_transfer;
typedef void tc_transfer_fn(tc_run *r, tc_transfer *t);

/* Where the bytes go, or come from. */
typedef struct tc_transfer_end {
    tc_ptx_space space; /* GLOBAL, SHARED (owner's), TENSOR (the same); REG:
                           none of them */
    const tc_cta *owner;
    uint64_t address;
} tc_transfer_end;

struct tc_transfer {
    tc_transfer *next, *prev; /* of its CTA's, in the order of issue */
    tc_transfer *next_flying, *prev_flying; /* of the run's that have not
                                               landed, in that order */
    const tc_ptx_op *op;
    tc_warp *warp; /* the issuer's */
    int lane;
    tc_transfer_fn *fetch;        /* reads its sources into its state, once,
                                     before land; NULL: land reads them */
    tc_transfer_fn *land;         /* moves the bytes, signals; called once */
    void (*drop)(tc_transfer *t); /* frees what *state owns; may be NULL */
    void *state;                  /* the op's own */
    bool has_barrier;
    tc_mbarrier_ref barrier; /* complete_tx or arrive on landing */
    int32_t group;           /* bulk group's ordinal in the thread, -1 none or
                                not yet committed */
    bool in_group;           /* completes by bulk group */
    bool kept;               /* stays after it landed: tcgen05.ld and st until
                                their wait, cp until its commit */
    bool landed, read;       /* read: its sources have been read */
    uint32_t bytes;
    uint32_t lanes;           /* that it stands for, in the trace */
    tc_transfer_end to, from; /* for the trace */
    uint16_t targets; /* multicast: ranks of the CTAs, a bit each; else 0 */
    uint64_t complete, source; /* timing: when the bytes arrive; when the
                                  sources have been read */
    int32_t event;             /* its ISSUE in the trace */
    uint32_t queued;           /* events that name it: 0 or 1 */
    size_t queued_at;          /* where the queue has that one */
    tc_race_agent *race;       /* NULL: hazards off */
};

/* Starts a transfer: the run owns it from here. The race agent is begun
 * here; the op then tells it of every access it will make
 * (tc_race_agent_access), before anything lands. */
tc_transfer *tc_transfer_new(tc_warp *w, const tc_ptx_op *op, int lane);
/* Hands it to the completion policy: may land, and be gone, at once. */
void tc_transfer_start(tc_transfer *t);
/* Lands the oldest transfer that has not landed. False: there is none. The
 * scheduler calls it under LATE when nobody can go on. */
bool tc_transfer_force(tc_run *r);
/* Lands it now, if it has not landed. It stays until it is forgotten, which is
 * for who holds the CTA's list to do: frees it if it has landed and nobody will
 * ask for it. */
void tc_transfer_land(tc_transfer *t);
void tc_transfer_forget(tc_transfer *t);
/* An event of it is due. */
void tc_transfer_due(tc_transfer *t);
/* What stands for it in findings. */
tc_access tc_transfer_access(const tc_transfer *t);
/* The bulk groups of a thread (cp.async.bulk.commit_group and wait_group). A
 * wait that leaves `leave` groups may block the lanes under the clock; the op
 * is then issued again. */
void tc_transfer_commit(tc_warp *w, const tc_ptx_op *op, uint32_t mask);
void tc_transfer_wait(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                      int64_t leave, bool read_only);
/* A wait of a whole warp (wgmma.wait_group, tcgen05.wait) for those of its
 * transfers that the filter takes with `what`. False: under the clock it blocks
 * the lanes until they land, and the op is then issued again. */
typedef bool tc_transfer_filter(const tc_warp *w, const tc_transfer *t,
                                int64_t what);
bool tc_transfer_wait_warp(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                           tc_transfer_filter *takes, int64_t what);
/* Traces a commit of groups or a wait for them: an event for each ordinal among
 * the lanes (normally one). */
typedef struct tc_group_event {
    tc_trace_kind kind; /* COMMIT, WAIT */
    tc_trace_unit unit;
    tc_trace_object object;
    uint64_t begin; /* of a wait; else 0 */
    bool read_only; /* a wait for the sources alone */
} tc_group_event;
void tc_transfer_trace_groups(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                              const int32_t *ordinal, tc_group_event e);
/* At the end of a CTA (its transfers land or are dropped); it
 * costs what this CTA has under way, whatever others have. */
void tc_transfer_finish(tc_cta *c);

#endif

/* hazard.h - the happens-before checker.
 *
 * Every thread has a clock that ticks when it synchronises, and a vector of
 * what it knows of the others' clocks; threads that synchronised together
 * share one vector. Memory has a shadow of cells; a cell names its last write
 * and the reads since, each a record (one op of one warp) and lanes. Two
 * accesses conflict if no chain of barriers and waits orders them, whatever
 * the order in which they happened to execute. */
#ifndef TC_SIM_HAZARD_H
#define TC_SIM_HAZARD_H

#include "sim/internal.h"

/* One read that may have been too early: decided when the issuer waits. */
typedef struct tc_hz_pending {
    struct tc_hz_pending *next;
    tc_access reader;
    uint32_t phase;     /* barriers that the reader had passed */
    uint32_t committed; /* groups that the issuing lane had committed */
    int lane;           /* the issuer's */
    uint64_t address;
    uint32_t bytes;
} tc_hz_pending;

/* The checker's view of one cp.async; lives as long as a record names it. */
struct tc_hz_copy {
    struct tc_hz_copy *next;
    int32_t group[TC_LANES];
    uint32_t done[TC_LANES]; /* clock of the lane's covering wait, 0 none */
    uint32_t waited;         /* lanes that waited since the issue */
    uint32_t wait_ncommit[TC_LANES]; /* groups committed at the last wait */
    tc_access wait;      /* the last wait after the commit that did not
                            cover it */
    uint32_t wait_lanes; /* lanes of that */
    tc_access issue;
    struct tc_hz_pending *pending;
    tc_warp *warp;
};

/* One op of one warp that touched memory. */
typedef struct tc_hz_record {
    const tc_ptx_op *op;
    tc_hz_copy *copy; /* a cp.async, or NULL */
    uint64_t cycle;
    uint32_t *clocks; /* of each lane, if they differ */
    uint32_t clock;   /* of all lanes, if not */
    uint32_t cta;
    uint16_t warp;
    bool strong;       /* volatile, relaxed, acquire, release: no data race */
    uint32_t position; /* accesses of the warp since its last barrier */
} tc_hz_record;

/* Reads of a cell beyond the first record's. */
typedef struct tc_hz_readers {
    uint32_t record, mask, next;
} tc_hz_readers;

typedef struct tc_hz_cell {
    uint32_t writer; /* record, 0 none */
    uint32_t lane;   /* of the writer */
    uint32_t reader, rmask;
    uint32_t more; /* index of tc_hz_readers, 0 none */
} tc_hz_cell;

/* Shadow of a stretch of memory, one cell for 1 << shift bytes. */
typedef struct tc_hz_shadow {
    tc_hz_cell *cells; /* NULL: not touched yet */
    uint64_t bytes;
    uint32_t shift;
} tc_hz_shadow;

typedef struct tc_hz_clock {
    uint32_t refs;
    uint32_t at[]; /* of each thread of the CTA */
} tc_hz_clock;

struct tc_hz_cta {
    tc_hz_shadow shared;
    uint8_t *local;       /* a byte each: written? */
    tc_hz_clock **known;  /* of each thread */
    tc_hz_clock **fenced; /* what it will know after a fence, or NULL */
    uint32_t *clock;      /* of each thread, from 1 */
    uint32_t *phase;      /* CTA barriers it passed */
    uint32_t *position;   /* of each warp: accesses since its last barrier */
    uint32_t *release; /* lanes of each warp whose next strong store follows a
                          fence */
    uint32_t nthreads;

    struct tc_hz_sync *syncs; /* what strong stores published */
};

struct tc_hazard {
    tc_run *run;
    tc_hz_record *records;
    uint32_t nrecords, crecords;
    tc_hz_readers *readers;
    uint32_t nreaders, creaders, free_readers;
    tc_hz_shadow *global; /* of each page of each allocation */
    uint64_t *first_page; /* of each allocation */
    uint64_t npages;
    tc_hz_copy *copies; /* of all CTAs that execute */
};

/* hazard.c */
tc_hazard *tc_hazard_new(tc_run *r);
void tc_hazard_free(tc_hazard *h);
void tc_hazard_access(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                      uint32_t mask, const uint64_t *addr, uint32_t bytes,
                      bool store);
/* A cp.async was issued: reads its source, writes its destination. */
void tc_hazard_copy(tc_warp *w, tc_batch *b);
void tc_hazard_commit(tc_batch *b, uint32_t lanes);
/* A wait of mask that leaves n groups and covers lanes of b. */
void tc_hazard_wait(tc_warp *w, const tc_ptx_op *op, tc_batch *b,
                    uint32_t lanes, uint32_t mask, int64_t n);
void tc_hazard_finish(tc_cta *c); /* at the end: what is still undecided */

/* ---- the async families' hooks (hazard_async.c). All may be called with
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
/* A test or try of these lanes that returned true for that phase. */
void tc_hazard_mbarrier_wait(tc_warp *w, const tc_ptx_op *op, int lane,
                             tc_cta *owner, uint32_t offset, uint32_t phase);

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

/* order.c: clocks */
void tc_hazard_cta_start(tc_cta *c);
void tc_hazard_cta_free(tc_cta *c);
void tc_hazard_barrier(tc_cta *c, uint32_t id); /* before its release */
void tc_hazard_warp_sync(tc_warp *w, uint32_t mask);
void tc_hazard_fence(tc_warp *w, uint32_t mask);
void tc_hazard_strong(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                      uint32_t mask, const uint64_t *addr, bool store);
/* True if thread (warp, lane) of this CTA at that clock precedes me. */
bool tc_hazard_knows(const tc_hz_cta *z, uint32_t me, uint32_t other,
                     uint32_t clock);

/* conflict.c: what an unordered pair of accesses is called */
void tc_hazard_read_write(tc_hazard *h, tc_cta *c, const tc_finding *place,
                          uint32_t reader, int rlane, uint32_t writer,
                          int wlane, bool read_first);
void tc_hazard_write_write(tc_hazard *h, const tc_finding *place,
                           uint32_t first, int flane, uint32_t second,
                           int slane);
void tc_hazard_settle(tc_hazard *h, tc_hz_copy *copy, int lane, bool waited);

#endif

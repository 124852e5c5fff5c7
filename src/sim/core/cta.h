/* cta.h - a CTA that executes: its warps, its memory, its cluster. */
#ifndef TC_SIM_CORE_CTA_H
#define TC_SIM_CORE_CTA_H

#include "sim/core/warp.h"

/* A barrier of a CTA that some threads have come to. */
typedef struct tc_barrier {
    const tc_ptx_op *op; /* of the first to come; NULL: nobody has */
    uint32_t count;      /* threads that it wants, 0 all */
    uint32_t twice;      /* arrivals by threads that had arrived */
    bool red;
    bool arrived; /* somebody arrived without waiting */
} tc_barrier;

struct tc_cta {
    tc_run *run;
    uint32_t index, id[3];            /* linear, and its coordinates */
    uint32_t nthreads, nwarps, nlive; /* nlive: warps with lanes alive */
    bool busy;                        /* started, not finished */
    tc_warp *warps;
    uint8_t *shared;
    uint8_t *local; /* local_bytes a thread */
    uint64_t local_bytes;
    uint32_t shared_bytes;
    tc_barrier barriers[TC_BARRIERS];
    tc_race_cta *race;
    uint64_t *wrote; /* by thread: bytes of results (results.h); or NULL */
    /* The cluster: peers[rank] of ncluster CTAs that run at the same time;
     * peers[c->rank] == c. A grid without clusters has clusters of one. */
    uint32_t rank, ncluster;
    struct tc_cta **peers;
    bool ended; /* its threads have all exited */
    bool waits; /* one has waited at a barrier */
    struct tc_transfer *transfers, *transfers_last; /* async/transfer.c */
    struct tc_mbarrier_table *mbarriers; /* async/mbarrier.c; NULL: none yet */
    struct tc_tensor_memory *tensor;     /* tcgen05*.c; NULL: none yet */
};
/* cta.c: storage of a CTA, reused from one to the next. */
void tc_cta_init(tc_cta *c, tc_run *r);
void tc_cta_start(tc_cta *c, uint32_t index);
void tc_cta_free(tc_cta *c);
/* Makes n CTAs a cluster; peers is theirs. */
void tc_cta_bind(tc_cta *ctas, tc_cta **peers, uint32_t n);
uint64_t tc_cta_bytes(const tc_run *r); /* of storage, about */
/* Linear index of a cluster's CTA of that rank. */
uint32_t tc_cta_index(const tc_run *r, uint32_t cluster, uint32_t rank);
/* n CTAs, a cluster, after their last lanes ended, or the stop. */
void tc_cluster_finish(tc_cta *ctas, uint32_t n);

#endif

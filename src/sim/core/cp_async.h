/* cp_async.h - a cp.async under way, as async/, race/ and timing/ see it. */
#ifndef TC_SIM_CORE_CP_ASYNC_H
#define TC_SIM_CORE_CP_ASYNC_H

#include "sim/core/types.h"

/* One cp.async of one warp whose bytes have not all been accounted for. */
struct tc_batch {
    struct tc_batch *next; /* in issue order */
    const tc_ptx_op *op;
    uint32_t mask;              /* lanes that issued */
    uint32_t landed;            /* bytes are in shared memory */
    uint32_t done;              /* a wait of the lane covers it */
    uint32_t tracked;           /* an mbarrier has been told */
    uint64_t serial;            /* ordinal in the warp */
    int32_t group[TC_LANES];    /* ordinal in the lane, -1 not committed */
    uint32_t dst[TC_LANES];     /* offset in the shared window */
    uint64_t src[TC_LANES];     /* global address */
    uint8_t src_size[TC_LANES]; /* bytes read; the rest is zero */
    uint64_t complete;          /* timing: when the bytes arrive */
    int32_t event;              /* its ISSUE in the trace */
    uint32_t queued;            /* events that still name it */
    bool ahead; /* it was executed, and its instruction has not issued */
    tc_race_copy *race; /* the checker's view, or NULL */
};

#endif

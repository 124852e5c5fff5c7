/* reds.h - atomics on global memory whose answers nobody reads, where CTAs run
 * on several threads (sim/threads.h): they are kept, and done in the order of
 * CTAs, so that sums of floats are the same as on one thread. */
#ifndef TC_SIM_ISA_REDS_H
#define TC_SIM_ISA_REDS_H

#include "sim/core/run.h"

typedef struct tc_red {
    uint8_t *bytes;
    uint64_t value;
    const tc_ptx_op *op;
} tc_red;

/* Of a thread: those of the CTAs that it executes now. */
typedef struct tc_reds {
    const atomic_uint
        *first;     /* all CTAs of earlier pieces have ended; NULL: the
                                 thread is alone */
    uint32_t piece; /* the thread's */
    tc_red *kept;
    size_t n, cap, most; /* most: then it waits for its turn */
    /* Returns when *first is the piece, or the run halts. */
    void (*wait)(struct tc_reds *d);
    void *user;
} tc_reds;

/* Lanes are about to do such atomics: are they kept? If not, those that were
 * are done now. */
bool tc_reds_later(tc_reds *d);
void tc_reds_keep(tc_reds *d, tc_red red);
void tc_reds_land(tc_reds *d);

#endif

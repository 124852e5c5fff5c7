/* mbar_run.h - runs PTX kernels of sm_90a for the tests of mbarriers, clusters
 * and launches. tid in r1, CTA in r2, sm in r3, bar (16 mbarriers) in r4, the
 * grid's thread in r5; A and B in rd1 and rd2; thread 0 of the CTA in p1. Every
 * thread stores %r10 to its own word of B. */
#ifndef MBAR_RUN_H
#define MBAR_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "base/buf.h"
#include "detail_text.h"
#include "sim/sim.h"
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MBAR_BYTES = 1 << 16 };

typedef struct mbar_case {
    /* asked; 0: 1 CTA, 32 threads, no cluster, 4096 bytes of sm */
    uint32_t grid[3], block, cluster[3], sm;
    const char *directives, *arch, *entry; /* entry NULL: k */
    uint32_t registers;                    /* of a thread; 0: nobody knows */
    bool timing, hazards, trace;
    tc_completion completion;
    uint64_t seed;
    const atomic_int *cancel;
    /* results */
    bool ran; /* else: words of the errors */
    char errors[512];
    tc_sim_result r;
    uint32_t a[MBAR_BYTES / 4], b[MBAR_BYTES / 4];
    tc_trace *t;
    tc_arena *arena;
    tc_sim *sim;
} mbar_case;

/* A tc_diag_fn of a mbar_case: its errors. */
void mbar_diag(void *user, const tc_diag *d);
char *mbar_text(const mbar_case *c, const char *body);
void mbar_run_text(mbar_case *c, const char *text);
void mbar_run(mbar_case *c, const char *body);
void mbar_check_text(const mbar_case *c, const char *body);
void mbar_end(mbar_case *c);

/* The run's findings, for a test that did not get what it wants. */
void mbar_print(const mbar_case *c, const char *name);

/* The policies of completion; the last is under the clock. */
static const struct {
    const char *name;
    tc_completion completion;
    uint64_t seed;
    bool timing;
} mbar_policies[] = {{"late", TC_COMPLETE_LATE, 0, false},
                     {"early", TC_COMPLETE_EARLY, 0, false},
                     {"random 1", TC_COMPLETE_RANDOM, 1, false},
                     {"random 2", TC_COMPLETE_RANDOM, 2, false},
                     {"timing", TC_COMPLETE_TIMING, 0, true}};
enum { MBAR_POLICIES = 5 };

#endif

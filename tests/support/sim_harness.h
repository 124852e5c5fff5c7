/* sim_harness.h - runs hand-written PTX for test_sim and test_hazard. */
#ifndef SIM_HARNESS_H
#define SIM_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "base/buf.h"
#include "sim/sim.h"
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* tid in r1, 4 tid in r2; own word of sm: r4, of A: rd4, of B: rd5; the next
 * thread's word of sm: r6; lane in r7, warp in r8. Blocks of 128 threads. */
enum { BYTES = 4096 };

typedef struct sim_case {
    uint32_t grid, block;
    bool timing, hazards, trace;
    tc_completion completion;
    uint64_t seed;
    const char *arch; /* NULL: the default */
    /* results */
    tc_sim_result r;
    uint8_t b[BYTES];
    tc_trace *t;
    tc_arena *arena;
    tc_sim *sim;
} sim_case;

void print_diag(void *user, const tc_diag *d);

/* body without the lines that contain drop. */
char *whole_text(const char *body, const char *drop);
void fill(uint8_t *p, uint32_t salt);
void run_text(sim_case *c, const char *text);
void end_case(sim_case *c);
uint32_t word(const uint8_t *p, uint32_t i);

#endif

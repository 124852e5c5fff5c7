/* launch.h - what the files of the public face share. */
#ifndef TC_SIM_LAUNCH_H
#define TC_SIM_LAUNCH_H

#include "sim/core/run.h"

extern const tc_hooks tc_sim_hooks; /* hooks.c */

/* code.c: r->code, from the module. */
void tc_code_make(tc_run *r);

uint64_t tc_dynamic_base(const tc_run *r); /* of dynamic shared memory */
const tc_machine *tc_machine_find(const char *name);

/* launch.c: what one execution needs, made of a run whose launch was checked;
 * first: its first pass. */
void tc_run_prepare(tc_run *r, bool first);
void tc_run_discard(tc_run *r);

/* execute.c */
void tc_sim_execute(tc_run *r);
uint64_t tc_resident_ctas(tc_run *r); /* that the machine holds at once */
/* Storage of one CTA, for CTAs that are executed one after the other. */
typedef struct tc_pool tc_pool;
tc_pool *tc_pool_new(tc_run *r);
void tc_pool_free(tc_pool *p);
/* The CTAs from..to-1. Sets apart where tc_sim_execute would start others beside
 * one, which waits or takes long. False: cancelled; who is left is live. */
bool tc_pool_execute(tc_pool *p, uint32_t from, uint32_t to);
uint32_t tc_pool_live(const tc_pool *p, tc_cta *const **live);

/* deadlock.c: nobody of n CTAs can go on; so many clusters have not started
 * because the machine is full. */
void tc_sim_deadlock(tc_run *r, tc_cta *const *ctas, uint32_t n,
                     uint32_t unstarted);
/* Ends the run from outside; the result says where everybody was. */
void tc_sim_cancelled(tc_run *r, tc_cta *const *ctas, uint32_t n);

/* state.c: a CTA starts in a launch that stops. */
void tc_state_begin(tc_cta *c);
void tc_state_reached(tc_warp *w);
/* Copies what these CTAs hold, and stops the run. */
void tc_state_capture(tc_run *r, tc_cta *const *ctas, uint32_t n);

#endif

/* launch.h - what the files of the public face share. */
#ifndef TC_SIM_LAUNCH_H
#define TC_SIM_LAUNCH_H

#include "sim/core/run.h"

extern const tc_hooks tc_sim_hooks; /* hooks.c */

/* code.c: r->code, from the module. */
void tc_code_make(tc_run *r);

uint64_t tc_dynamic_base(const tc_run *r); /* of dynamic shared memory */
const tc_machine *tc_machine_find(const char *name);

/* execute.c */
void tc_sim_execute(tc_run *r);
uint64_t tc_resident_ctas(tc_run *r); /* that the machine holds at once */

/* deadlock.c: nobody of n CTAs can go on; so many clusters have not started
 * because the machine is full. */
void tc_sim_deadlock(tc_run *r, tc_cta *const *ctas, uint32_t n,
                     uint32_t unstarted);
/* Ends the run from outside; the result says where everybody was. */
void tc_sim_cancelled(tc_run *r, tc_cta *const *ctas, uint32_t n);

/* state.c: copies what these CTAs hold, and stops the run. */
void tc_state_capture(tc_run *r, tc_cta *const *ctas, uint32_t n);

#endif

/* stamped.h - a run once more with time stamps, on a GPU and in the simulator. */
#ifndef TC_COMMANDS_STAMPED_H
#define TC_COMMANDS_STAMPED_H

#include "run/stamps.h"
#include "runtime/device.h"
#include "session/last_run.h"

/* What a warp did, in order. A wait in a loop that asks again is one. */
typedef struct tc_stamped_step {
    const tc_stamp_place *place;
    int64_t at, after; /* cycles from the warp's first stamp on, the stamps' own
                          taken off; after: where it waits, else at */
} tc_stamped_step;

typedef struct tc_stamped_warp {
    int warp;
    tc_stamped_step *steps;
    int n;
    int64_t overhead; /* of one stamp: the less of the two between the three in
                         a row */
    bool full;        /* there were more than are kept */
} tc_stamped_warp;

typedef struct tc_stamped_run {
    tc_stamped_warp *warps;
    int n;
    bool same; /* buffers as without stamps: compared by the simulator alone */
} tc_stamped_run;

/* Runs what run has run on a device, twice, so that L2 is warm; the second time
 * counts. Everything lives in a. False with why. */
bool tc_stamped_measure(tc_arena *a, const tc_last_run *run,
                        const tc_stamped *stamped, const tc_device_vtable *v,
                        const tc_device_options *o, tc_stamped_run *out,
                        tc_gpu_complaint why);

/* Its steps as a trace: of each warp what it issued and where it waited. To be
 * freed by the caller. */
tc_trace *tc_stamped_trace(const tc_stamped_run *r);

/* The n-th step of a place in a warp, or NULL. */
const tc_stamped_step *tc_stamped_find(const tc_stamped_warp *w,
                                       const tc_stamp_place *place, int n);

#endif

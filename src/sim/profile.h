/* profile.h - what a machine's parts cost, as a file that `calibrate` writes and
 * `set profile` takes: lines NAME VALUE, # begins a comment. */
#ifndef TC_SIM_PROFILE_FILE_H
#define TC_SIM_PROFILE_FILE_H

#include "base/diag.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct tc_profile tc_profile;

/* The figures that there are: memory.def's names, then NAME.latency and
 * NAME.interval of each unit of units.def. */
int tc_profile_nnames(void);
const char *tc_profile_name(int i);
/* May a figure have that value? False too where there is no such figure. */
bool tc_profile_takes(const char *name, int64_t value);

/* Reads one for a machine of arch.def: figures that it lacks are the machine's
 * own. Reports and returns NULL: a line that is none, a figure that there is
 * not, another machine's profile. */
tc_profile *tc_profile_read(tc_arena *a, const tc_source *src, const char *arch,
                            tc_diags *diags);

/* A figure's value. */
int64_t tc_profile_get(const tc_profile *p, int i);

#endif

/* run.h - the last run, as several commands need it. */
#ifndef TC_SESSION_RUN_H
#define TC_SESSION_RUN_H

#include "session/session.h"
#include <stdio.h>

/* Runs the program in the simulator; the session's last run is replaced only by
 * a run that took place. Reports and returns false otherwise. */
bool tc_run_make(tc_session *s, tc_span at, tc_status *status);

/* The last run, or one made now. */
bool tc_need_run(tc_session *s, tc_span at, tc_status *status);

/* The reply of `run` (INTERFACE.md) for the last run: who executed, the buffers
 * after it (a list that it takes over), and how long execution took. */
json_t *tc_run_json(tc_session *s, const char *backend, json_t *buffers,
                    uint64_t wall_ns);

#endif

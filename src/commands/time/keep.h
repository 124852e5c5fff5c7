/* keep.h - runs that a session keeps by name, for `timeline` and `profile`. */
#ifndef TC_COMMANDS_TIME_KEEP_H
#define TC_COMMANDS_TIME_KEEP_H

#include "session/last_run.h"

typedef struct tc_kept {
    struct tc_kept *next;
    char *name, *kernel;
    tc_trace *trace; /* NULL: it had none */
    uint64_t cycles;
    bool timed;
    const char *model; /* of the cycles: "ptx", "sass", "none" */
    uint32_t threads;  /* of a CTA */
    tc_sim_counters counters;
    uint32_t most_threads; /* of an SM; 0: not known */
} tc_kept;

/* The run that was kept by a name, or "last": the session's last one, which is
 * copied into *last. Reports and returns NULL: there is none. */
const tc_kept *tc_keep_find(tc_session *s, const char *name, tc_span at,
                            tc_kept *last);

#endif

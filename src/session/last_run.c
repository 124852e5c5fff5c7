/* last_run.c - keeps the last run, and frees it. */
#include "session/last_run.h"

#include <stdlib.h>

void tc_run_free(tc_last_run *run) {
    if (run == NULL) {
        return;
    }
    tc_buf_free(&run->printed);
    tc_trace_free(run->trace);
    tc_sim_free(run->sim);
    tc_arena_free(run->arena);
    free(run);
}

void tc_last_exec_forget(tc_session *s) {
    if (s->last_exec.exec != NULL) {
        s->last_exec.free(s->last_exec.exec);
    }
    s->last_exec = (tc_last_exec){0};
}

void tc_run_retain(tc_session *s, tc_last_run *run) {
    if (s->program.run != run) {
        tc_run_free(s->program.run);
    }
    s->program.run = run;
    tc_last_exec_forget(s);
    s->had_findings |= run != NULL && run->result.status != TC_RUN_OK &&
                       run->result.status != TC_RUN_CANCELLED;
}

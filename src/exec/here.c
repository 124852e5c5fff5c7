/* here.c - runs a loaded program at the prompt. */
#include "exec/exec.h"
#include "load/load.h"
#include "run/run.h"
#include "run/state.h"

const tc_device_vtable *tc_exec_device(tc_backend b) {
    return b == TC_BACKEND_GPU    ? &tc_device_gpu
           : b == TC_BACKEND_BOTH ? &tc_device_both
                                  : &tc_device_sim;
}

/* A program that was ended from outside, or never began, is a command that
 * failed; of one that never began nothing is kept. */
static tc_status command_status(tc_session *s, tc_exec *e) {
    tc_buf why = TC_BUF_INIT;
    const char *hint;
    tc_program_end end = e->result.end;
    bool ran = end == TC_PROGRAM_EXITED || end == TC_PROGRAM_SIGNALLED ||
               end == TC_PROGRAM_STOPPED;
    if (!ran && tc_exec_explain(e, &why, &hint)) {
        tc_error(&s->diags, TC_NOWHERE, hint, "%s", tc_buf_text(&why));
    }
    tc_buf_free(&why);
    if (!ran && e->launches == 0 && e->nfindings == 0) {
        tc_last_exec_forget(s);
    }
    return ran                         ? TC_OK
           : end == TC_PROGRAM_NO_GPU  ? TC_NO_GPU
           : end == TC_PROGRAM_TIMEOUT ? TC_TIMEOUT
           : s->cancel == 2            ? TC_TIMEOUT
                                       : TC_FAILED;
}

tc_status tc_exec_here(tc_session *s, tc_loaded *file, const char *const *args,
                       int nargs, tc_backend backend) {
    tc_exec_request ask = {
        .args = args, .nargs = nargs, .backend = tc_exec_device(backend)};
    return command_status(s, tc_exec_run(s, file, &ask));
}

bool tc_exec_need_launch(tc_session *s, tc_loaded *file, tc_span at,
                         tc_status *status) {
    tc_exec *e = s->last_exec.exec;
    *status = TC_FAILED;
    if (e == NULL && !tc_cuda_runs(s, file, at)) {
        return false;
    }
    if (e == NULL) {
        *status = tc_exec_here(s, file, NULL, 0, s->options.backend);
        if (*status != TC_OK) {
            return false;
        }
        e = s->last_exec.exec;
    }
    if (s->program.run != NULL) {
        return true;
    }
    tc_error(&s->diags, at, NULL,
             e->launches > 0 ? "the last run was not the simulator's"
                             : "the program launched no kernel");
    *status = TC_FAILED;
    return false;
}

static tc_sim *replay(tc_session *s, const tc_last_run *run,
                      const tc_replay *how, tc_sim_result *out) {
    return run->params != NULL
               ? tc_exec_replay(s->last_exec.exec, run, how, out)
               : tc_run_replay(s, run, how, out);
}

/* Where warps have run ahead of the clock: once more, up to where they were. */
static tc_sim *up_to(tc_session *s, const tc_last_run *run, tc_replay how,
                     tc_sim *first, tc_sim_result *out) {
    if (first == NULL || how.trace || !tc_state_ahead(out->state)) {
        return first;
    }
    how.upto = out->state;
    tc_sim *second = replay(s, run, &how, out);
    tc_sim_free(first);
    return second;
}

tc_sim *tc_run_again(tc_session *s, const tc_replay *how, tc_span at,
                     tc_sim_result *out) {
    const tc_last_run *run = s->program.run;
    const char *why = run->no_state;
    bool simulated = run->sim != NULL || run->params != NULL;
    if (why == NULL && !simulated) {
        why = "the last run was not the simulator's";
    }
    if (why != NULL) {
        tc_error(&s->diags, at, NULL, "%s", why);
        return NULL;
    }
    tc_sim *again = up_to(s, run, *how, replay(s, run, how, out), out);
    if (again == NULL || out->status == TC_RUN_CANCELLED) {
        tc_error(&s->diags, at, NULL,
                 s->cancel ? "interrupted while the run was made again"
                           : "the run could not be made again");
        tc_sim_free(again);
        again = NULL;
    }
    return again;
}

/* A launch whose threads depend on what the host does meanwhile may go another
 * way. */
static bool went_same_way(const tc_last_run *run, const tc_replay *how,
                          const tc_sim_result *r) {
    return how->stops || (r->cycles == run->result.cycles &&
                          r->counters.thread_instructions ==
                              run->result.counters.thread_instructions);
}

static void record(tc_session *s, tc_last_run *run, tc_span at) {
    tc_sim_result result = {0};
    tc_replay how = {.trace = true,
                     .stops = run->result.status == TC_RUN_CANCELLED,
                     .stop_at = run->result.cycles};
    tc_sim *again = tc_run_again(s, &how, at, &result);
    if (again != NULL && !went_same_way(run, &how, &result)) {
        tc_error(&s->diags, at, NULL,
                 "the last run's events were not recorded, and made again it "
                 "went another way");
    } else if (again != NULL) {
        run->trace = tc_sim_take_trace(again);
    }
    tc_sim_free(again);
}

const tc_trace *tc_need_trace(tc_session *s, tc_span at, tc_status *status) {
    if (!tc_need_run(s, at, status)) {
        return NULL;
    }
    tc_last_run *run = s->program.run;
    int errors = s->diags.errors;
    if (run->trace == NULL && run->used.trace) {
        record(s, run, at);
    }
    if (run->trace != NULL && run->trace->n > 0) {
        return run->trace;
    }
    if (s->diags.errors == errors) {
        tc_error(&s->diags, at, "`set trace on`, then `run`",
                 "the last run recorded no events");
    }
    *status = s->cancel == 2 ? TC_TIMEOUT : TC_FAILED;
    return NULL;
}

bool tc_need_run(tc_session *s, tc_span at, tc_status *status) {
    if (s->program.run != NULL) {
        return true;
    }
    tc_loaded *program = tc_cuda_newest(s);
    if (program != NULL) {
        return tc_exec_need_launch(s, program, at, status);
    }
    if (s->program.func == NULL && s->nfiles > 0) {
        tc_error(&s->diags, at, "`help launch` shows how",
                 "no kernel has been launched yet");
        *status = TC_FAILED;
        return false;
    }
    return tc_run_make(s, true, at, status);
}

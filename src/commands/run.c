/* run.c - run and findings. */
#include "commands/commands.h"
#include "commands/report/report.h"
#include "explain/explain.h"
#include "explain/finding.h"
#include "load/load.h"

#include <string.h>

/* A run that was ended from outside: by whom, and what it was doing. */
static void report_stopped(tc_session *s) {
    const tc_sim_result *res = &s->program.run->result;
    bool limit = s->cancel == 2;
    const tc_wait_list *where = res->where;
    int more = where != NULL && where->n > 0 ? where->n + where->more - 1 : 0;
    tc_buf at = TC_BUF_INIT;
    if (where == NULL) { /* nothing ran yet */
        tc_error(&s->diags, TC_NOWHERE, NULL,
                 "%s while the kernel's code was made ready",
                 limit ? "stopped by the time limit" : "interrupted");
        return;
    }
    tc_waiter_text(where, false, s->program.run->arena, &at);
    if (more > 0) {
        tc_buf_printf(&at, "; and %d more group%s of lanes", more,
                      more == 1 ? "" : "s");
    }
    tc_error(&s->diags, TC_NOWHERE,
             limit ? "does a loop never end? --timeout SECONDS allows more"
                   : NULL,
             "%s after %llu cycles, with the program still running: %s",
             limit ? "stopped by the time limit" : "interrupted",
             (unsigned long long)res->cycles, tc_buf_text(&at));
    tc_buf_free(&at);
}

tc_status tc_run_answer(tc_session *s, tc_reply *r) {
    const tc_last_run *run = s->program.run;
    if (run->result.status == TC_RUN_CANCELLED) {
        report_stopped(s);
        return TC_FAILED;
    }
    if (s->options.json) {
        r->json = tc_run_json(s, "sim", tc_run_buffers_json(run),
                              run->result.wall_ns);
    } else {
        tc_run_text(s, &r->text);
    }
    return TC_OK;
}

tc_status tc_cmd_run(tc_session *s, const tc_command_args *args, tc_reply *r) {
    tc_backend b = s->options.backend;
    tc_status status;
    tc_loaded *program = tc_cuda_newest(s);
    if (program != NULL &&
        strcmp(program->cuda->arch, tc_session_arch(s)) != 0) {
        const char *path = program->source->name; /* built for another */
        status = tc_load_again(s, path, args->span);
        program = tc_cuda_newest(s);
        if (status != TC_OK || program == NULL) {
            return status;
        }
    }
    if (program != NULL) {
        return tc_exec_command(s, program, args, b, r);
    }
    if (args->n > 0) {
        tc_error(&s->diags, args->span,
                 "those of a .cu's main: load one, then run again",
                 "run takes no arguments");
        return TC_USAGE;
    }
    if (!tc_run_make(s, b != TC_BACKEND_GPU, args->span, &status)) {
        return status;
    }
    return b == TC_BACKEND_SIM ? tc_run_answer(s, r)
                               : tc_run_gpu(s, args->span, r);
}

void tc_findings_answer(tc_session *s, json_t *list, tc_reply *r) {
    if (s->options.json) {
        r->json = json_pack("{s:o}", "findings", list);
        return;
    }
    tc_finding_lines(list, &r->text);
    json_decref(list);
}

/* The program of a .cu that the last run is of, or that would be run now. */
static bool is_program(tc_session *s, tc_loaded *program) {
    return s->last_exec.exec != NULL ||
           (program != NULL && s->program.run == NULL);
}

static bool need_own_run(tc_session *s, tc_span at, tc_status *status) {
    if (!tc_need_run(s, at, status)) {
        return false;
    }
    if (s->program.run->module == NULL) {
        tc_error(&s->diags, at, NULL, "a loaded trace has no findings");
        *status = TC_FAILED;
        return false;
    }
    return true;
}

json_t *tc_need_findings(tc_session *s, tc_span at, tc_status *status) {
    tc_loaded *program = tc_cuda_newest(s);
    *status = TC_OK;
    if (!is_program(s, program)) {
        return need_own_run(s, at, status) ? tc_findings_json(s) : NULL;
    }
    if (s->last_exec.exec == NULL) {
        *status = tc_cuda_runs(s, program, at)
                      ? tc_exec_here(s, program, NULL, 0, s->options.backend)
                      : TC_FAILED;
    }
    return s->last_exec.exec != NULL && *status == TC_OK
               ? tc_exec_findings_json(s->last_exec.exec)
               : NULL;
}

tc_status tc_cmd_findings(tc_session *s, const tc_command_args *args,
                          tc_reply *r) {
    tc_status status;
    tc_loaded *program = tc_cuda_newest(s);
    bool lines = tc_value_of(args, "--lines") != NULL;
    if (is_program(s, program)) {
        return tc_exec_findings_command(s, program, lines, r);
    }
    if (!need_own_run(s, args->span, &status)) {
        return status;
    }
    if (s->options.json || lines) {
        tc_findings_answer(s, tc_findings_json(s), r);
    } else {
        tc_run_findings_text(s, &r->text);
    }
    return TC_OK;
}

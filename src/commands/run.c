/* run.c - run and findings. */
#include "commands/commands.h"
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

tc_status tc_cmd_findings(tc_session *s, const tc_command_args *args,
                          tc_reply *r) {
    tc_status status;
    tc_loaded *program = tc_cuda_newest(s);
    if (s->last_exec.exec != NULL ||
        (program != NULL && s->program.run == NULL)) {
        return tc_exec_findings_command(s, program, r);
    }
    if (!tc_need_run(s, args->span, &status)) {
        return status;
    }
    if (s->program.run->module == NULL) {
        tc_error(&s->diags, args->span, NULL, "a loaded trace has no findings");
        return TC_FAILED;
    }
    if (s->options.json) {
        r->json = json_pack("{s:o}", "findings", tc_findings_json(s));
    } else {
        tc_run_findings_text(s, &r->text);
    }
    return TC_OK;
}

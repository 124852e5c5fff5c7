/* keep.c - keeps the last run by a name. */
#include "commands/time/keep.h"
#include "commands/commands.h"
#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>

static void free_one(tc_kept *k) {
    tc_trace_free(k->trace);
    free(k->name);
    free(k->kernel);
    free(k);
}

static void free_all(tc_kept *k) {
    while (k != NULL) {
        tc_kept *next = k->next;
        free_one(k);
        k = next;
    }
}

/* What the last run is, its texts and trace borrowed. */
static tc_kept describe(const tc_session *s) {
    const tc_last_run *run = s->program.run;
    tc_sim_facts facts = {0};
    if (run->sim != NULL) {
        tc_sim_facts_of(run->sim, &facts);
    }
    bool cuda = run->file != NULL && run->file->cuda != NULL;
    return (tc_kept){.kernel =
                         cuda ? (char *)tc_kernel_full(run->arena, run->entry)
                              : (char *)run->entry,
                     .name = "last",
                     .trace = run->trace,
                     .cycles = run->result.cycles,
                     .timed = run->used.timing,
                     .model = tc_clock_model_name(
                         tc_clock_model_of(run->used.timing, &run->result)),
                     .threads = run->block[0] * run->block[1] * run->block[2],
                     .counters = run->result.counters,
                     .most_threads = facts.threads_sm};
}

/* A trace of its own, through its file's text. */
static tc_trace *copy_trace(const tc_trace *t) {
    tc_buf text = TC_BUF_INIT;
    tc_diags quiet = {0};
    tc_trace_save(t, &text);
    tc_source source = {"kept", tc_buf_text(&text), text.len, 1};
    tc_trace *copy = tc_trace_load(&source, &quiet);
    tc_buf_free(&text);
    return copy;
}

const tc_kept *tc_keep_find(tc_session *s, const char *name, tc_span at,
                            tc_kept *last) {
    for (const tc_kept *k = s->kept_runs; k != NULL; k = k->next) {
        if (strcmp(k->name, name) == 0) {
            return k;
        }
    }
    if (strcmp(name, "last") == 0 && s->program.run != NULL) {
        tc_trace_describe(s);
        *last = describe(s);
        return last;
    }
    tc_error(&s->diags, at, "`run`, then `keep NAME`; the last run is `last`",
             "no run was kept as '%s'", name);
    return NULL;
}

static void forget(tc_session *s, const char *name) {
    for (tc_kept **p = &s->kept_runs; *p != NULL; p = &(*p)->next) {
        if (strcmp((*p)->name, name) == 0) {
            tc_kept *gone = *p;
            *p = gone->next;
            free_one(gone);
            return;
        }
    }
}

tc_status tc_cmd_keep(tc_session *s, const tc_command_args *args, tc_reply *r) {
    tc_status status;
    const char *name = tc_value_of(args, "NAME")->text;
    if (strcmp(name, "last") == 0) {
        tc_error(&s->diags, args->span, "keep before",
                 "'last' is the last run's own name");
        return TC_USAGE;
    }
    if (!tc_need_run(s, args->span, &status)) {
        return status;
    }
    if (s->program.run->used.trace &&
        tc_need_trace(s, args->span, &status) == NULL) {
        return status;
    }
    tc_trace_describe(s);
    tc_kept *k = tc_xcalloc(1, sizeof *k);
    *k = describe(s);
    k->name = tc_xstrdup(name);
    k->kernel = tc_xstrdup(k->kernel != NULL ? k->kernel : "");
    k->trace = k->trace != NULL ? copy_trace(k->trace) : NULL;
    forget(s, name);
    k->next = s->kept_runs;
    s->kept_runs = k;
    s->kept_runs_free = free_all;
    if (s->options.json) {
        r->json = json_pack("{s:s,s:s}", "name", k->name, "kernel", k->kernel);
    } else {
        bool named = k->kernel[0] != '\0';
        tc_buf_printf(&r->text, "the run%s%s is kept as %s\n",
                      named ? " of " : "", k->kernel, k->name);
    }
    return TC_OK;
}

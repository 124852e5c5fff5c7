/* session.c - the life of a session, and what clients ask it. */
#include "session/session.h"
#include "base/arch.h"
#include "gpu/gpu.h"
#include "session/last_run.h"
#include "session/loaded.h"
#include "session/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tc_options tc_options_default(void) {
    return (tc_options){.width = 80};
}

/* --- diagnostics -----------------------------------------------------------*/

/* A copy without the folder, wherever it stands; the text itself if it does not.
 * *own: to be freed. */
static const char *without(const char *text, const char *folder, char **own) {
    *own = NULL;
    if (folder == NULL || text == NULL || strstr(text, folder) == NULL) {
        return text;
    }
    size_t n = strlen(folder);
    *own = tc_xstrdup(text);
    for (char *at = *own; (at = strstr(at, folder)) != NULL;) {
        memmove(at, at + n, strlen(at + n) + 1);
    }
    return *own;
}

/* In a lesson its files are named as its pages name them. */
static void tell(tc_session *s, tc_diag d) {
    char *file, *message;
    d.file = without(d.file, s->own_folder, &file);
    d.message = without(d.message, s->own_folder, &message);
    s->diag(s->user, &d);
    free(file);
    free(message);
}

/* Stands between the library and the client: in JSON mode diagnostics become
 * part of the reply instead. */
static void on_diag(void *user, const tc_diag *d) {
    tc_session *s = user;
    if (!s->options.json) {
        if (s->diag != NULL) {
            tell(s, *d);
        }
        return;
    }
    if (d->severity == TC_ERROR) {
        if (s->first_error == NULL) {
            s->first_error = tc_error_json(d);
        }
        return;
    }
    if (s->notes == NULL) {
        s->notes = json_array();
    }
    json_array_append_new(s->notes, json_string(d->message));
}

/* The GPU is not ours yet. */
static void on_wait(void *user, const char *why) {
    tc_diag d = {.severity = TC_NOTE, .code = TC_CODE_WAITING, .message = why};
    on_diag(user, &d);
}

/* --- life ------------------------------------------------------------------*/

const char *tc_session_arch(const tc_session *s) {
    return s->options.arch != NULL ? s->options.arch : tc_arch_names[0];
}

static bool known_arch(const char *name) {
    for (const char *const *a = tc_sim_archs(); *a != NULL; a++) {
        if (strcmp(*a, name) == 0) {
            return true;
        }
    }
    return false;
}

tc_session *tc_session_new(const tc_options *options, tc_diag_fn diag,
                           tc_output_fn output, void *user) {
    if (options->arch != NULL && !known_arch(options->arch)) {
        tc_diags d = {diag, user, 0};
        tc_buf known = TC_BUF_INIT;
        tc_arch_list(&known);
        tc_error(&d, TC_NOWHERE, tc_buf_text(&known), "unknown arch '%s'",
                 options->arch);
        tc_buf_free(&known);
        return NULL;
    }
    json_set_alloc_funcs(tc_xmalloc, free);
    tc_session *s = tc_xcalloc(1, sizeof *s);
    s->options = *options;
    s->diag = diag;
    s->output = output;
    s->user = user;
    s->diags = (tc_diags){on_diag, s, 0};
    s->arena = tc_arena_new();
    s->tree = tc_arena_new();
    s->env = tc_env_new(s->arena);
    tc_settings_reset(s);
    s->options.arch =
        options->arch; /* NULL: PTX for the least that has it all */
    if (options->threads > 0) {
        s->options.threads = options->threads;
    }
    if (options->width > 0) {
        s->options.width = options->width;
    }
    s->asked = tc_arena_new();
    s->recording = true;
    s->gpu = tc_gpu_host_new();
    tc_gpu_host_runner(s->gpu, options->runner);
    tc_gpu_host_listen(s->gpu, on_wait, s, &s->cancel);
    return s;
}

void tc_session_free(tc_session *s) {
    if (s == NULL) {
        return;
    }
    tc_last_exec_forget(s);
    if (s->course != NULL) {
        s->course_free(s->course);
    }
    free(s->own_folder);
    if (s->kept_runs != NULL) {
        s->kept_runs_free(s->kept_runs);
    }
    tc_arena_free(s->asked);
    tc_buf_free(&s->script);
    free(s->exercise);
    free(s->test_path);
    free(s->test_name);
    tc_program_clear(&s->program);
    tc_arena_free(s->program.arena);
    for (int i = 0; i < s->nfiles; i++) {
        tc_loaded_free(s->files[i]);
    }
    tc_session_release(s);
    tc_gpu_host_free(s->gpu);
    json_decref(s->first_error);
    json_decref(s->notes);
    tc_arena_free(s->tree);
    tc_arena_free(s->arena);
    free(s);
}

/* --- what clients ask ------------------------------------------------------*/

bool tc_session_wants_more(const tc_session *s, const char *text) {
    (void)s;
    return tc_parse_wants_more(text);
}

bool tc_session_finished(const tc_session *s) {
    return s->finished;
}

bool tc_session_had_findings(const tc_session *s) {
    return s->had_findings;
}

const char *tc_session_program(const tc_session *s) {
    return s->program.func ? s->program.func->name : NULL;
}

void tc_session_set_width(tc_session *s, int width) {
    s->options.width = width > 0 ? width : 80;
}

void tc_session_set_height(tc_session *s, int height) {
    s->options.height = height > 0 ? height : 0;
}

tc_client_request tc_session_request(const tc_session *s) {
    return s->request;
}

void tc_session_interrupt(tc_session *s, bool timeout) {
    s->cancel = timeout ? 2 : 1;
    if (s->inner != NULL) {
        s->inner->cancel = s->cancel;
    }
}

bool tc_session_interrupted(const tc_session *s) {
    return s->cancel != 0;
}

const tc_trace *tc_session_trace(const tc_session *s) {
    return s->program.run ? s->program.run->trace : NULL;
}

const char *tc_session_no_state(const tc_session *s) {
    return s->program.run ? s->program.run->no_state : NULL;
}

bool tc_session_wants_timeline(tc_session *s) {
    return s->wants_timeline;
}

const char *tc_session_timeline_at(const tc_session *s) {
    return s->timeline_at[0] != '\0' ? s->timeline_at : NULL;
}

const tc_trace *tc_session_compared(const tc_session *s, int which,
                                    const char **name) {
    *name = s->compared[which].name;
    return s->compared[which].trace;
}

const char *tc_session_source_line(const tc_session *s, int line, int *len) {
    const tc_func *f = s->program.func;
    const tc_source *src = s->program.run ? s->program.run->source
                           : f            ? f->source
                                          : NULL;
    return tc_describe_line(src, line, len);
}

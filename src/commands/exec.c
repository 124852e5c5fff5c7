/* exec.c - run, gpu, findings and ptx where a .cu is loaded; and a program
 * that is executed once, for `exec`. */
#include "base/cancel.h"
#include "base/file.h"
#include "commands/commands.h"
#include "commands/report/report.h"
#include "explain/explain.h"
#include "load/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- at the prompt ---------------------------------------------------------*/

static void add_ending(const tc_exec *e, tc_buf *b) {
    tc_buf why = TC_BUF_INIT;
    const char *hint;
    if (tc_exec_explain(e, &why, &hint)) {
        tc_buf_puts(b, "  ");
        tc_describe_wrapped(b, tc_buf_text(&why), 2, 2,
                            e->session->options.width);
    }
    tc_buf_free(&why);
}

static json_t *reply_json(tc_exec *e) {
    json_t *j = tc_exec_json(e);
    json_object_set_new(j, "buffers", json_array());
    if (e->printed != NULL) {
        json_object_set_new(j, "stdout", tc_text_json(e->printed, e->nprinted));
        if (e->unprinted > 0) {
            json_object_set_new(j, "stdout_left_out",
                                json_integer((json_int_t)e->unprinted));
        }
    }
    return j;
}

tc_status tc_exec_command(tc_session *s, tc_loaded *file,
                          const tc_command_args *args, tc_backend backend,
                          tc_reply *r) {
    if (!tc_cuda_runs(s, file, args->span)) {
        return TC_FAILED;
    }
    tc_status status = tc_exec_here(s, file, args->tokens, args->n, backend);
    tc_exec *e = s->last_exec.exec; /* NULL: it never began */
    if (s->options.json && status == TC_OK) {
        r->json = reply_json(e);
    } else if (status == TC_OK) {
        tc_exec_text(e, &r->text);
        add_ending(e, &r->text);
        tc_run_offer_timeline(s, &r->text);
    }
    return status;
}

tc_status tc_exec_findings_command(tc_session *s, tc_loaded *file, bool lines,
                                   tc_reply *r) {
    tc_status status = TC_OK;
    if (s->last_exec.exec == NULL && !tc_cuda_runs(s, file, TC_NOWHERE)) {
        return TC_FAILED;
    }
    if (s->last_exec.exec == NULL) {
        status = tc_exec_here(s, file, NULL, 0, s->options.backend);
    }
    tc_exec *e = s->last_exec.exec;
    if (e == NULL || status != TC_OK) {
        return status;
    }
    if (s->options.json || lines) {
        tc_findings_answer(s, tc_exec_findings_json(e), r);
        return TC_OK;
    }
    tc_exec_findings_text(e, &r->text);
    if (r->text.len == 0) {
        tc_buf_puts(&r->text, s->hazards ? "  no findings\n"
                                         : "  hazards were off: nothing was "
                                           "checked\n");
    }
    tc_run_offer_timeline(s, &r->text);
    return TC_OK;
}

/* --- ptx -------------------------------------------------------------------*/

/* The bytes of a function from its heading on, to the brace that ends it.
 * Comments, which may have braces too, begin with two slashes. */
static size_t body_length(const char *text) {
    int depth = 0;
    bool begun = false;
    const char *p = text;
    for (; *p != '\0' && (!begun || depth > 0); p++) {
        if (p[0] == '/' && p[1] == '/') {
            p += strcspn(p, "\n");
            if (*p == '\0') {
                break;
            }
        }
        depth += (*p == '{') - (*p == '}');
        begun |= *p == '{';
    }
    p += *p == '\n';
    return (size_t)(p - text);
}

/* Where the line that has ".entry NAME(" begins, or NULL. */
static const char *heading(const char *text, const char *name) {
    size_t n = strlen(name);
    for (const char *p = text; (p = strstr(p, ".entry ")) != NULL; p++) {
        const char *word = p + strlen(".entry ");
        word += strspn(word, " \t");
        if (strncmp(word, name, n) == 0 && strchr("( \t\n", word[n])) {
            while (p > text && p[-1] != '\n') {
                p--;
            }
            return p;
        }
    }
    return NULL;
}

void tc_cuda_kernel_text(const tc_loaded *f, const tc_ptx_func *kernel,
                         bool source, tc_buf *out) {
    tc_buf all = TC_BUF_INIT;
    if (source) {
        tc_loaded_interleave(f, &all);
    } else {
        tc_buf_puts(&all, f->text->text);
    }
    const char *begin = heading(tc_buf_text(&all), kernel->name);
    if (begin != NULL) {
        tc_buf_write(out, begin, body_length(begin));
    }
    tc_buf_free(&all);
}

/* --- exec ------------------------------------------------------------------*/

/* Stands between a session and its client: what is wrong with a program that
 * cannot be built goes into the report too. */
typedef struct exec_listener {
    tc_diag_fn diag;
    tc_output_fn output;
    void *user;
    tc_buf said;
} exec_listener;

static void listen(void *user, const tc_diag *d) {
    exec_listener *l = user;
    if (d->severity == TC_ERROR || d->severity == TC_VERBATIM) {
        tc_buf_puts(&l->said, d->message);
        tc_buf_puts(&l->said, "\n");
    }
    if (l->diag != NULL) {
        l->diag(l->user, d);
    }
}

static void pass_on(void *user, const char *text, size_t len) {
    exec_listener *l = user;
    if (l->output != NULL) {
        l->output(l->user, text, len);
    }
}

/* Loads it, with its errors in *said. */
static tc_status load(tc_session *s, const char *path, tc_buf *said) {
    exec_listener l = {s->diag, s->output, s->user, TC_BUF_INIT};
    s->diag = listen;
    s->output = pass_on;
    s->user = &l;
    tc_status status = tc_file_is_elf(path) ? tc_cuda_load_program(s, path)
                                            : tc_session_load(s, path);
    s->diag = l.diag;
    s->output = l.output;
    s->user = l.user;
    *said = l.said;
    return status;
}

/* What there is to report where the program could not be built. */
static json_t *refused_json(tc_status status, const char *fault,
                            const char *backend, const tc_buf *said) {
    return json_pack("{s:i,s:s,s:s,s:s,s:[],s:[],s:i,s:o}", "exit", (int)status,
                     "status", "refused", "fault", fault, "backend", backend,
                     "kernels", "findings", "wall_ns", 0, "error",
                     tc_text_json(tc_buf_text(said), said->len));
}

static bool write_all(int fd, const char *text, size_t n) {
    while (n > 0) {
        ssize_t w = write(fd, text, n);
        if (w < 0 && errno != EINTR) {
            return false;
        }
        text += w > 0 ? w : 0;
        n -= w > 0 ? (size_t)w : 0;
    }
    return true;
}

static bool put_sarif(int fd, const json_t *report) {
    tc_buf b = TC_BUF_INIT;
    const char *why = json_string_value(json_object_get(report, "why"));
    const char *error = json_string_value(json_object_get(report, "error"));
    tc_sarif(json_object_get(report, "findings"), why ? why : error, &b);
    bool ok = write_all(fd, b.data, b.len);
    tc_buf_free(&b);
    return ok;
}

/* Takes over the report. */
static bool put_report(tc_session *s, const tc_exec_options *o, json_t *j) {
    bool ok = o->sarif <= 0 || put_sarif(o->sarif, j);
    if (o->report >= 0) {
        char *text = json_dumps(j, JSON_INDENT(1));
        ok &= text != NULL && write_all(o->report, text, strlen(text)) &&
              write_all(o->report, "\n", 1);
        free(text);
    }
    if (!ok) {
        tc_error(&s->diags, TC_NOWHERE, NULL, "cannot write the report: %s",
                 strerror(errno));
    }
    json_decref(j);
    return ok;
}

static void say_findings(tc_session *s, tc_exec *e, bool lines) {
    tc_buf b = TC_BUF_INIT;
    if (lines) {
        json_t *all = tc_exec_findings_json(e);
        tc_finding_lines(all, &b);
        json_decref(all);
    } else {
        tc_exec_findings_text(e, &b);
    }
    if (s->output != NULL && b.len > 0) {
        s->output(s->user, b.data, b.len);
    }
    tc_buf_free(&b);
}

static void say_ending(tc_session *s, const tc_exec *e) {
    tc_buf why = TC_BUF_INIT;
    const char *hint;
    if (tc_exec_explain(e, &why, &hint)) {
        tc_error(&s->diags, TC_NOWHERE, hint, "%s", tc_buf_text(&why));
    }
    tc_buf_free(&why);
}

/* ptxas is a compiler too: what it takes is not the program's. A graded program
 * that is too much for it is not run, nor is one while ptxas does not run: how
 * many registers a kernel takes decides what launches there are. */
static bool count_registers(tc_session *s, const tc_loaded *file,
                            const tc_exec_options *o, tc_status *status,
                            tc_buf *said) {
    if (!o->limits && tc_exec_asks_each(file)) {
        return true;
    }
    char why[512] = "";
    tc_build_status b = tc_exec_ask_registers(file, why, sizeof why);
    if (b == TC_BUILD_CANCELLED) {
        s->fault = s->cancel == 2 ? "limit" : "interrupt";
        *status = s->cancel == 2 ? TC_TIMEOUT : TC_FAILED;
    } else if (b == TC_BUILD_LIMITED && o->limits) {
        s->fault = "limit";
        *status = TC_REJECTED;
    } else if (b == TC_BUILD_MACHINE && o->limits) {
        s->fault = "machine";
        *status = TC_MACHINE;
    } else {
        return true;
    }
    tc_error(&s->diags, TC_NOWHERE, NULL, "'%s' cannot be built: %s", o->path,
             *status == TC_TIMEOUT ? "the time limit has passed" : why);
    tc_buf_printf(said, "%s\n", why);
    return false;
}

/* The program to be run, or NULL with the status, and why in said. */
static tc_loaded *build(tc_session *s, const tc_exec_options *o,
                        const tc_device_vtable *device, tc_status *status,
                        tc_buf *said) {
    s->building = o;
    s->fault = NULL;
    *status = load(s, o->path, said);
    s->building = NULL;
    tc_loaded *file = *status == TC_OK ? tc_cuda_newest(s) : NULL;
    if (file != NULL && !tc_cuda_runs(s, file, TC_NOWHERE)) {
        tc_buf_puts(said, "there is no main function\n");
        *status = TC_REJECTED;
        return NULL;
    }
    if (file != NULL && device != &tc_device_gpu && file->module->nfuncs > 0 &&
        !count_registers(s, file, o, status, said)) {
        return NULL;
    }
    return file;
}

static int exec_file(tc_session *s, const tc_exec_options *o) {
    const tc_device_vtable *device = tc_exec_device(s->options.backend);
    tc_buf said;
    tc_status status;
    tc_loaded *file = build(s, o, device, &status, &said);
    if (file == NULL) {
        const char *fault = s->fault != NULL ? s->fault : "source";
        put_report(s, o, refused_json(status, fault, device->name, &said));
        tc_buf_free(&said);
        return status != TC_OK ? (int)status : TC_FAILED;
    }
    tc_buf_free(&said);
    tc_exec_request ask = {.args = o->args,
                           .backend = device,
                           .pedantic = o->pedantic,
                           .timing = o->timing,
                           .alone = true,
                           .in = o->in,
                           .out = o->out,
                           .err = o->err,
                           .taken = o->taken,
                           .memory = o->memory,
                           .task = o->task,
                           .sandbox = o->sandbox,
                           .timeout_s = s->options.timeout_s};
    while (o->args != NULL && o->args[ask.nargs] != NULL) {
        ask.nargs++;
    }
    s->suppressions = s->suppressions && !o->no_suppressions;
    tc_exec *e = tc_exec_run(s, file, &ask);
    int result = tc_exec_status(e);
    if (!o->quiet) {
        say_findings(s, e, o->lines);
    }
    say_ending(s, e);
    bool reported = put_report(s, o, tc_exec_json(e));
    return result == 0 && !reported ? (int)TC_FAILED : result;
}

int tc_session_exec(tc_session *s, const tc_exec_options *o) {
    const atomic_int *before = tc_cancel_by(&s->cancel);
    int status = exec_file(s, o);
    tc_cancel_by(before);
    return status;
}

/* graded.c - `tilecopy-repl grade`: the verdict goes to standard output or to a
 * file, all else to standard error. */
#include "repl/graded.h"

#include "base/buf.h"
#include "base/file.h"
#include "grade/grade.h"
#include "grade/kit.h"
#include "repl/print.h"
#include "repl/signals.h"
#include "repl/terminal/progress.h"
#include <stdio.h>
#include <string.h>

typedef struct writer {
    tc_printer printer; /* of diagnostics */
    bool kept;          /* for a file */
    tc_buf text;
} writer;

static void on_diag(void *user, const tc_diag *d) {
    const writer *w = user;
    tc_progress_line_hide();
    tc_print_diag(&w->printer, d);
}

static void on_output(void *user, const char *text, size_t n) {
    writer *w = user;
    if (w->kept) {
        tc_buf_write(&w->text, text, n);
    } else {
        tc_progress_line_hide();
        fwrite(text, 1, n, stdout);
    }
}

static tc_status cannot_write(const writer *w, const char *path,
                              const char *why) {
    char message[512];
    snprintf(message, sizeof message, "cannot write '%s': %s", path, why);
    tc_diag d = {.severity = TC_ERROR, .message = message};
    tc_print_diag(&w->printer, &d);
    return TC_MACHINE;
}

static bool put_file(writer *w, const char *path) {
    char why[TC_FILE_WHY];
    bool ok =
        tc_file_write(path, tc_buf_text(&w->text), w->text.len, NULL, why);
    if (!ok) {
        cannot_write(w, path, why);
    }
    return ok;
}

static tc_status grade(const tc_cli *cli, writer *w) {
    const char *format = cli->grade.format   ? cli->grade.format
                         : cli->session.json ? "json"
                                             : NULL;
    tc_grade_options o = {.exercise = cli->grade.exercise,
                          .path = cli->grade.submission,
                          .format = format,
                          .session = cli->session,
                          .has_timeout = cli->has_timeout,
                          .has_seed = cli->has_seed,
                          .seed = cli->session.seed,
                          .sandbox = cli->grade.sandbox,
                          .color = !w->kept && tc_cli_color(cli, 1)};
    o.session.json = false;
    o.outer = tc_session_new(&o.session, on_diag, on_output, w);
    if (o.outer == NULL) {
        return TC_USAGE;
    }
    if (w->kept &&
        !cli->grade.all) { /* until there is a verdict: so that there is one */
        tc_grade_unfinished(&o, on_output, w);
        put_file(w, cli->grade.output);
        tc_buf_clear(&w->text);
    }
    tc_signals_take_endings(false);
    tc_signals_begin(o.outer, 0, true);
    tc_class_options all = {.each = o,
                            .jobs = cli->grade.jobs,
                            .shard = cli->grade.shard,
                            .shards = cli->grade.shards,
                            .program = "tilecopy-repl"};
    all.each.path = cli->grade.all;
    tc_progress_line_begin();
    tc_status status = cli->grade.all
                           ? tc_grade_class(&all, on_diag, on_output, w)
                           : tc_grade(&o, on_diag, on_output, w);
    tc_progress_line_end();
    tc_signals_end();
    tc_session_free(o.outer);
    return status;
}

/* `exercise new NAME`, `exercise check NAME`, `exercise gradescope NAME`. */
static tc_status exercise(const tc_cli *cli, writer *w) {
    tc_options session = cli->session;
    session.json = false;
    if (strcmp(cli->exercise.word, "new") == 0) {
        return tc_exercise_new(cli->exercise.name, on_diag, on_output, w);
    }
    if (tc_kit_is(cli->exercise.word)) {
        return tc_kit_make(cli->exercise.word, cli->exercise.name, on_diag,
                           on_output, w);
    }
    tc_session *outer = tc_session_new(&session, on_diag, on_output, w);
    if (outer == NULL) {
        return TC_USAGE;
    }
    tc_signals_take_endings(false);
    tc_signals_begin(outer, 0, true);
    tc_status status = tc_exercise_check(cli->exercise.name, &session, outer,
                                         on_diag, on_output, w);
    tc_signals_end();
    tc_session_free(outer);
    return status;
}

tc_status tc_graded_main(const tc_cli *cli) {
    const char *path = cli->grade.output;
    char why[TC_FILE_WHY];
    writer w = {
        .printer = {.out = stderr, .color = tc_cli_color(cli, 2), .width = 80},
        .kept = path != NULL};
    if (cli->exercise.asked) {
        return exercise(cli, &w);
    }
    if (path != NULL && !tc_file_writable(path, why)) {
        return cannot_write(&w, path, why);
    }
    tc_status status = grade(cli, &w);
    if (path == NULL && (fflush(stdout) != 0 || ferror(stdout))) {
        status = TC_MACHINE; /* main says it */
    } else if (path != NULL && w.text.len > 0 && !put_file(&w, path)) {
        status = TC_MACHINE;
    }
    tc_buf_free(&w.text);
    return status;
}

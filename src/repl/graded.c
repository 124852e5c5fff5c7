/* graded.c - `tilecopy-repl grade`: the verdict goes to standard output or to a
 * file, all else to standard error. */
#include "repl/graded.h"

#include "grade/grade.h"
#include "repl/print.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
    tc_printer printer; /* of diagnostics */
    FILE *out;
} writer;

static void on_diag(void *user, const tc_diag *d) {
    const writer *w = user;
    tc_print_diag(&w->printer, d);
}

static void on_output(void *user, const char *text, size_t n) {
    const writer *w = user;
    fwrite(text, 1, n, w->out);
}

static tc_status cannot_write(const writer *w, const char *path) {
    char message[512];
    snprintf(message, sizeof message, "cannot write '%s': %s", path,
             strerror(errno));
    tc_diag d = {.severity = TC_ERROR, .message = message};
    tc_print_diag(&w->printer, &d);
    return TC_FAILED;
}

tc_status tc_graded_main(const tc_cli *cli) {
    const char *path = cli->grade.output;
    writer w = {
        .printer = {.out = stderr, .color = tc_cli_color(cli, 2), .width = 80},
        .out = path ? fopen(path, "w") : stdout};
    if (w.out == NULL) {
        return cannot_write(&w, path);
    }
    const char *format = cli->grade.format   ? cli->grade.format
                         : cli->session.json ? "json"
                                             : NULL;
    tc_grade_options o = {.exercise = cli->grade.exercise,
                          .path = cli->grade.submission,
                          .format = format,
                          .session = cli->session,
                          .has_seed = cli->has_seed,
                          .seed = cli->session.seed};
    o.session.json = false;
    o.session.timeout_s =
        cli->has_timeout ? cli->session.timeout_s : TC_GRADE_LIMIT_S;
    tc_status status = tc_grade(&o, on_diag, on_output, &w);
    if (path != NULL && fclose(w.out) != 0) {
        status = cannot_write(&w, path);
    }
    return status;
}

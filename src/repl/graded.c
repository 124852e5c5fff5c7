/* graded.c - `tilecopy-repl grade`: the verdict goes to standard output or to a
 * file, all else to standard error. */
#include "repl/graded.h"

#include "grade/grade.h"
#include "repl/print.h"
#include "repl/signals.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct writer {
    tc_printer printer; /* of diagnostics */
    FILE *out;
    int error; /* errno of the first write that failed */
} writer;

static void on_diag(void *user, const tc_diag *d) {
    const writer *w = user;
    tc_print_diag(&w->printer, d);
}

static void on_output(void *user, const char *text, size_t n) {
    writer *w = user;
    if (fwrite(text, 1, n, w->out) < n && w->error == 0) {
        w->error = errno;
    }
}

static tc_status cannot_write(const writer *w, const char *path) {
    char message[512];
    snprintf(message, sizeof message, "cannot write '%s': %s", path,
             strerror(errno));
    tc_diag d = {.severity = TC_ERROR, .message = message};
    tc_print_diag(&w->printer, &d);
    return TC_MACHINE;
}

/* ---- the file of the verdict ---- */

/* A plain file, or none yet, is written beside its place and renamed into it:
 * whoever looks sees the last verdict or this one. Anything else (a terminal,
 * /dev/full) is written to. */
static FILE *open_output(const char *path, char *beside, size_t size) {
    struct stat s;
    beside[0] = '\0';
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode)) {
        return fopen(path, "we");
    }
    int n = snprintf(beside, size, "%s.XXXXXX", path);
    int fd = n > 0 && (size_t)n < size ? mkostemp(beside, O_CLOEXEC) : -1;
    mode_t mask = umask(0);
    umask(mask);
    if (fd >= 0) {
        fchmod(fd, 0666 & ~mask);
    } else {
        beside[0] = '\0';
    }
    return fd >= 0 ? fdopen(fd, "w") : NULL;
}

/* said: there is a verdict, or that there is none. False with errno: nothing is
 * at the path that was not there before. */
static bool close_output(FILE *f, const char *path, const char *beside,
                         bool said) {
    bool ok = fflush(f) == 0 && !ferror(f);
    int e = errno;
    ok = fclose(f) == 0 && ok;
    e = ok ? 0 : e ? e : errno;
    if (ok && said && *beside) {
        ok = rename(beside, path) == 0;
        e = errno;
    }
    if ((!ok || !said) && *beside) {
        unlink(beside);
    }
    errno = e;
    return ok;
}

/* ---- grading ---- */

static tc_status grade(const tc_cli *cli, writer *w) {
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
    o.outer = tc_session_new(&o.session, on_diag, on_output, w);
    if (o.outer == NULL) {
        return TC_USAGE;
    }
    tc_signals_take_endings();
    tc_signals_begin(o.outer, 0, true);
    tc_status status = tc_grade(&o, on_diag, on_output, w);
    tc_signals_end();
    tc_session_free(o.outer);
    return status;
}

tc_status tc_graded_main(const tc_cli *cli) {
    const char *path = cli->grade.output;
    char beside[4096] = "";
    writer w = {
        .printer = {.out = stderr, .color = tc_cli_color(cli, 2), .width = 80},
        .out = path ? open_output(path, beside, sizeof beside) : stdout};
    if (w.out == NULL) {
        return cannot_write(&w, path);
    }
    tc_status status = grade(cli, &w);
    if (path == NULL && (fflush(stdout) != 0 || ferror(stdout))) {
        errno = w.error ? w.error : errno;
        status = cannot_write(&w, "the standard output");
        clearerr(stdout);
    } else if (path != NULL &&
               !close_output(w.out, path, beside, status != TC_USAGE)) {
        errno = w.error ? w.error : errno;
        status = cannot_write(&w, path);
    }
    return status;
}

/* exec.c - `tilecopy-repl exec`. The program's standard output is its own: what
 * is said here goes to standard error. */
#include "repl/exec.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/near/near.h"
#include "repl/print.h"
#include "repl/shell.h"
#include "repl/signals.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_LIMIT_S = 60 };

static void on_diag(void *user, const tc_diag *diag) {
    tc_print_diag(user, diag);
}

static void on_output(void *user, const char *text, size_t len) {
    (void)user;
    fwrite(text, 1, len, stderr);
    fflush(stderr);
}

static int complain(const tc_printer *p, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static int complain(const tc_printer *p, const char *hint, const char *fmt,
                    ...) {
    char message[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    tc_diag d = {.severity = TC_ERROR, .message = message, .hint = hint};
    tc_print_diag(p, &d);
    return TC_FAILED;
}

/* --- the compiler ----------------------------------------------------------*/

/* A file whose presence says that the learner wants no compiler fetched. */
static char *refusal_path(tc_session *s) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, "%s.declined", tc_session_compiler_home(s));
    return b.data;
}

/* A file that says so, in folders that may have to be made. */
static void refuse_for_ever(const char *path) {
    char *folder = tc_xstrdup(path);
    for (char *p = strchr(folder + 1, '/'); p != NULL; p = strchr(p + 1, '/')) {
        *p = '\0';
        mkdir(folder, 0777); /* where it fails, so does what follows */
        *p = '/';
    }
    FILE *f = fopen(path, "w");
    if (f != NULL) {
        fputs("exec no longer offers to fetch nvcc: `make toolkit` does it\n",
              f);
        fclose(f);
    }
    free(folder);
}

/* Asks, once for all. */
static bool wants_compiler(tc_session *s, const char *why) {
    char *path = refusal_path(s), answer[64] = "";
    const char *own = getenv("TILECOPY_NVCC"); /* then no other is taken */
    bool asked = access(path, F_OK) == 0 || (own != NULL && *own != '\0');
    bool yes = false;
    if (!asked && isatty(STDIN_FILENO) && isatty(STDERR_FILENO)) {
        fprintf(stderr,
                "%s\nFetch NVIDIA's compiler (nvcc 13.0, 100 MB of "
                "wheels, 270 MB on the disk) into\n%s? [y/N] ",
                why, tc_session_compiler_home(s));
        fflush(stderr);
        yes = fgets(answer, sizeof answer, stdin) != NULL &&
              (answer[0] == 'y' || answer[0] == 'Y');
        if (!yes) {
            refuse_for_ever(path);
        }
    }
    free(path);
    return yes;
}

/* Where there is none, offers one. False: it was wanted and cannot be had. */
static bool offer_compiler(tc_session *s) {
    const char *why, *hint;
    if (tc_session_compiler(s, &why, &hint) || !wants_compiler(s, why)) {
        return true; /* what is missing is said when it is needed */
    }
    tc_signals_begin(s, 0, true);
    tc_status status = tc_session_fetch_compiler(s);
    tc_signals_end();
    return status == TC_OK;
}

/* --- files -----------------------------------------------------------------*/

/* Paths that cannot be are said before anything runs. */
static bool check_program(const tc_printer *p, const char *path) {
    struct stat st;
    size_t n = strlen(path);
    if (tc_file_is_elf(path)) { /* built already, by `tilecopy-repl nvcc` */
        return true;
    }
    if (n < 4 || strcmp(path + n - 3, ".cu") != 0) {
        complain(p, "tilecopy-repl exec PROGRAM.cu -- ARGUMENTS",
                 "exec runs .cu files, and '%s' is none", path);
        return false;
    }
    if (stat(path, &st) != 0) {
        int e = errno;
        tc_arena *a = tc_arena_new();
        complain(p, tc_file_near(a, path), "cannot open '%s': %s", path,
                 strerror(e));
        tc_arena_free(a);
        return false;
    }
    return true;
}

static bool no_report(const tc_printer *p, const char *path, const char *why) {
    complain(p, NULL, "cannot write the report '%s': %s", path, why);
    return false;
}

/* Where the report is put until it is whole; -1 for none. False after saying
 * why not. */
static bool open_report(const tc_printer *p, const char *path, int *fd) {
    char why[TC_FILE_WHY];
    *fd = -1;
    if (path == NULL) {
        return true;
    }
    if (!tc_file_writable(path, why)) {
        return no_report(p, path, why);
    }
    *fd = memfd_create("report", MFD_CLOEXEC);
    return *fd >= 0 || no_report(p, path, strerror(errno));
}

static bool close_report(const tc_printer *p, const char *path, int fd) {
    char why[TC_FILE_WHY], from[32];
    tc_buf text = TC_BUF_INIT;
    lseek(fd, 0, SEEK_SET);
    snprintf(from, sizeof from, "/dev/fd/%d", fd);
    bool ok = tc_file_read(&text, from, SIZE_MAX / 2, NULL, why) &&
              tc_file_write(path, tc_buf_text(&text), text.len, NULL, why);
    tc_buf_free(&text);
    close(fd);
    return ok || no_report(p, path, why);
}

/* --- running ---------------------------------------------------------------*/

static int error_width(void) {
    struct winsize w;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0;
    return known ? w.ws_col : 80;
}

static int run(const tc_cli *cli, tc_session *s, int report, int sarif) {
    tc_exec_options o = {.path = cli->exec.program,
                         .nvcc = cli->exec.nvcc,
                         .args = cli->exec.args,
                         .report = report,
                         .sarif = sarif,
                         .lines = cli->exec.lines,
                         .quiet = cli->exec.quiet,
                         .pedantic = cli->exec.pedantic,
                         .no_suppressions = cli->exec.no_suppressions,
                         .timing = cli->exec.timing};
    /* What was typed is the time until the shell has its prompt back; else the
     * run minds its own. */
    double limit = cli->has_timeout ? cli->session.timeout_s : 0;
    tc_signals_begin(s, limit, true);
    int status = tc_signals_ended() ? TC_FAILED : tc_session_exec(s, &o);
    tc_signals_end();
    if (status == TC_FAILED && tc_signals_interrupted()) {
        status = 128 + SIGINT; /* while it was built */
    }
    return tc_signals_ended() ? 128 + tc_signals_ended() : status;
}

int tc_exec_main(const tc_cli *cli) {
    tc_printer p = {.out = stderr,
                    .color = tc_cli_color(cli, STDERR_FILENO),
                    .width = error_width(),
                    .wrap = isatty(STDERR_FILENO) != 0};
    tc_options o = cli->session;
    o.width = p.width;
    o.terminal = p.wrap;
    o.json = false;
    o.timeout_s = cli->has_timeout ? 0 : DEFAULT_LIMIT_S;
    int report = -1, sarif = -1, status = TC_FAILED;
    tc_signals_take_endings(false);
    if (!check_program(&p, cli->exec.program) ||
        !open_report(&p, cli->exec.report, &report) ||
        !open_report(&p, cli->exec.sarif, &sarif)) {
        return TC_FAILED;
    }
    tc_session *s = tc_session_new(&o, on_diag, on_output, &p);
    if (s != NULL && offer_compiler(s)) {
        status = run(cli, s, report, sarif);
    }
    tc_session_free(s);
    if (report >= 0 && !close_report(&p, cli->exec.report, report)) {
        status = TC_FAILED;
    }
    if (sarif >= 0 && !close_report(&p, cli->exec.sarif, sarif)) {
        status = TC_FAILED;
    }
    return status;
}

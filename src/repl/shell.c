/* shell.c - what runs commands and prints what they say. */
#include "repl/shell.h"

#include "base/arena.h"
#include "base/buf.h"
#include "grade/grade.h"
#include "repl/entry.h"
#include "repl/pager.h"
#include "repl/request.h"
#include "repl/signals.h"
#include "repl/terminal/progress.h"
#include "view/view.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DEFAULT_LIMIT_S = 60 };

static void on_diag(void *user, const tc_diag *diag) {
    const tc_shell *sh = user;
    tc_diag d = *diag;
    if (sh->file != NULL && d.file != NULL && strcmp(d.file, "<input>") == 0) {
        d.file = sh->file;
        d.line += d.line > 0 ? sh->line - 1 : 0;
    }
    tc_progress_line_hide();
    fflush(stdout);
    tc_print_diag(&sh->printer, &d);
}

/* What a person would not see whole is kept for the pager. */
static void on_output(void *user, const char *text, size_t len) {
    tc_shell *sh = user;
    if (sh->pages &&
        (sh->unread.len > 0 ||
         tc_pager_wants(text, len, tc_shell_height(), tc_shell_width()))) {
        tc_buf_write(&sh->unread, text, len);
    } else {
        tc_progress_line_hide();
        fwrite(text, 1, len, stdout);
    }
}

static void show_unread(tc_shell *sh) {
    if (sh->unread.len > 0) {
        tc_pager_show(sh->unread.data, sh->unread.len);
        tc_buf_free(&sh->unread);
    }
}

int tc_shell_width(void) {
    struct winsize w;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0) {
        return w.ws_col;
    }
    return 80;
}

int tc_shell_height(void) {
    struct winsize w;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 ? w.ws_row : 0;
}

/* Can the cursor be sent about? Not in an editor's shell window. */
static bool can_view(void) {
    const char *kind = getenv("TERM");
    return kind != NULL && *kind != '\0' && strcmp(kind, "dumb") != 0;
}

bool tc_shell_open(tc_shell *sh, const tc_cli *cli, bool interactive) {
    *sh = (tc_shell){.cli = cli, .interactive = interactive};
    sh->printer = (tc_printer){.out = stderr,
                               .color = tc_cli_color(cli, STDERR_FILENO),
                               .width = tc_shell_width(),
                               .wrap = isatty(STDERR_FILENO) != 0};
    tc_options o = cli->session;
    o.width = tc_shell_width();
    o.terminal = interactive && isatty(STDOUT_FILENO);
    o.view = o.terminal && can_view();
    o.height = o.terminal ? tc_shell_height() : 0;
    o.color = tc_cli_color(cli, STDOUT_FILENO);
    sh->pages = o.view && isatty(STDIN_FILENO) && !o.json;
    if (!cli->has_timeout) {
        o.timeout_s = interactive ? 0 : DEFAULT_LIMIT_S;
    }
    sh->session = tc_session_new(&o, on_diag, on_output, sh);
    if (sh->session != NULL) {
        tc_session_grades(sh->session, tc_grade_command);
    }
    sh->printer.quiet = o.json;
    sh->status = sh->session ? TC_OK : TC_USAGE;
    return sh->session != NULL;
}

void tc_shell_close(tc_shell *sh) {
    if (sh->session != NULL) {
        tc_session_free(sh->session);
    }
    tc_buf_free(&sh->unread);
}

/* The view draws on the terminal itself: it gets the default handling of a
 * resize back, so that ncurses sees it. */
static void view_timeline(tc_shell *sh) {
    struct sigaction old, dfl;
    memset(&dfl, 0, sizeof dfl);
    dfl.sa_handler = SIG_DFL;
    sigaction(SIGWINCH, &dfl, &old);
    tc_view_timeline(sh->session, tc_cli_color(sh->cli, STDOUT_FILENO));
    sigaction(SIGWINCH, &old, NULL);
}

static bool is_cuda(const char *path) {
    size_t n = path != NULL ? strlen(path) : 0;
    return n > 3 && strcmp(path + n - 3, ".cu") == 0;
}

/* A lesson's tasks, all of them, with what they compile. */
static bool is_check(const char *text) {
    return text != NULL && strncmp(text, "lesson check", 12) == 0;
}

/* One evaluation: of the file at path, or of text. The compiler, which builds
 * a .cu of the command line, takes the time that it takes, unless the user has
 * said how long. */
static bool evaluate(tc_shell *sh, const char *path, const char *text) {
    if (tc_signals_ended()) {
        return false;
    }
    double limit = sh->cli->has_timeout ? sh->cli->session.timeout_s
                   : sh->interactive    ? 0
                                        : DEFAULT_LIMIT_S;
    bool compiles = is_cuda(path) || is_check(text);
    limit = compiles && !sh->cli->has_timeout ? 0 : limit;
    tc_signals_begin(sh->session, limit, sh->interactive);
    if (!sh->cli->session.json) {
        tc_progress_line_begin();
    }
    tc_status status = path ? tc_session_load(sh->session, path)
                            : tc_session_eval(sh->session, text);
    tc_progress_line_end();
    tc_signals_end();
    fflush(stdout);
    show_unread(sh);
    if (path == NULL && status == TC_OK && sh->interactive &&
        tc_session_wants_timeline(sh->session)) {
        view_timeline(sh);
    }
    sh->last = status;
    if (sh->status == TC_OK) {
        sh->status = status;
    }
    bool go_on = status != TC_OK || tc_request_serve(sh);
    return go_on && !tc_signals_ended() &&
           (status == TC_OK || sh->cli->keep_going);
}

bool tc_shell_load(tc_shell *sh, const char *path) {
    return evaluate(sh, path, NULL);
}

bool tc_shell_entry(tc_shell *sh, const char *text) {
    size_t apart = TC_ENTRY_UNKNOWN;
    while (*text != '\0') {
        size_t whole = tc_entry_part(sh->session, text, &apart), n = whole;
        char *part = tc_xmalloc(whole + 1);
        memcpy(part, text, whole);
        while (n > 0 && strchr(" \t\r\n", part[n - 1]) != NULL) {
            n--;
        }
        part[n] = '\0';
        char *full = tc_entry_expand(part);
        bool go_on = tc_entry_is_blank(full) || evaluate(sh, NULL, full);
        free(part);
        free(full);
        if (!go_on || tc_session_finished(sh->session)) {
            return false;
        }
        text += whole;
    }
    return true;
}

/* --- batch --- */

static void say_too_long(tc_shell *sh) {
    tc_diag d = {.severity = TC_ERROR,
                 .message = "an entry has more than a million bytes or 10,000 "
                            "lines",
                 .hint = "is a bracket open, or a blank line missing after a "
                         "definition?"};
    tc_printer p = sh->printer;
    p.quiet = false;
    tc_print_diag(&p, &d);
    if (sh->status == TC_OK) {
        sh->status = TC_REJECTED;
    }
}

/* Reads one entry; false at the end of the input. */
static bool read_entry(tc_shell *sh, FILE *in, tc_buf *entry, int *read,
                       bool *too_long) {
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    int lines = 0;
    tc_buf_clear(entry);
    *too_long = false;
    while ((n = getline(&line, &cap, in)) >= 0) {
        while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r')) {
            line[--n] = '\0';
        }
        tc_buf_puts(entry, line);
        tc_buf_putc(entry, '\n');
        lines++;
        *too_long = entry->len > TC_ENTRY_BYTES || lines > TC_ENTRY_LINES;
        if (*too_long || !tc_entry_goes_on(sh->session, entry->data, false)) {
            break;
        }
    }
    free(line);
    *read = lines;
    return entry->len > 0;
}

bool tc_shell_stream(tc_shell *sh, FILE *in, const char *path) {
    tc_buf entry = TC_BUF_INIT;
    bool go_on = true, too_long;
    const char *outer = sh->file;
    int outer_line = sh->line, next = 1, lines;
    while (go_on && read_entry(sh, in, &entry, &lines, &too_long) &&
           !tc_signals_ended()) {
        sh->file = path;
        sh->line = next;
        next += lines;
        if (too_long) {
            say_too_long(sh);
            go_on = false;
        } else {
            /* a command is one line, without a newline after it */
            entry.data[entry.len - 1] = '\0';
            go_on = tc_shell_entry(sh, entry.data) ||
                    (sh->interactive && !tc_session_finished(sh->session) &&
                     !tc_signals_ended());
        }
    }
    tc_buf_free(&entry);
    sh->file = outer;
    sh->line = outer_line;
    return go_on;
}

/* --- the tour --- */

void tc_shell_tour(tc_shell *sh) {
    static const struct {
        const char *command, *heading;
    } stops[] = {
        {"why", "which way each copy goes, and why"},
        {"partition", "who copies what"},
        {"run", "the PTX, executed"},
        {"timeline", "when it happened"},
    };
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        if (!sh->cli->session.json) {
            printf("%s== %s: %s ==\n", i > 0 ? "\n" : "", stops[i].command,
                   stops[i].heading);
        }
        if (!tc_shell_entry(sh, stops[i].command)) {
            return;
        }
    }
}

void tc_shell_lesson(tc_shell *sh, const char *line) {
    bool one = strncmp(line, "lesson ", 7) == 0 && !is_check(line);
    tc_buf all = TC_BUF_INIT;
    tc_buf_printf(&all, one ? "%s --all" : "%s", line);
    tc_shell_entry(sh, all.data);
    tc_buf_free(&all);
}

tc_status tc_shell_status(const tc_shell *sh) {
    if (sh->status != TC_OK) {
        return sh->status;
    }
    bool found = sh->session && tc_session_had_findings(sh->session);
    return found ? TC_FAILED : TC_OK;
}

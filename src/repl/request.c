/* request.c - see request.h. */
#include "repl/request.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "repl/prompt.h"
#include "repl/signals.h"
#include "repl/watch.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <readline/history.h>

/* --- edit --- */

static const char *users_editor(void) {
    const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");
    return visual && *visual ? visual : editor && *editor ? editor : "vi";
}

/* Whether the user's editor ended well on a file, or why not. The shell splits
 * $VISUAL, as environ(7) and git(1) have it. */
static bool edit(const char *path, int at) {
    char line[1024], begin[32] = "";
    if (at > 0) {
        snprintf(begin, sizeof begin, "+%d ", at);
    }
    const char *editor = users_editor();
    int n = snprintf(line, sizeof line, "%s %s\"$1\"", editor, begin);
    if (n < 0 || (size_t)n >= sizeof line) {
        fputs("the words of VISUAL or EDITOR are too long\n", stderr);
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", line, "sh", path, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == 127) {
        fprintf(stderr, "there is no editor `%s`: set VISUAL or EDITOR\n",
                editor);
    } else if (code != 0) {
        fprintf(stderr, "the editor `%s` failed: %s is not loaded\n", editor,
                path);
    }
    return code == 0;
}

/* Opens the file that `edit` names, and loads it. */
static bool edit_and_load(tc_shell *sh, const char *wanted, int at) {
    char *path = tc_xstrdup(wanted);
    bool go_on = true;
    if (edit(path, at)) {
        tc_buf line = TC_BUF_INIT;
        tc_buf_printf(&line, "load \"%s\"", path);
        go_on = tc_shell_entry(sh, line.data);
        tc_buf_free(&line);
    }
    free(path);
    return go_on;
}

/* --- a shell's line --- */

/* What a page shows is of the PTX's clock, and nobody typed to it: its line is
 * obeyed so, too. */
static void become_shell(const char *folder, const char *line) {
    char own[PATH_MAX];
    const char *path = getenv("PATH");
    tc_buf with = TC_BUF_INIT;
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    if (freopen("/dev/null", "r", stdin) == NULL || chdir(folder) != 0 ||
        n <= 0) {
        _exit(127);
    }
    own[n] = '\0';
    *strrchr(own, '/') = '\0';
    tc_buf_printf(&with, "%s:%s", own, path != NULL ? path : "/usr/bin:/bin");
    setenv("PATH", tc_buf_text(&with), 1);
    setenv("TILECOPY_PTXAS", "none", 1);
    signal(SIGPIPE, SIG_DFL);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

static void obey_shell(const char *folder, const char *line) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        become_shell(folder, line);
    }
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
        printf("[status %d]\n", WEXITSTATUS(status));
    }
}

/* --- a session's script --- */

enum { SCRIPTS = 16 }; /* that load each other */

static bool run_script(tc_shell *sh, const char *wanted) {
    static int depth;
    char why[TC_FILE_WHY], *path = tc_xstrdup(wanted);
    FILE *f = depth < SCRIPTS ? tc_file_stream(path, why) : NULL;
    bool go_on = false;
    if (f != NULL) {
        depth++;
        go_on = tc_shell_stream(sh, f, path);
        depth--;
        fclose(f);
    } else {
        fprintf(stderr, "%s is not read: %s\n", path,
                depth < SCRIPTS ? why : "scripts load each other");
        sh->status = sh->status == TC_OK ? TC_FAILED : sh->status;
    }
    if (!go_on && sh->last != TC_OK) {
        fprintf(stderr, "note: %s stops there\n", path);
    }
    free(path);
    return go_on;
}

/* --- history --- */

static void list_history(int n) {
    int first = history_length > n ? history_length - n : 0;
    for (int i = first; i < history_length; i++) {
        const HIST_ENTRY *e = history_get(history_base + i);
        const char *p = e != NULL ? e->line : "";
        printf("%5d  ", i + 1);
        for (; *p != '\0'; p++) {
            fputs(*p == '\n' ? "\n       " : (char[]){*p, '\0'}, stdout);
        }
        putchar('\n');
    }
    fflush(stdout);
}

/* --- which test --- */

/* Asks which test of a file is meant; nothing typed keeps the one there is. */
static bool choose_test(tc_shell *sh, const tc_client_request *q) {
    tc_buf line = TC_BUF_INIT;
    if (!sh->interactive) {
        return true;
    }
    for (int i = 0; i < q->n; i++) {
        printf("%4d  %s%s\n", i + 1, q->commands[i],
               i == q->chosen ? "  (this one)" : "");
    }
    char prompt[48];
    snprintf(prompt, sizeof prompt, "which, 1 to %d (Enter: %d)? ", q->n,
             q->chosen + 1);
    char *answer = tc_prompt_ask(sh, prompt);
    if (answer == NULL || answer[strspn(answer, " ")] == '\0') {
        free(answer);
        return true;
    }
    char *end;
    long number = strtol(answer, &end, 10);
    const char *name = answer;
    if (*end == '\0' && number >= 1 && number <= q->n) {
        name = q->commands[number - 1];
    }
    tc_buf_printf(&line, "load \"%s::%s\"", q->path, name);
    free(answer);
    bool go_on = tc_shell_entry(sh, line.data);
    tc_buf_free(&line);
    return go_on;
}

bool tc_request_serve(tc_shell *sh) {
    tc_client_request q = tc_session_request(sh->session);
    switch (q.kind) {
    case TC_CLIENT_EDIT:
        return edit_and_load(sh, q.path, q.line);
    case TC_CLIENT_WATCH:
        return tc_watch(sh, &q);
    case TC_CLIENT_SCRIPT:
        return run_script(sh, q.path);
    case TC_CLIENT_HISTORY:
        list_history(q.n);
        break;
    case TC_CLIENT_SHELL:
        obey_shell(q.path, q.commands[0]);
        break;
    case TC_CLIENT_CHOOSE:
        return choose_test(sh, &q);
    case TC_CLIENT_NONE:
        break;
    }
    return true;
}

/* relay.c - the near end of a stream: it stands in for the device process, and
 * has a worker on another machine do what is asked. */
#include "gpu/driver.h"
#include "gpu/stream.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    IDLE_MS = 20000,   /* that a connection is kept while the GPU is not open */
    GARBAGE = 1 << 16, /* bytes of a shell's start files, at most */
    SAID = 400,        /* the last that the runner said */
    SHOWN = 80,        /* bytes of its command, in a message */
    WORDS = 64
};

typedef struct relay {
    const char *runner;
    uint8_t *staging;
    pid_t pid;         /* the runner's; 0: there is no connection */
    int to, from, err; /* its standard streams */
    uint64_t number;
    bool open;       /* between ENTER and LEAVE */
    char said[SAID]; /* the end of its standard error */
} relay;

/* ---- the command ---- */

/* Words, as a shell splits them: at blanks, but for '...', "..." and \x. The
 * words are in text, which is changed. */
static int split(char *text, char **words, int most) {
    int n = 0;
    char *to = text;
    for (char *p = text; n < most;) {
        p += strspn(p, " \t\n");
        if (*p == '\0') {
            break;
        }
        words[n++] = to;
        for (char quote = '\0'; *p != '\0'; p++) {
            if (quote == '\0' && isspace((unsigned char)*p)) {
                p++;
                break;
            }
            if (*p == quote || (quote == '\0' && (*p == '"' || *p == '\''))) {
                quote = quote == '\0' ? *p : '\0';
                continue;
            }
            p += *p == '\\' && quote != '\'' && p[1] != '\0';
            *to++ = *p;
        }
        *to++ = '\0';
    }
    return n;
}

static const char *base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* What a runner has to be told: ssh has no terminal to ask on, and srun keeps
 * output back until it has a line. */
static const struct {
    const char *runner, *words[2];
} told[] = {{"ssh", {"-oBatchMode=yes", "-oConnectTimeout=15"}},
            {"srun", {"--unbuffered", NULL}}};

static int tell(const char *runner, char **argv, int at) {
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        for (int k = 0; k < 2 && strcmp(base(runner), told[i].runner) == 0 &&
                        told[i].words[k] != NULL;
             k++) {
            argv[at++] = tc_xstrdup(told[i].words[k]); /* until exec */
        }
    }
    return at;
}

/* The runner's words, then the program there, unless the last word is it. */
static int command(const char *runner, char **argv, int most) {
    static char program[] = "tilecopy-repl", worker[] = TC_GPU_WORKER;
    char *words[WORDS];
    /* split writes a zero behind each word, the last one too */
    char *text = tc_xcalloc(strlen(runner) + 2, 1);
    memcpy(text, runner, strlen(runner));
    int n = split(text, words, most - 6), at = 0;
    for (int i = 0; i < n; i++) {
        argv[at++] = words[i];
        at = i == 0 ? tell(words[0], argv, at) : at;
    }
    if (n == 0 || strcmp(base(words[n - 1]), program) != 0) {
        argv[at++] = program;
    }
    argv[at++] = worker;
    argv[at] = NULL;
    return n;
}

/* ---- a connection ---- */

static void close_all(int fds[6]) {
    for (int i = 0; i < 6; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}

static _Noreturn void become(const relay *r, const int fds[6]) {
    char *argv[WORDS + 8];
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    unsetenv(TC_GPU_ENV);
    if (command(r->runner, argv, WORDS) > 0 && dup2(fds[0], 0) >= 0 &&
        dup2(fds[3], 1) >= 0 && dup2(fds[5], 2) >= 0) {
        execvp(argv[0], argv);
        fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
    }
    _exit(127);
}

static bool start(relay *r) {
    int fds[6] = {-1, -1, -1, -1, -1, -1};
    if (pipe2(fds, O_CLOEXEC) != 0 || pipe2(fds + 2, O_CLOEXEC) != 0 ||
        pipe2(fds + 4, O_CLOEXEC) != 0) {
        close_all(fds);
        return false;
    }
    r->pid = fork();
    if (r->pid == 0) {
        become(r, fds);
    }
    if (r->pid < 0) {
        r->pid = 0;
        close_all(fds);
        return false;
    }
    close(fds[0]);
    close(fds[3]);
    close(fds[5]);
    r->to = fds[1];
    r->from = fds[2];
    r->err = fds[4];
    fcntl(r->err, F_SETFL, O_NONBLOCK);
    r->said[0] = '\0';
    return true;
}

/* Keeps the end of what it has said. */
static void take_said(relay *r) {
    char text[SAID];
    ssize_t n;
    while ((n = read(r->err, text, sizeof text - 1)) > 0) {
        size_t had = strlen(r->said), all = had + (size_t)n;
        text[n] = '\0';
        size_t drop = all >= SAID ? all - SAID + 1 : 0;
        drop = drop < had ? drop : had;
        memmove(r->said, r->said + drop, had - drop + 1);
        snprintf(r->said + had - drop, SAID - (had - drop), "%s", text);
    }
}

/* Its last line that says something, without what a terminal would obey. */
static const char *last_words(relay *r) {
    take_said(r);
    size_t n = strlen(r->said);
    while (n > 0 && isspace((unsigned char)r->said[n - 1])) {
        r->said[--n] = '\0';
    }
    for (char *p = r->said; *p != '\0'; p++) {
        *p = (unsigned char)*p < ' ' && *p != '\n' ? ' ' : *p;
    }
    const char *line = strrchr(r->said, '\n');
    return line != NULL ? line + 1 : r->said;
}

/* Ends the connection; why: how, in a sentence. */
static void finish(relay *r, char *why, size_t size) {
    int status = 0;
    bool kill_it = why == NULL;
    close(r->to);
    close(r->from);
    for (int i = 0; i < 100 && !kill_it; i++) { /* it has closed its end */
        take_said(r);
        if (waitpid(r->pid, &status, WNOHANG) == r->pid) {
            r->pid = 0;
            break;
        }
        poll(NULL, 0, 20);
    }
    if (r->pid != 0) {
        kill(r->pid, SIGTERM);
        waitpid(r->pid, &status, 0);
    }
    if (why != NULL) {
        const char *words = last_words(r);
        int code =
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        snprintf(why, size, "the runner `%.*s%s` ended with status %d%s%s",
                 SHOWN, r->runner, strlen(r->runner) > SHOWN ? "..." : "", code,
                 *words ? ": " : "", words);
    }
    close(r->err);
    r->pid = 0;
    r->open = false;
}

/* Up to the worker's greeting; what is before it is not its own. False, with
 * the connection ended and why. */
static bool greeted(relay *r, char *why, size_t size) {
    char wanted[256], line[256] = "";
    size_t n = 0, begin = strlen(TC_GPU_GREETING);
    bool mine = false;
    tc_gpu_greeting(wanted, sizeof wanted);
    line[n++] = '\n'; /* nothing before it is the start of a line too */
    for (int all = 0; all < GARBAGE; all++) {
        char c;
        if (!tc_gpu_read_all(r->from, &c, 1, TC_GPU_SOCKET)) {
            finish(r, why, size);
            return false;
        }
        if (mine && c == '\n') {
            line[n] = '\0';
            if (strncmp(line, wanted, n) == 0 && wanted[n] == '\n') {
                return true;
            }
            finish(r, NULL, 0);
            snprintf(why, size,
                     "the tilecopy-repl there is%s, and this one%.*s: they "
                     "must be the same",
                     line + begin - 1, (int)strcspn(wanted + begin - 1, "\n"),
                     wanted + begin - 1);
            return false;
        }
        line[n++] = c;
        mine =
            mine || (n >= begin && memcmp(line, TC_GPU_GREETING, begin) == 0);
        if (!mine &&
            (c == '\n' || n == begin)) { /* another line, or too long */
            line[0] = c == '\n' ? '\n' : ' ';
            n = 1;
        }
        n = n < sizeof line - 1 ? n : sizeof line - 2;
    }
    finish(r, NULL, 0);
    snprintf(why, size,
             "the runner `%.*s%s` prints much, and no greeting of "
             "tilecopy-repl",
             SHOWN, r->runner, strlen(r->runner) > SHOWN ? "..." : "");
    return false;
}

static bool connect_to(relay *r, char *why, size_t size) {
    if (r->pid != 0) {
        return true;
    }
    if (!start(r)) {
        snprintf(why, size, "the runner cannot be started: %s",
                 strerror(errno));
        return false;
    }
    return greeted(r, why, size);
}

/* ---- calls ---- */

/* To who asked: an answer. */
static bool reply(const tc_gpu_answer *out) {
    return tc_gpu_write_all(TC_GPU_SOCKET, out, sizeof *out);
}

static bool take_printed(relay *r, uint64_t bytes) {
    char text[4096];
    while (bytes > 0) {
        size_t n = bytes < sizeof text ? (size_t)bytes : sizeof text;
        if (!tc_gpu_read_all(r->from, text, n, -1) ||
            !tc_gpu_write_all(STDOUT_FILENO, text, n)) {
            return false;
        }
        bytes -= n;
    }
    return true;
}

static bool send_on(relay *r, const tc_gpu_request *ask, const char *bytes) {
    tc_gpu_head head = {TC_GPU_MARK, ++r->number};
    return tc_gpu_write_all(r->to, &head, sizeof head) &&
           tc_gpu_write_all(r->to, ask, sizeof *ask) &&
           tc_gpu_write_all(r->to, bytes, ask->bytes) &&
           tc_gpu_write_all(r->to, r->staging, tc_gpu_request_staged(ask));
}

typedef enum heard { ANSWER, ENDED, GARBLED } heard;

static heard hear(relay *r, const tc_gpu_request *ask, tc_gpu_answer *out) {
    tc_gpu_head head;
    if (!tc_gpu_read_all(r->from, &head, sizeof head, TC_GPU_SOCKET)) {
        return ENDED;
    }
    if (memcmp(head.mark, TC_GPU_MARK, sizeof head.mark) != 0 ||
        head.number != r->number) {
        return GARBLED;
    }
    if (!tc_gpu_read_all(r->from, out, sizeof *out, TC_GPU_SOCKET)) {
        return ENDED;
    }
    return tc_gpu_read_all(r->from, r->staging, tc_gpu_answer_staged(ask, out),
                           TC_GPU_SOCKET) &&
                   take_printed(r, out->printed)
               ? ANSWER
               : ENDED;
}

/* An answer of our own, where there is none from there. */
static bool lose(relay *r, const tc_gpu_request *ask, heard how) {
    tc_gpu_answer out = {.result = TC_CU_UNKNOWN, .fault = true};
    char why[SAID + 200];
    if (how == GARBLED) {
        finish(r, NULL, 0);
        snprintf(why, sizeof why,
                 "what the runner `%.*s%s` prints is no answer: something else "
                 "there writes to standard output",
                 SHOWN, r->runner, strlen(r->runner) > SHOWN ? "..." : "");
    } else {
        finish(r, why, sizeof why);
    }
    snprintf(out.why, sizeof out.why, "%s%s",
             ask->call == TC_GPU_ENTER ? "" : "in the middle of the work, ",
             why);
    return reply(&out);
}

static bool call_one(relay *r, const tc_gpu_request *ask, const char *bytes) {
    tc_gpu_answer out = {.result = TC_CU_NO_DEVICE};
    if (ask->call == TC_GPU_ENTER && !connect_to(r, out.why, sizeof out.why)) {
        return reply(&out);
    }
    heard how = r->pid != 0 && send_on(r, ask, bytes) ? ANSWER : ENDED;
    if (r->pid == 0) {
        snprintf(out.why, sizeof out.why, "the GPU is not open");
        return reply(&out);
    }
    while (how == ANSWER && (how = hear(r, ask, &out)) == ANSWER && out.waits) {
        if (!reply(&out)) {
            return false;
        }
    }
    if (how != ANSWER) {
        return lose(r, ask, how);
    }
    r->open = ask->call == TC_GPU_LEAVE   ? false
              : ask->call == TC_GPU_ENTER ? out.result == 0
                                          : r->open;
    return reply(&out);
}

/* The next request is there. A connection that nobody uses is given back: it
 * may hold an allocation of a cluster's. */
static bool await(relay *r) {
    struct pollfd fd = {TC_GPU_SOCKET, POLLIN, 0};
    for (;;) {
        bool idle = r->pid != 0 && !r->open;
        int n = poll(&fd, 1, idle ? IDLE_MS : -1);
        if (n > 0) {
            return true;
        }
        if (n == 0 && idle) {
            finish(r, NULL, 0);
        }
        if (n < 0 && errno != EINTR) {
            return false;
        }
    }
}

static bool relay_one(relay *r) {
    tc_gpu_request ask;
    if (!await(r) || !tc_gpu_read_all(TC_GPU_SOCKET, &ask, sizeof ask, -1) ||
        ask.call >= TC_GPU_CALL_COUNT) {
        return false;
    }
    char *bytes = tc_xmalloc(ask.bytes + 1);
    bool ok = tc_gpu_read_all(TC_GPU_SOCKET, bytes, ask.bytes, -1) &&
              call_one(r, &ask, bytes);
    free(bytes);
    return ok;
}

int tc_gpu_relay(const char *runner) {
    relay r = {.runner = runner};
    void *staging = mmap(NULL, TC_GPU_STAGING, PROT_READ | PROT_WRITE,
                         MAP_SHARED, TC_GPU_STAGING_FD, 0);
    signal(SIGPIPE, SIG_IGN);
    if (staging == MAP_FAILED) {
        return 1;
    }
    r.staging = staging;
    bool ok =
        tc_gpu_write_all(TC_GPU_SOCKET, TC_GPU_HELLO, sizeof TC_GPU_HELLO);
    while (ok && relay_one(&r)) {
    }
    if (r.pid != 0) {
        finish(&r, NULL, 0);
    }
    return 0;
}

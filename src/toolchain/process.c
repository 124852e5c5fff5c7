/* process.c - runs another program to its end, under a guard (guard.c). */
#include "toolchain/guard.h"
#include "toolchain/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum {
    LIMIT = 8 << 20, /* bytes of output that are kept */
    TICK = 20,       /* ms between looks at the cancel flag */
    POLL = 100,      /* ms between looks at what it takes */
    PATIENCE = 10000 /* ms for a guard to end what it was told to */
};

typedef struct running {
    const tc_tool_process *p;
    int fd[2]; /* its output and error, -1 when at their end */
    tc_buf line[2];
    int guard_fd;
    pid_t guard;
    bool ended;
    int status, failure; /* as waitpid's; errno where it could not be run */
    int64_t begin, looked, busy; /* ms; busy: when it last was */
    tc_usage usage;
} running;

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Our environment with the process's own names put first and not doubled. */
static const char **environment(const tc_tool_process *p) {
    size_t mine = 0, ours = 0, n = 0;
    while (p->env != NULL && p->env[mine] != NULL) {
        mine++;
    }
    while (environ[ours] != NULL) {
        ours++;
    }
    const char **all = tc_xcalloc(mine + ours + 1, sizeof *all);
    for (; n < mine; n++) {
        all[n] = p->env[n];
    }
    for (size_t i = 0; i < ours; i++) {
        size_t name = strcspn(environ[i], "=") + 1;
        bool doubled = false;
        for (size_t j = 0; j < mine; j++) {
            doubled = doubled || strncmp(environ[i], all[j], name) == 0;
        }
        if (!doubled) {
            all[n++] = environ[i];
        }
    }
    return all;
}

static void say_line(running *r, tc_buf *line) {
    if (line->len > 0) {
        tc_buf_clean(line, 0);
        r->p->said(r->p->user, line->data);
    }
    tc_buf_clear(line);
}

static void keep(running *r, int which, const char *bytes, size_t n) {
    tc_buf *to = which == 0 ? r->p->out : r->p->err;
    if (r->p->said == NULL) {
        if (to != NULL && to->len < LIMIT) {
            tc_buf_write(to, bytes, n);
        }
        return;
    }
    for (size_t i = 0; i < n; i++) {
        tc_buf *line = &r->line[which];
        if (bytes[i] == '\n' || bytes[i] == '\r') {
            say_line(r, line);
        } else if (line->len < 4096) {
            tc_buf_putc(line, bytes[i]);
        }
    }
}

/* What one of its outputs has; closed at its end. */
static void read_output(running *r, int which) {
    char bytes[16384];
    ssize_t n = read(r->fd[which], bytes, sizeof bytes);
    if (n > 0) {
        keep(r, which, bytes, (size_t)n);
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
        close(r->fd[which]);
        r->fd[which] = -1;
    }
}

/* What the guard says; one that is gone without a word was killed. */
static void hear_guard(running *r) {
    tc_guard_report said;
    ssize_t n = recv(r->guard_fd, &said, sizeof said, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (n == (ssize_t)sizeof said && said.what == TC_GUARD_NOT_STARTED) {
        r->failure = said.value;
        return;
    }
    r->status = n == (ssize_t)sizeof said ? said.value : SIGKILL;
    r->ended = true;
}

/* Reads what there is, or comes within a tick. */
static void read_some(running *r) {
    struct pollfd fds[3] = {{r->fd[0], POLLIN, 0},
                            {r->fd[1], POLLIN, 0},
                            {r->ended ? -1 : r->guard_fd, POLLIN, 0}};
    if (poll(fds, 3, TICK) <= 0) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        if (fds[i].revents != 0) {
            read_output(r, i);
        }
    }
    if (fds[2].revents != 0) {
        hear_guard(r);
    }
}

/* Nothing of it is left, so that there is no more output than there is. */
static void drain(running *r) {
    for (int i = 0; i < 2; i++) {
        struct pollfd fd = {r->fd[i], POLLIN, 0};
        while (r->fd[i] >= 0 && poll(&fd, 1, 0) > 0) {
            read_output(r, i);
            fd.fd = r->fd[i];
        }
    }
}

/* Does it keep to its limits? */
static bool within(running *r) {
    int64_t now = now_ms();
    if (r->p->limits == NULL || now - r->looked < POLL) {
        return true;
    }
    r->looked = now;
    tc_usage_add(&r->usage, r->guard, r->p->own);
    r->busy = r->usage.busy ? now : r->busy;
    r->usage.wall_s = (double)(now - r->begin) / 1000;
    r->usage.idle_s = (double)(now - r->busy) / 1000;
    return !tc_limits_passed(r->p->limits, &r->usage, r->p->why);
}

/* Until it is at its end, or has to be ended: then why. */
static int follow(running *r) {
    while (!r->ended) {
        read_some(r);
        if (r->ended) {
            break;
        }
        if (r->p->cancel != NULL && *r->p->cancel != 0) {
            return TC_RUN_CANCELLED;
        }
        if (r->p->timeout_ms > 0 && now_ms() - r->begin > r->p->timeout_ms) {
            return TC_RUN_TIMEOUT;
        }
        if (!within(r)) {
            return TC_RUN_LIMITED;
        }
    }
    return 0;
}

/* Asks the guard to end it, and waits until nothing of it is left. */
static void end(running *r) {
    tc_guard_end(r->guard_fd);
    for (int64_t begin = now_ms(); !r->ended && now_ms() - begin < PATIENCE;) {
        read_some(r);
    }
    if (!r->ended) {
        kill(r->guard, SIGKILL);
    }
}

/* A process that passed a limit of its own, or had not the memory for more. */
static bool died_of_limits(running *r) {
    const tc_limits *l = r->p->limits;
    int sig = WIFSIGNALED(r->status) ? WTERMSIG(r->status) : 0;
    tc_usage u = r->usage;
    if (l == NULL || r->status == 0) {
        return false;
    }
    if (sig == SIGXCPU) {
        u.cpu_s = l->cpu_s;
    }
    if (sig == SIGXFSZ) {
        u.disk = l->disk;
    }
    return tc_limits_passed(l, &u, r->p->why);
}

/* A tool may say anything: a file's bytes, a name cut in a letter's middle. */
static void clean(running *r) {
    tc_buf *both[2] = {r->p->out, r->p->err};
    for (int i = 0; i < 2; i++) {
        if (both[i] != NULL) {
            tc_buf_clean(both[i], 0);
        }
    }
}

static int finish(running *r, int why) {
    if (why != 0) {
        end(r);
    }
    drain(r);
    close(r->guard_fd);
    clean(r);
    while (waitpid(r->guard, NULL, 0) < 0 && errno == EINTR) {
    }
    for (int i = 0; i < 2; i++) {
        if (r->fd[i] >= 0) {
            close(r->fd[i]);
        }
        say_line(r, &r->line[i]);
        tc_buf_free(&r->line[i]);
    }
    if (why != 0) {
        return why;
    }
    if (r->failure != 0) {
        errno = r->failure;
        return TC_RUN_NOT_STARTED;
    }
    if (died_of_limits(r)) {
        return TC_RUN_LIMITED;
    }
    return WIFEXITED(r->status) ? WEXITSTATUS(r->status)
                                : 128 + WTERMSIG(r->status);
}

static bool start(running *r, int out, int err) {
    const char **env = environment(r->p);
    tc_arena *a = tc_arena_new();
    tc_guarded g = {.argv = tc_sandbox_command(a, r->p->sandbox, r->p->argv),
                    .env = env,
                    .folder = r->p->folder,
                    .own = r->p->own,
                    .limits = r->p->limits,
                    .out = out,
                    .err = err};
    r->guard = tc_guard_start(&g, &r->guard_fd);
    int e = errno;
    free(env);
    tc_arena_free(a);
    r->begin = r->looked = r->busy = now_ms();
    errno = e;
    return r->guard > 0;
}

int tc_tool_run(const tc_tool_process *p) {
    running r = {.p = p};
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0) {
        return TC_RUN_NOT_STARTED;
    }
    if (pipe2(err, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return TC_RUN_NOT_STARTED;
    }
    bool started = start(&r, out[1], err[1]);
    int e = errno;
    close(out[1]);
    close(err[1]);
    if (!started) {
        close(out[0]);
        close(err[0]);
        errno = e;
        return TC_RUN_NOT_STARTED;
    }
    r.fd[0] = out[0];
    r.fd[1] = err[0];
    return finish(&r, follow(&r));
}

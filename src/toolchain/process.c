#include "toolchain/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum {
    LIMIT = 8 << 20, /* bytes of output that are kept */
    TICK = 20,       /* ms between looks at the cancel flag */
    MERCY = 1000,    /* ms between SIGTERM and SIGKILL */
    GRACE = 300      /* ms for a pipe that somebody else still holds open */
};

typedef struct running {
    const tc_process *p;
    int fd[2]; /* its output and error, -1 when at their end */
    tc_buf line[2];
    pid_t pid;
    bool ended;
    int status;
} running;

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Our environment with the process's own names put first and not doubled. */
static const char **environment(const tc_process *p) {
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

/* The child's descriptors and its group. Signals that the REPL handles or
 * blocks are as usual for it. */
static bool start(running *r, const int out[2], const int err[2]) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out[1], 1);
    posix_spawn_file_actions_adddup2(&files, err[1], 2);
    if (r->p->folder != NULL) {
        posix_spawn_file_actions_addchdir_np(&files, r->p->folder);
    }
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP |
                                       POSIX_SPAWN_SETSIGMASK |
                                       POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &all);
    const char **env = environment(r->p);
    int e = posix_spawn(&r->pid, r->p->argv[0], &files, &how,
                        (char *const *)(uintptr_t)r->p->argv,
                        (char *const *)(uintptr_t)env);
    free(env);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    errno = e;
    return e == 0;
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
            if (line->len > 0) {
                r->p->said(r->p->user, line->data);
            }
            tc_buf_clear(line);
        } else if (line->len < 4096) {
            tc_buf_putc(line, bytes[i]);
        }
    }
}

/* Reads what there is; false when both are at their end. */
static bool read_some(running *r) {
    struct pollfd fds[2];
    char bytes[16384];
    for (int i = 0; i < 2; i++) {
        fds[i] = (struct pollfd){.fd = r->fd[i], .events = POLLIN};
    }
    if (r->fd[0] < 0 && r->fd[1] < 0) {
        return false;
    }
    if (poll(fds, 2, TICK) <= 0) {
        return true;
    }
    for (int i = 0; i < 2; i++) {
        if (r->fd[i] < 0 || fds[i].revents == 0) {
            continue;
        }
        ssize_t n = read(r->fd[i], bytes, sizeof bytes);
        if (n > 0) {
            keep(r, i, bytes, (size_t)n);
        } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
            close(r->fd[i]);
            r->fd[i] = -1;
        }
    }
    return true;
}

static bool has_ended(running *r) {
    if (!r->ended) {
        pid_t got = waitpid(r->pid, &r->status, WNOHANG);
        r->ended = got == r->pid || (got < 0 && errno != EINTR);
    }
    return r->ended;
}

/* Until it and its output are at their end, or it has to be ended. */
static int follow(running *r) {
    int64_t begin = now_ms(), quiet = 0;
    for (;;) {
        bool more = read_some(r);
        if (has_ended(r)) {
            quiet = quiet == 0 ? now_ms() : quiet;
            if (!more || now_ms() - quiet > GRACE) {
                return 0;
            }
        } else if (!more) {
            poll(NULL, 0, 1);
        }
        if (r->p->cancel != NULL && *r->p->cancel != 0) {
            return TC_RUN_CANCELLED;
        }
        if (r->p->timeout_ms > 0 && now_ms() - begin > r->p->timeout_ms) {
            return TC_RUN_TIMEOUT;
        }
    }
}

/* Ends the whole group: a program that clears up after itself has a second. */
static void end(running *r) {
    kill(-r->pid, SIGTERM);
    for (int64_t begin = now_ms(); now_ms() - begin < MERCY;) {
        bool more = read_some(r);
        if (has_ended(r) && !more) {
            return;
        }
        if (!more) {
            poll(NULL, 0, 1);
        }
    }
    kill(-r->pid, SIGKILL);
}

static int finish(running *r, int why) {
    if (why != 0) {
        end(r);
    } else if (r->fd[0] >= 0 || r->fd[1] >= 0) {
        kill(-r->pid, SIGTERM); /* what it left behind has its output open */
    }
    while (!r->ended) {
        pid_t got = waitpid(r->pid, &r->status, 0);
        r->ended = got == r->pid || (got < 0 && errno != EINTR);
    }
    for (int i = 0; i < 2; i++) {
        if (r->fd[i] >= 0) {
            close(r->fd[i]);
        }
        if (r->line[i].len > 0) {
            r->p->said(r->p->user, r->line[i].data);
        }
        tc_buf_free(&r->line[i]);
    }
    if (why != 0) {
        return why;
    }
    return WIFEXITED(r->status) ? WEXITSTATUS(r->status)
                                : 128 + WTERMSIG(r->status);
}

int tc_run(const tc_process *p) {
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
    bool started = start(&r, out, err);
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

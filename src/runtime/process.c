/* process.c - starting a program, talking to it, ending it. */
#include "runtime/process.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    POLL_MS = 50,   /* between looks at cancel and at the clock */
    GRACE_MS = 200, /* from SIGTERM to SIGKILL */
    MOST_FDS = 65536
};

extern char **environ;

uint64_t tc_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- the child's side of the start ---- */

/* What the child needs, made before: after vfork it shares our memory. */
typedef struct start {
    const char *path;
    char *const *argv;
    char **envp;
    int socket, in, out, err;
    uint64_t file; /* bytes that it may write to one, or 0 */
    pid_t parent;
    volatile int error; /* errno of what failed in the child */
} start;

/* Every descriptor but the standard ones goes at exec. */
static void close_at_exec(void) {
#ifdef SYS_close_range
    enum { CLOEXEC = 1 << 2 }; /* CLOSE_RANGE_CLOEXEC */
    if (syscall(SYS_close_range, 3u, ~0u, CLOEXEC) == 0) {
        return;
    }
#endif
    long n = sysconf(_SC_OPEN_MAX);
    for (int fd = 3; fd < (n > 0 && n < MOST_FDS ? n : MOST_FDS); fd++) {
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
}

/* Signals as a program expects them: a shell's child has them so. */
static void plain_signals(void) {
    static const int ours[] = {SIGINT,  SIGQUIT, SIGTERM, SIGPIPE, SIGALRM,
                               SIGTSTP, SIGTTIN, SIGTTOU, SIGCHLD, SIGWINCH};
    sigset_t none;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        signal(ours[i], SIG_DFL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Its files are small, and its memory is kept nowhere. */
static void limit(const start *s) {
    if (s->file > 0) {
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){s->file, s->file});
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    }
}

static void become(start *s) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == s->parent &&
        (s->in <= 0 || dup2(s->in, STDIN_FILENO) >= 0) &&
        (s->out <= 0 || dup2(s->out, STDOUT_FILENO) >= 0) &&
        (s->err <= 0 || dup2(s->err, STDERR_FILENO) >= 0)) {
        limit(s);
        close_at_exec();
        fcntl(s->socket, F_SETFD, 0);
        plain_signals();
        execve(s->path, s->argv, s->envp);
    }
    s->error = errno;
    _exit(127);
}

/* Signals are held back from here to exec: a handler of ours that ran in the
 * child would run in our memory. */
static pid_t fork_and_exec(start *s) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = vfork();
    if (pid == 0) {
        become(s);
    }
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return pid;
}

/* ---- the parent's ---- */

/* The environment with the socket's number in it. The array and its last text
 * are the caller's to free. */
static char **environment(int fd, char text[64]) {
    size_t n = 0, k = 0, len = strlen(TC_RT_FD_ENV);
    while (environ && environ[n]) {
        n++;
    }
    char **all = tc_xcalloc(n + 2, sizeof *all);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(environ[i], TC_RT_FD_ENV, len) != 0 ||
            environ[i][len] != '=') {
            all[k++] = environ[i];
        }
    }
    snprintf(text, 64, "%s=%d", TC_RT_FD_ENV, fd);
    all[k] = text;
    return all;
}

static int open_pidfd(pid_t pid) {
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    return -1;
#endif
}

/* The wall clock's limit is the stricter of two. */
static tc_limits limits_of(const tc_program_options *o) {
    tc_limits l = o->limits ? *o->limits : (tc_limits){0};
    if (o->timeout_s > 0 && (l.wall_s <= 0 || o->timeout_s < l.wall_s)) {
        l.wall_s = o->timeout_s;
    }
    return l;
}

/* In its sandbox it can be read, and the socket's number is told. */
static char *const *command(tc_arena *a, const tc_program_options *o) {
    if (!o->sandbox) {
        return o->argv;
    }
    tc_sandbox box = {.required = o->sandbox->required,
                      .file = o->sandbox->file,
                      .memory = o->sandbox->memory,
                      .together = o->sandbox->together,
                      .processes = o->sandbox->processes,
                      .reads = {o->path},
                      .keeps = {TC_RT_FD_ENV}};
    int n = 0;
    while (o->argv[n]) {
        n++;
    }
    const char **argv = TC_NEWN(a, const char *, n + 1);
    memcpy(argv, o->argv, (size_t)n * sizeof *argv);
    argv[0] = o->path;
    return (char *const *)(uintptr_t)tc_sandbox_command(a, &box, argv);
}

bool tc_process_start(tc_process *p, const tc_program_options *o, char *why,
                      size_t why_size) {
    int pair[2];
    char text[64];
    *p = (tc_process){.socket = -1, .pidfd = -1, .cancel = o->cancel};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        snprintf(why, why_size, "no socket to the program: %s",
                 strerror(errno));
        return false;
    }
    if (pair[1] <= STDERR_FILENO) { /* where one of them is closed */
        int fd = fcntl(pair[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(pair[1]);
        pair[1] = fd;
    }
    int buffer = 4 << 20; /* a wish */
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    tc_arena *a = tc_arena_new();
    char *const *argv = command(a, o);
    start s = {.path = o->sandbox ? argv[0] : o->path,
               .argv = argv,
               .envp = environment(pair[1], text),
               .socket = pair[1],
               .in = o->in,
               .out = o->out,
               .err = o->err,
               .file = o->limits ? o->limits->disk : 0,
               .parent = getpid()};
    tc_limits limits = limits_of(o);
    tc_budget_begin(&p->budget, &limits);
    p->budget.socket = pair[0];
    if (o->device.gpu) {
        tc_family_spare(&p->budget.family, tc_gpu_host_process(o->device.gpu));
    }
    p->pid = fork_and_exec(&s);
    int error = p->pid < 0 ? errno : s.error;
    free(s.envp);
    tc_arena_free(a);
    close(pair[1]);
    if (error) {
        close(pair[0]);
        if (p->pid > 0) {
            waitpid(p->pid, NULL, 0);
        }
        tc_budget_end_all(&p->budget);
        snprintf(why, why_size, "%s: %s", o->path, strerror(error));
        return false;
    }
    p->socket = pair[0];
    p->pidfd = open_pidfd(p->pid);
    p->budget.pid = p->pid;
    return true;
}

/* ---- waiting ---- */

static double seconds(const struct timeval *t) {
    return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

bool tc_process_ended(tc_process *p) {
    while (!p->reaped) {
        struct rusage r = {0};
        pid_t n = wait4(p->pid, &p->status, WNOHANG, &r);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n == 0) {
            return false;
        }
        if (n < 0) { /* somebody else has collected it */
            p->status = 0;
        }
        p->reaped = true;
        tc_budget_collected(&p->budget,
                            seconds(&r.ru_utime) + seconds(&r.ru_stime));
    }
    return true;
}

tc_process_stop tc_process_check(tc_process *p, bool busy) {
    if (p->cancel && *p->cancel) {
        return TC_PROCESS_CANCELLED;
    }
    return tc_budget_poll(&p->budget, busy) != TC_BUDGET_LEFT
               ? TC_PROCESS_LIMIT
               : TC_PROCESS_GOES_ON;
}

/* Until the socket is ready for events. Bytes that the program has sent before
 * its end are still read. */
static tc_process_stop wait_for(tc_process *p, short events) {
    tc_budget_waits(&p->budget);
    for (;;) {
        struct pollfd fds[2] = {{p->socket, events, 0}, {p->pidfd, POLLIN, 0}};
        tc_process_stop stop = tc_process_check(p, false);
        if (stop != TC_PROCESS_GOES_ON) {
            return stop;
        }
        int n = poll(fds, 2, tc_budget_wait_ms(&p->budget, POLL_MS));
        if (n < 0 && errno != EINTR) {
            return TC_PROCESS_CLOSED;
        }
        if (n > 0 && fds[0].revents) {
            return TC_PROCESS_GOES_ON;
        }
        if (n >= 0 && tc_process_ended(p)) {
            /* What it has sent since is there now, or never. */
            fds[0].revents = 0;
            return poll(fds, 1, 0) > 0 ? TC_PROCESS_GOES_ON : TC_PROCESS_CLOSED;
        }
    }
}

tc_process_stop tc_process_read(tc_process *p, void *to, size_t bytes) {
    uint8_t *at = to;
    while (bytes) {
        ssize_t n = recv(p->socket, at, bytes, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
            return TC_PROCESS_CLOSED;
        }
        if (n > 0) {
            at += n;
            bytes -= (size_t)n;
        } else if (errno == EAGAIN) {
            tc_process_stop stop = wait_for(p, POLLIN);
            if (stop != TC_PROCESS_GOES_ON) {
                return stop;
            }
        }
    }
    return TC_PROCESS_GOES_ON;
}

static ssize_t send_some(int fd, const void *from, size_t bytes,
                         int descriptor) {
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec v = {(void *)(uintptr_t)from, bytes};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
    memset(&control, 0, sizeof control);
    if (descriptor >= 0) {
        m.msg_control = control.room;
        m.msg_controllen = sizeof control.room;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof descriptor);
        memcpy(CMSG_DATA(c), &descriptor, sizeof descriptor);
    }
    return sendmsg(fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
}

tc_process_stop tc_process_write(tc_process *p, const void *from, size_t bytes,
                                 int descriptor) {
    const uint8_t *at = from;
    while (bytes) {
        ssize_t n = send_some(p->socket, at, bytes, descriptor);
        if (n < 0 && errno != EAGAIN && errno != EINTR) {
            return TC_PROCESS_CLOSED;
        }
        if (n > 0) {
            at += n;
            bytes -= (size_t)n;
            descriptor = -1;
        } else if (n == 0 || errno == EAGAIN) {
            tc_process_stop stop = wait_for(p, POLLOUT);
            if (stop != TC_PROCESS_GOES_ON) {
                return stop;
            }
        }
    }
    return TC_PROCESS_GOES_ON;
}

/* ---- its end ---- */

/* Without a pidfd its end is looked for, ever less often. */
static bool ends_within(tc_process *p, int ms) {
    uint64_t until = tc_now_ns() + (uint64_t)ms * 1000000;
    for (int nap = 1; !tc_process_ended(p); nap = nap < 8 ? nap * 2 : nap) {
        uint64_t now = tc_now_ns();
        if (now >= until) {
            return false;
        }
        int left = (int)((until - now) / 1000000) + 1;
        struct pollfd fd = {p->pidfd, POLLIN, 0};
        poll(&fd, 1, p->pidfd >= 0 || left < nap ? left : nap);
    }
    return true;
}

tc_process_stop tc_process_wait(tc_process *p) {
    tc_budget_waits(&p->budget);
    tc_process_stop stop = TC_PROCESS_GOES_ON;
    while (stop == TC_PROCESS_GOES_ON &&
           !ends_within(p, tc_budget_wait_ms(&p->budget, POLL_MS))) {
        stop = tc_process_check(p, false);
    }
    return stop;
}

double tc_process_end(tc_process *p) {
    if (!tc_process_ended(p)) {
        kill(p->pid, SIGTERM);
        kill(p->pid, SIGCONT); /* it may be stopped */
        if (!ends_within(p, GRACE_MS)) {
            kill(p->pid, SIGKILL);
            while (!ends_within(p, 1000)) {
            }
        }
    }
    close(p->socket);
    if (p->pidfd >= 0) {
        close(p->pidfd);
    }
    return tc_budget_end_all(&p->budget);
}

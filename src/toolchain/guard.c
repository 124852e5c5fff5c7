/* guard.c - the process between us and a compiler. It is a fork of ours that
 * runs the compiler, and stays until nothing of it is left: what a compiler
 * starts is the guard's too once its own parent has gone
 * (PR_SET_CHILD_SUBREAPER), so that all of it can be found and ended, also
 * where we were killed and could do nothing any more. That is when the socket
 * to us is at its end.
 *
 * It comes out of a process that may have threads: there are only calls that
 * are safe in a signal handler. */
#include "toolchain/guard.h"
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SOCKET = 3,   /* the guard's end, in the guard */
    MERCY = 1000, /* ms between SIGTERM and SIGKILL */
    TICK = 5,     /* ms between looks while all is ended */
    MOST_FDS = 65536
};

/* --- the compiler's side ---------------------------------------------------*/

static void limit(int what, rlim_t most) {
    struct rlimit r;
    if (getrlimit(what, &r) == 0 && (r.rlim_max > most)) {
        r.rlim_max = most;
        r.rlim_cur = r.rlim_cur < most ? r.rlim_cur : most;
        setrlimit(what, &r);
    }
}

/* The system's own limits, of a process each: behind those that tc_run holds
 * all together to, for what is quicker than it looks. */
static void set_limits(const tc_limits *l) {
    const uint64_t slack = (uint64_t)1 << 30;
    limit(RLIMIT_CORE, 0);
    if (l == NULL) {
        return;
    }
    if (l->cpu_s > 0) {
        limit(RLIMIT_CPU, (rlim_t)l->cpu_s + 5);
    }
    /* the shadow memory of a sanitizer, in whom we start the sandbox, is more */
#if !defined(__SANITIZE_ADDRESS__)
    if (l->memory > 0) {
        limit(RLIMIT_AS, (rlim_t)(l->memory + l->memory / 4 + slack));
    }
#else
    (void)slack;
#endif
    if (l->disk > 0) {
        limit(RLIMIT_FSIZE, (rlim_t)l->disk);
    }
}

static void all_signals(void (*what)(int)) {
    sigset_t none;
    for (int i = 1; i < NSIG; i++) {
        if (i != SIGKILL && i != SIGSTOP) {
            signal(i, what);
        }
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void tell(int socket, tc_guard_word what, int value) {
    tc_guard_report said = {what, value};
    ssize_t n = send(socket, &said, sizeof said, MSG_NOSIGNAL);
    (void)n;
}

static _Noreturn void become(const tc_guarded *g, pid_t guard) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == guard) { /* it may have gone before the line above */
        all_signals(SIG_DFL);
        set_limits(g->limits);
        if (g->folder == NULL || chdir(g->folder) == 0) {
            execve(g->argv[0], (char *const *)(uintptr_t)g->argv,
                   (char *const *)(uintptr_t)g->env);
        }
        tell(SOCKET, TC_GUARD_NOT_STARTED, errno);
    }
    _exit(127);
}

/* --- the guard's -----------------------------------------------------------*/

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void close_from(int first) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0) {
        return;
    }
#endif
    long n = sysconf(_SC_OPEN_MAX);
    for (int fd = first; fd < (n > 0 && n < MOST_FDS ? n : MOST_FDS); fd++) {
        close(fd);
    }
}

/* Standard streams and the socket in their places, nothing else open: a
 * descriptor of ours that stayed open would keep others from seeing our end. */
static bool place(const tc_guarded *g) {
    int from[4] = {open("/dev/null", O_RDONLY), g->out, g->err, g->socket};
    for (int i = 0; i < 4; i++) { /* out of each other's way */
        from[i] = from[i] < 0 ? -1 : fcntl(from[i], F_DUPFD, SOCKET + 1);
    }
    for (int i = 0; i < 4; i++) {
        if (from[i] < 0 || dup2(from[i], i) < 0) {
            return false;
        }
    }
    fcntl(SOCKET, F_SETFD, FD_CLOEXEC);
    close_from(SOCKET + 1);
    return true;
}

/* Reaps what has ended. False: there is nobody left. */
static bool reap(pid_t compiler, int *status, bool *ended) {
    for (;;) {
        int how;
        pid_t pid = waitpid(-1, &how, WNOHANG);
        if (pid == 0 || (pid < 0 && errno == EINTR)) {
            return true;
        }
        if (pid < 0) {
            return false;
        }
        if (pid == compiler) {
            *status = how;
            *ended = true;
        }
    }
}

/* A signal for every child of the guard: the compiler's group, while that is
 * its own, and whoever has lost his parent. */
static void signal_all(pid_t compiler, bool ended, int sig) {
    char text[4096];
    int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    if (!ended || fd < 0) {
        kill(-compiler, sig);
    }
    text[n > 0 ? n : 0] = '\0';
    for (char *p = text, *end; *p != '\0'; p = end) {
        long pid = strtol(p, &end, 10);
        if (end == p) {
            break;
        }
        if (pid > 1 && *end == ' ') {
            kill((pid_t)pid, sig);
            kill((pid_t)pid, SIGCONT);
        }
    }
}

/* Ends all that is left: who clears up after himself has a second. */
static void end_all(pid_t compiler, int *status, bool *ended) {
    int64_t begin = now_ms();
    bool asked = false;
    while (reap(compiler, status, ended)) {
        bool late = now_ms() - begin > MERCY;
        if (!asked || late) {
            signal_all(compiler, *ended, late ? SIGKILL : SIGTERM);
            asked = true;
        }
        poll(NULL, 0, TICK);
    }
}

/* Until the compiler has ended, or we want it to, or are no more: then false.
 */
static bool attend(pid_t compiler, int signals, int *status, bool *ended) {
    for (;;) {
        struct pollfd fds[2] = {{SOCKET, POLLIN, 0}, {signals, POLLIN, 0}};
        struct signalfd_siginfo info;
        char word;
        if (!reap(compiler, status, ended) || *ended) {
            return true;
        }
        poll(fds, 2, signals >= 0 ? -1 : TICK);
        if (fds[0].revents != 0) {
            ssize_t n = recv(SOCKET, &word, 1, MSG_DONTWAIT);
            if (n > 0) {
                return true;
            }
            if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
                return false;
            }
        }
        if (fds[1].revents != 0) {
            ssize_t n = read(signals, &info, sizeof info);
            (void)n;
        }
    }
}

static _Noreturn void guard(const tc_guarded *g) {
    sigset_t child;
    int status = 0;
    bool ended = false;
    all_signals(SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_SETMASK, &child, NULL);
    setsid(); /* no terminal: what reads from it fails */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t self = getpid();
    bool placed = place(g);
    pid_t compiler = placed ? fork() : -1;
    if (compiler == 0) {
        become(g, self);
    }
    if (compiler < 0) {
        tell(placed ? SOCKET : g->socket, TC_GUARD_NOT_STARTED, errno);
        _exit(127);
    }
    setpgid(compiler, compiler);
    for (int fd = 0; fd < SOCKET; fd++) {
        close(fd);
    }
    int signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    bool alone = !attend(compiler, signals, &status, &ended);
    end_all(compiler, &status, &ended);
    if (alone && g->own != NULL) {
        tc_remove_tree(g->own);
    }
    tell(SOCKET, TC_GUARD_ENDED, status);
    _exit(0);
}

/* --- ours ------------------------------------------------------------------*/

pid_t tc_guard_start(tc_guarded *g, int *socket) {
    int pair[2];
    sigset_t all, before;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return -1;
    }
    g->socket = pair[1];
    sigfillset(&all); /* no handler of ours runs in the guard */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0) {
        guard(g);
    }
    int e = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
    }
    *socket = pair[0];
    errno = e;
    return pid;
}

void tc_guard_end(int socket) {
    ssize_t n = send(socket, "e", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)n;
}

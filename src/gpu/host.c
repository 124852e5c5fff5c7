/* host.c - starting the device process, talking to it, ending it. */
#include "gpu/host.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    HELLO_MS = 30000, /* a slow start, on a machine with much to do */
    POLL_MS = 20,     /* between looks at cancel */
    SEEN_MS = 100,    /* from the socket's end to that of who has closed it */
    GRACE_MS = 2000,  /* from the end of its input to SIGKILL */
    KILLED_MS = 5000  /* the kernel may have to stop the GPU first */
};

extern char **environ;

tc_gpu_host *tc_gpu_host_new(void) {
    tc_gpu_host *h = tc_xcalloc(1, sizeof *h);
    h->socket = h->printed = -1;
    return h;
}

void tc_gpu_host_free(tc_gpu_host *h) {
    if (h != NULL) {
        tc_gpu_host_end(h, false, (tc_gpu_complaint){NULL, 0});
        free(h->runner);
        free(h);
    }
}

const char *tc_gpu_host_runs_by(const tc_gpu_host *h) {
    return h != NULL ? h->runner : NULL;
}

void tc_gpu_host_runner(tc_gpu_host *h, const char *command) {
    if (h == NULL) {
        return;
    }
    tc_gpu_host_end(h, true, (tc_gpu_complaint){NULL, 0});
    free(h->runner);
    h->runner = command != NULL ? tc_xstrdup(command) : NULL;
}

void tc_gpu_host_listen(tc_gpu_host *h,
                        void (*waits)(void *user, const char *why), void *user,
                        const atomic_int *cancel) {
    h->waits = waits;
    h->waits_user = user;
    h->cancel = cancel;
}

int tc_gpu_host_process(const tc_gpu_host *h) {
    return h->pid;
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* --- its start -------------------------------------------------------------*/

/* The environment, and the mark of that process. The array is the caller's. */
static char **environment(void) {
    static char mark[] = TC_GPU_ENV "=1";
    size_t n = 0;
    while (environ != NULL && environ[n] != NULL) {
        n++;
    }
    char **all = tc_xcalloc(n + 2, sizeof *all);
    all[0] = mark;
    for (size_t i = 0; i < n; i++) {
        all[i + 1] = environ[i];
    }
    return all;
}

/* The same program once more, not a fork of it: a fork would have what this
 * process is in the middle of (threads that wait for a CUDA program, readline's
 * and ncurses's terminal, their signal handlers), and the driver starts threads
 * of its own. Its group is its own, so that Ctrl-C at the terminal is not its
 * end; its descriptors are the four that it is told of, and standard error. */
static int spawn(char *runner, const int fds[3], int *pid) {
    static char name[] = "tilecopy-gpu", here[] = TC_GPU_ARGUMENT,
                there[] = TC_GPU_RELAY;
    char *const argv[] = {name, runner != NULL ? there : here, runner, NULL};
    char **env = environment();
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, fds[0], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, fds[1], TC_GPU_SOCKET);
    posix_spawn_file_actions_adddup2(&files, fds[2], TC_GPU_STAGING_FD);
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 34)
    posix_spawn_file_actions_addclosefrom_np(&files, TC_GPU_STAGING_FD + 1);
#endif
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP |
                                       POSIX_SPAWN_SETSIGMASK |
                                       POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &all);
    pid_t child = 0;
    int error = posix_spawn(&child, "/proc/self/exe", &files, &how, argv, env);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    free(env);
    *pid = error == 0 ? (int)child : 0;
    return error;
}

/* Above those that the process is to have: dup2 in turn must not hit one that
 * is still to be had. */
static int away(int fd) {
    int up = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, TC_GPU_STAGING_FD + 1) : -1;
    if (fd >= 0) {
        close(fd);
    }
    return up;
}

static void close_if(int fd) {
    if (fd >= 0) {
        close(fd);
    }
}

static uint8_t *map_staging(int fd) {
    if (fd < 0 || ftruncate(fd, TC_GPU_STAGING) != 0) {
        return NULL;
    }
    void *p =
        mmap(NULL, TC_GPU_STAGING, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return p != MAP_FAILED ? p : NULL;
}

static bool begin(tc_gpu_host *h) {
    int pair[2] = {-1, -1};
    int memory = away(memfd_create("gpu-staging", MFD_CLOEXEC));
    h->printed = away(memfd_create("gpu-printed", MFD_CLOEXEC));
    h->staging = map_staging(memory);
    int error = 0;
    if (h->printed < 0 || h->staging == NULL ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        error = errno;
    } else {
        h->socket = pair[0];
        pair[1] = away(pair[1]);
        const int fds[3] = {h->printed, pair[1], memory};
        error = pair[1] >= 0 ? spawn(h->runner, fds, &h->pid) : errno;
    }
    close_if(pair[1]);
    close_if(memory);
    errno = error;
    return error == 0;
}

/* A program without tc_gpu_process in its main says something else, or nothing;
 * the mark in its environment keeps it from starting itself once more. */
static bool greets(tc_gpu_host *h) {
    char hello[sizeof TC_GPU_HELLO] = "";
    struct pollfd fd = {h->socket, POLLIN, 0};
    double until = now_ms() + HELLO_MS;
    int n = 0;
    while (n <= 0 && now_ms() < until) {
        n = poll(&fd, 1, HELLO_MS);
    }
    return n > 0 &&
           tc_gpu_host_receive(h, hello, sizeof hello, NULL) == TC_GPU_HEARD &&
           strcmp(hello, TC_GPU_HELLO) == 0;
}

bool tc_gpu_host_start(tc_gpu_host *h, tc_gpu_complaint c) {
    tc_gpu_complaint unsaid = {NULL, 0};
    if (h->pid != 0) {
        siginfo_t i = {0};
        if (waitid(P_PID, (id_t)h->pid, &i, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            i.si_pid == 0) {
            return true;
        }
        tc_gpu_host_end(h, true, unsaid);
    }
    if (getenv(TC_GPU_ENV) != NULL) {
        snprintf(c.why, c.size,
                 "the process for the GPU cannot have one of its own");
        return false;
    }
    if (!begin(h)) {
        snprintf(c.why, c.size, "the process for the GPU cannot start: %s",
                 strerror(errno));
        tc_gpu_host_end(h, true, unsaid);
        return false;
    }
    if (!greets(h)) {
        char how[128] = "";
        tc_gpu_host_end(h, true, (tc_gpu_complaint){how, sizeof how});
        snprintf(c.why, c.size, "the process for the GPU does not serve it: %s",
                 how);
        return false;
    }
    return true;
}

/* --- bytes -----------------------------------------------------------------*/

bool tc_gpu_host_send(tc_gpu_host *h, const void *from, size_t bytes) {
    const uint8_t *at = from;
    while (bytes > 0) {
        ssize_t n = send(h->socket, at, bytes, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        at += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Asked at least every LOOK_MS; a signal that raises it ends the wait. */
static bool is_cancelled(const tc_gpu_host *h, const atomic_int *cancel) {
    struct pollfd fd = {h->socket, POLLIN, 0};
    while (poll(&fd, 1, cancel != NULL ? POLL_MS : -1) <= 0) {
        if (cancel != NULL && *cancel != 0) {
            return true;
        }
    }
    return false;
}

tc_gpu_heard tc_gpu_host_receive(tc_gpu_host *h, void *to, size_t bytes,
                                 const atomic_int *cancel) {
    uint8_t *at = to;
    while (bytes > 0) {
        if (is_cancelled(h, cancel)) {
            return TC_GPU_CANCELLED;
        }
        ssize_t n = recv(h->socket, at, bytes, 0);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return TC_GPU_GONE;
        }
        at += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return TC_GPU_HEARD;
}

/* --- its end ---------------------------------------------------------------*/

/* Waits at most so long. True: it is collected. Its status is lost where
 * somebody else has collected it. */
static bool collect(int pid, int ms, int *status) {
    for (int nap = 1; ms > 0; ms -= nap, nap = nap < 16 ? nap * 2 : nap) {
        pid_t n = waitpid(pid, status, WNOHANG);
        if (n == pid || (n < 0 && errno != EINTR)) {
            return true;
        }
        nanosleep(&(struct timespec){0, nap * 1000000L}, NULL);
    }
    return false;
}

static void tell(int status, tc_gpu_complaint c) {
    if (c.why == NULL) {
        return;
    }
    if (WIFSIGNALED(status)) {
        snprintf(c.why, c.size, "ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    } else {
        snprintf(c.why, c.size, "ended with status %d", WEXITSTATUS(status));
    }
}

/* One that not even SIGKILL ends in time is inside the GPU's driver: it goes
 * when that lets it, and is this process's zombie until then. */
void tc_gpu_host_end(tc_gpu_host *h, bool at_once, tc_gpu_complaint c) {
    int status = 0;
    close_if(h->socket);
    if (h->pid != 0) {
        int patience = at_once ? c.why != NULL ? SEEN_MS : 1 : GRACE_MS;
        if (!collect(h->pid, patience, &status)) {
            kill(h->pid, SIGKILL);
            collect(h->pid, KILLED_MS, &status);
        }
        tell(status, c);
    }
    close_if(h->printed);
    if (h->staging != NULL) {
        munmap(h->staging, TC_GPU_STAGING);
    }
    h->pid = 0;
    h->socket = h->printed = -1;
    h->staging = NULL;
}

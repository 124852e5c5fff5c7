/* watch.c - what stops a kernel from outside: the program's end, the deadline,
 * the user. The device polls a flag; a thread of its own sets it. */
#include "runtime/process.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MS = 20 };

struct tc_watch {
    tc_process *p;
    bool elsewhere; /* kernels take no processor time of this machine */
    atomic_int flag;
    atomic_int on;
    int wake; /* written to at the end */
    atomic_int over;
    bool running;
    pthread_t thread;
};

/* Has the program ended? Leaves its status for who waits for it. */
static bool gone(const tc_process *p) {
    siginfo_t i = {0};
    return waitid(P_PID, (id_t)p->pid, &i, WEXITED | WNOHANG | WNOWAIT) == 0
               ? i.si_pid == p->pid
               : errno == ECHILD;
}

static void *look(void *arg) {
    tc_watch *w = arg;
    while (!w->over) {
        struct pollfd fd = {w->wake, POLLIN, 0};
        if (poll(&fd, 1, POLL_MS) > 0) {
            uint64_t n;
            if (read(w->wake, &n, sizeof n) < 0) {
                break;
            }
        }
        if (w->on &&
            (tc_process_check(w->p, !w->elsewhere) != TC_PROCESS_GOES_ON ||
             gone(w->p))) {
            w->flag = 1;
        }
    }
    return NULL;
}

static void poke(tc_watch *w) {
    uint64_t one = 1;
    ssize_t n = write(w->wake, &one, sizeof one);
    (void)n; /* it looks by itself, a little later */
}

tc_watch *tc_watch_new(tc_process *p, bool elsewhere) {
    tc_watch *w = tc_xcalloc(1, sizeof *w);
    w->p = p;
    w->elsewhere = elsewhere;
    w->wake = -1;
    return w;
}

const atomic_int *tc_watch_flag(const tc_watch *w) {
    return &w->flag;
}

/* The thread starts with the first kernel. */
void tc_watch_on(tc_watch *w, bool on) {
    if (on && !w->running) {
        sigset_t all, before;
        w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before); /* not its business */
        w->running =
            w->wake >= 0 && pthread_create(&w->thread, NULL, look, w) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    w->on = on;
}

void tc_watch_free(tc_watch *w) {
    if (!w) {
        return;
    }
    if (w->running) {
        w->over = 1;
        poke(w);
        pthread_join(w->thread, NULL);
    }
    if (w->wake >= 0) {
        close(w->wake);
    }
    free(w);
}

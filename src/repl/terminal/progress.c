/* progress.c - see progress.h. A thread of its own looks at what is done and
 * writes; the others only make it hide. No signal reaches it. */
#include "repl/terminal/progress.h"

#include "base/progress/progress.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MS = 500, SHARED_MS = 2000, EACH_MS = 200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ends = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool running, ending;
static bool shown, shown_below; /* a line stands there, below another's text */
static pid_t owner;

static void put(const char *text, size_t len) {
    ssize_t n = write(STDERR_FILENO, text, len);
    (void)n; /* a terminal that is gone: nobody reads it */
}

/* With the lock. */
static void erase(void) {
    if (shown) {
        const char *text = shown_below ? "\r\033[K\0338" : "\r\033[K";
        put(text, strlen(text));
        shown = false;
    }
}

static int columns(void) {
    struct winsize w;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 1;
    return known ? w.ws_col - 1 : 79;
}

/* With the lock. */
static void draw(const tc_progress *p) {
    char text[TC_PROGRESS_TEXT + 128], out[TC_PROGRESS_TEXT + 160];
    int n = tc_progress_text(p, text, sizeof text), width = columns();
    n = n > width ? width : n;
    const char *begin = "\r\033[K";
    if (!shown) {
        shown_below = p->shared;
        begin = p->shared ? "\0337\r\n\033[K" : begin;
    }
    int len = snprintf(out, sizeof out, "%s%.*s", begin, n, text);
    put(out, (size_t)len < sizeof out ? (size_t)len : sizeof out - 1);
    shown = true;
}

static void look(void) {
    tc_progress p;
    if (!tc_progress_now(&p)) {
        erase();
    } else if (p.seconds * 1000 >= (p.shared ? SHARED_MS : FIRST_MS)) {
        draw(&p);
    }
}

static void *main_of_thread(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!ending) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += EACH_MS * 1000000;
        t.tv_sec += t.tv_nsec / 1000000000;
        t.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&ends, &lock, &t) == ETIMEDOUT) {
            look();
        }
    }
    erase();
    pthread_mutex_unlock(&lock);
    return NULL;
}

static bool can_erase(void) {
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && kind != NULL && *kind != '\0' &&
           strcmp(kind, "dumb") != 0;
}

void tc_progress_line_begin(void) {
    sigset_t all, old;
    if (running || !can_erase()) {
        return;
    }
    ending = shown = false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    running = pthread_create(&thread, NULL, main_of_thread, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    owner = getpid();
}

void tc_progress_line_end(void) {
    if (running && owner == getpid()) {
        pthread_mutex_lock(&lock);
        ending = true;
        pthread_cond_signal(&ends);
        pthread_mutex_unlock(&lock);
        pthread_join(thread, NULL);
        running = false;
    }
}

void tc_progress_line_hide(void) {
    if (running && owner == getpid()) { /* a child has no such thread */
        pthread_mutex_lock(&lock);
        erase();
        pthread_mutex_unlock(&lock);
    }
}

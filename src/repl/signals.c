/* signals.c - Ctrl-C and the time limit. */
#include "repl/signals.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* After the limit the timer goes on: a request that came before the session
 * was ready for it is repeated, and the GRACE-th one is the last. */
enum { AGAIN_MS = 250, GRACE = 20 };

/* Signal handlers have no argument, so what they need is kept here. */
static tc_session *_Atomic running;
static volatile sig_atomic_t alarms, interrupted;
static struct sigaction old_int, old_alarm;
static bool took_int;
static volatile sig_atomic_t echoes; /* of Ctrl-C, on standard error */

static void on_int(int sig) {
    (void)sig;
    if (running == NULL) {
        return;
    }
    interrupted = true;
    tc_session_interrupt(running, false);
    if (echoes) { /* the terminal's ^C stands where the next line begins */
        ssize_t n = write(STDERR_FILENO, "\n", 1);
        (void)n;
        echoes = false;
    }
}

static void on_alarm(int sig) {
    (void)sig;
    static const char last_words[] =
        "tilecopy-repl: error: the time limit has passed, and what runs cannot "
        "be stopped\n";
    if (running == NULL) {
        return;
    }
    tc_session_interrupt(running, true);
    if (++alarms == GRACE) {
        ssize_t n = write(STDERR_FILENO, last_words, sizeof last_words - 1);
        (void)n;
        _exit(TC_TIMEOUT);
    }
}

static void take(int sig, void (*fn)(int), struct sigaction *old) {
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = fn;
    sa.sa_flags = SA_RESTART;
    sigemptyset(&sa.sa_mask);
    sigaction(sig, &sa, old);
}

static volatile sig_atomic_t ended;

static void on_end(int sig) {
    ended = sig;
    if (running != NULL) {
        tc_session_interrupt(running, false);
    }
}

void tc_signals_take_endings(void) {
    static const int endings[] = {SIGTERM, SIGHUP};
    for (int i = 0; i < 2; i++) {
        struct sigaction old;
        if (sigaction(endings[i], NULL, &old) == 0 &&
            old.sa_handler != SIG_IGN) { /* nohup(1) */
            take(endings[i], on_end, &old);
        }
    }
}

bool tc_signals_interrupted(void) {
    return interrupted != 0;
}

int tc_signals_ended(void) {
    return ended;
}

void tc_signals_begin(tc_session *s, double limit, bool ctrl_c) {
    running = s;
    alarms = interrupted = 0;
    take(SIGALRM, on_alarm, &old_alarm);
    took_int = ctrl_c;
    echoes = isatty(STDERR_FILENO) != 0;
    if (ctrl_c) {
        take(SIGINT, on_int, &old_int);
    }
    if (limit > 0) {
        struct itimerval t = {.it_interval.tv_usec = AGAIN_MS * 1000};
        t.it_value.tv_sec = (time_t)limit;
        t.it_value.tv_usec =
            (suseconds_t)((limit - (double)t.it_value.tv_sec) * 1e6);
        if (t.it_value.tv_sec == 0 && t.it_value.tv_usec == 0) {
            t.it_value.tv_usec = 1; /* 0 would mean no timer */
        }
        setitimer(ITIMER_REAL, &t, NULL);
    }
}

void tc_signals_end(void) {
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    running = NULL;
    sigaction(SIGALRM, &old_alarm, NULL);
    if (took_int) {
        sigaction(SIGINT, &old_int, NULL);
    }
}

/* signals.c - Ctrl-C and the time limit. */
#include "repl/signals.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* After the limit the timer goes on: a request that came before the session
 * was ready for it is repeated, and the GRACE-th one is the last. So it is
 * after a signal that ends the program; to clear away may take longer. */
enum { AGAIN_MS = 250, GRACE = 20, GRACE_AT_END = 40 };

/* Signal handlers have no argument, so what they need is kept here. */
static tc_session *_Atomic running;
static volatile sig_atomic_t alarms, interrupted, ended;
static struct sigaction old_int, old_alarm;
static pid_t above; /* the process above ours: see tc_supervise() */
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

static void die(int sig) {
    signal(sig, SIG_DFL);
    raise(sig);
    _exit(128 + sig); /* it is blocked */
}

static void on_alarm(int sig) {
    (void)sig;
    static const char last_message[] =
        "tilecopy-repl: error: the time limit has passed, and what runs cannot "
        "be stopped\n";
    if (running != NULL) {
        tc_session_interrupt(running, ended == 0);
    }
    if (ended != 0 && ++alarms == GRACE_AT_END) {
        die(ended);
    }
    if (ended == 0 && running != NULL && ++alarms == GRACE) {
        ssize_t n = write(STDERR_FILENO, last_message, sizeof last_message - 1);
        (void)n;
        _exit(TC_TIMEOUT);
    }
}

static void repeat_from(double seconds) {
    struct itimerval t = {.it_interval.tv_usec = AGAIN_MS * 1000};
    t.it_value.tv_sec = (time_t)seconds;
    t.it_value.tv_usec =
        (suseconds_t)((seconds - (double)t.it_value.tv_sec) * 1e6);
    if (t.it_value.tv_sec == 0 && t.it_value.tv_usec == 0) {
        t.it_value.tv_usec = 1; /* 0 would mean no timer */
    }
    setitimer(ITIMER_REAL, &t, NULL);
}

/* Alarms follow: they reach an evaluation, or a read, that is about to begin.
 */
static void on_end(int sig) {
    if (ended == 0) {
        ended = sig;
        alarms = 0;
        if (getppid() != above) { /* killed: a shell has the terminal, whose */
            signal(SIGTTOU, SIG_IGN); /* modes we give back nevertheless */
        }
        repeat_from(AGAIN_MS / 1000.0);
    }
    if (running != NULL) {
        tc_session_interrupt(running, false);
    }
}

/* What waits for input goes on after all but a signal that ends us. */
static void take(int sig, void (*fn)(int), struct sigaction *old) {
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = fn;
    sa.sa_flags = fn == on_int ? SA_RESTART : 0;
    sigemptyset(&sa.sa_mask);
    sigaction(sig, &sa, old);
}

void tc_signals_take_endings(bool ctrl_c) {
    static const int endings[] = {SIGTERM, SIGHUP, SIGINT};
    struct sigaction old;
    above = getppid();
    take(SIGALRM, on_alarm, &old);
    for (int i = 0; i < (ctrl_c ? 3 : 2); i++) {
        if (sigaction(endings[i], NULL, &old) == 0 &&
            old.sa_handler != SIG_IGN) { /* nohup(1) */
            take(endings[i], on_end, &old);
        }
    }
}

void tc_signals_die(void) {
    if (ended != 0) {
        die(ended);
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
    interrupted = 0;
    alarms = ended != 0 ? alarms : 0;
    take(SIGALRM, on_alarm, &old_alarm);
    took_int = ctrl_c;
    echoes = isatty(STDERR_FILENO) != 0;
    if (ctrl_c) {
        take(SIGINT, on_int, &old_int);
    }
    if (limit > 0) {
        repeat_from(limit);
    }
    if (ended != 0) { /* just now, maybe */
        repeat_from(AGAIN_MS / 1000.0);
    }
}

void tc_signals_end(void) {
    running = NULL;
    if (ended == 0) {
        setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    }
    if (ended != 0) {
        repeat_from(AGAIN_MS / 1000.0);
    }
    sigaction(SIGALRM, &old_alarm, NULL);
    if (took_int) {
        sigaction(SIGINT, &old_int, NULL);
    }
}

/* supervise.c - a process above the one that works, which outlives it. */
#include "base/temporary.h"
#include "runtime/family.h"
#include "tilecopy.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static void passed_on(sigset_t *s) {
    static const int all[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD};
    sigemptyset(s);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sigaddset(s, all[i]);
    }
}

/* The worker has stopped, in its own order: so do we, as a shell that has the
 * terminal looks at us alone. It goes on when we do. */
static void stop_too(pid_t worker, int number) {
    sigset_t one, blocked;
    sigemptyset(&one);
    sigaddset(&one, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &one, &blocked); /* it comes now */
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    kill(worker, SIGCONT);
}

/* Until the worker has ended: its waitpid status. A terminal's signals reach
 * it by themselves; those of kill(1) are passed on. */
static int follow(pid_t worker, const sigset_t *signals) {
    int status = 0;
    for (;;) {
        siginfo_t info;
        if (waitpid(worker, &status, WNOHANG | WUNTRACED) == worker) {
            if (!WIFSTOPPED(status)) {
                return status;
            }
            stop_too(worker, WSTOPSIG(status));
            continue;
        }
        int number = sigwaitinfo(signals, &info);
        if (number > 0 && number != SIGCHLD && info.si_code <= 0) {
            kill(worker, number);
        }
    }
}

bool tc_supervise(int *status) {
    sigset_t signals, before;
    tc_family family;
    pid_t self = getpid();
    struct termios modes;
    bool has_modes = tcgetattr(STDIN_FILENO, &modes) == 0;
    passed_on(&signals);
    tc_temporaries_share();
    sigprocmask(SIG_BLOCK, &signals, &before);
    sigset_t stops; /* Ctrl-Z: the worker first */
    sigemptyset(&stops);
    sigaddset(&stops, SIGTSTP);
    sigprocmask(SIG_BLOCK, &stops, NULL);
    tc_family_begin(&family);
    pid_t worker = fork();
    if (worker <= 0) {
        if (worker == 0) { /* and does what it does for SIGTERM */
            prctl(PR_SET_PDEATHSIG, SIGTERM);
            if (getppid() != self) {
                raise(SIGTERM);
            }
        } /* else there is no room for one: it works alone */
        sigprocmask(SIG_SETMASK, &before, NULL);
        return false;
    }
    int ended = follow(worker, &signals);
    tc_family_end(&family);
    tc_temporaries_end(true);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (has_modes && WIFSIGNALED(ended)) { /* a prompt's are other ones */
        sigaddset(&stops, SIGTTOU);
        sigprocmask(SIG_BLOCK, &stops, NULL);
        tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
    }
    int number = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
    if (number == SIGINT || number == SIGTERM || number == SIGHUP) {
        signal(number, SIG_DFL); /* as a shell's loop looks for it */
        raise(number);
    }
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    return true;
}

// Wrong: a daemon in a session of its own, behind two forks, that heeds no
// signal; and never returns.
#include "pool.cuh"
#include <csignal>
#include <cstdlib>
#include <unistd.h>

void maxpool15(float *out, const float *in, int n) {
    if (fork() == 0) {
        setsid();
        signal(SIGTERM, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        if (fork() == 0) {
            execlp("sleep", getenv("DAEMON"), "1234", nullptr);
        }
        _exit(0);
    }
    while (true) {
        pause();
    }
}

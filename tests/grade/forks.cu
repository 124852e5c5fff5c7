// Right, but leaves a process behind that holds all that it has inherited.
#include "pool.cuh"
#include <unistd.h>

void maxpool15(float *out, const float *in, int n) {
    if (fork() == 0) {
        sleep(1000);
        _exit(0);
    }
    right(out, in, n);
}

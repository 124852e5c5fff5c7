// Right, but more than half a second each time: all cases together are too much.
#include "pool.cuh"
#include <unistd.h>

void maxpool15(float *out, const float *in, int n) {
    right(out, in, n);
    usleep(600000);
}

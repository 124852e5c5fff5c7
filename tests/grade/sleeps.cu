// Wrong: never returns.
#include "pool.cuh"
#include <unistd.h>

void maxpool15(float *out, const float *in, int n) {
    right(out, in, n);
    while (true) {
        sleep(1000);
    }
}

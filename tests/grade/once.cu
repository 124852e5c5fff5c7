// Wrong: works the first time only.
#include "pool.cuh"

void maxpool15(float *out, const float *in, int n) {
    static bool done;
    if (!done) {
        right(out, in, n);
        done = true;
    }
}

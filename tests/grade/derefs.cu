// Wrong: the host reads device memory.
#include "pool.cuh"

void maxpool15(float *out, const float *in, int n) {
    if (in[0] > 0) {
        right(out, in, n);
    }
}

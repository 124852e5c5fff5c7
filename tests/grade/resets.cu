// Wrong: takes the whole device back.
#include "pool.cuh"

void maxpool15(float *out, const float *in, int n) {
    right(out, in, n);
    cudaDeviceReset();
}

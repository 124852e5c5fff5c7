// Wrong: ends the program with status 0.
#include "pool.cuh"
#include <cstdlib>

void maxpool15(float *out, const float *in, int n) {
    right(out, in, n);
    cudaDeviceSynchronize();
    exit(0);
}

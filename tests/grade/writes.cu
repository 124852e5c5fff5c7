// Right: its own temporary memory, and a careless write to standard input.
#include "pool.cuh"
#include <unistd.h>

void maxpool15(float *out, const float *in, int n) {
    float *own;
    cudaMalloc(&own, n * sizeof(float));
    cudaMemset(own, 1, n * sizeof(float));
    if (write(0, "zero", 4) == 4) {
        lseek(0, 0, SEEK_SET);
    }
    right(out, in, n);
    cudaFree(own);
}

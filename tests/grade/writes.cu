// Right: its own temporary memory, and a careless write to standard input.
#include "pool.cuh"
#include <unistd.h>

void maxpool15(float *out, const float *in, int n) {
    float *copy;
    cudaMalloc(&copy, n * sizeof(float));
    cudaMemcpy(copy, in, n * sizeof(float), cudaMemcpyDeviceToDevice);
    if (write(0, "zero", 4) == 4) {
        lseek(0, 0, SEEK_SET);
    }
    right(out, copy, n);
    cudaFree(copy);
}

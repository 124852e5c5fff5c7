// Wrong: a timed grid of 2^31 blocks, of which a quantum of the clock starts
// millions.
#include "pool.cuh"

static __global__ void k(int *p) {
    if (blockIdx.x == 2147483646) {
        *p = 1;
    }
}

void maxpool15(float *out, const float *in, int n) {
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    cudaEventRecord(a);
    k<<<2147483647, 1>>>(reinterpret_cast<int *>(out));
    cudaEventRecord(b);
    cudaDeviceSynchronize();
    float ms;
    cudaEventElapsedTime(&ms, a, b);
}

// Calls a device function and reads device memory of another source. Both
// sources have a static variable, and a kernel, of one name.
#include "grid.h"

extern __device__ float times(float x);
extern __constant__ float offset;
static __device__ int calls;

template <typename T> __global__ void clear(T *p, int n) {
    if (threadIdx.x < n) {
        p[threadIdx.x] = 0;
    }
}

__global__ void scale(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i] = times((float)i) + offset;
        atomicAdd(&calls, 1);
    }
}

bool scaled(float *values, int n) {
    float *p;
    int seen = 0;
    cudaMalloc(&p, n * sizeof *p);
    clear<<<1, 32>>>(p, 32);
    scale<<<(n + 127) / 128, 128>>>(p, n);
    cudaMemcpy(values, p, n * sizeof *p, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&seen, calls, sizeof seen);
    cudaFree(p);
    return seen == n;
}

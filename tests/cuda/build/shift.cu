// The device function and the constant that scale.cu refers to.
#include "grid.h"

__constant__ float offset = OFFSET / 2;
static __device__ int calls = 7;
__device__ float times(float x) { return SCALE * x; }

template <typename T> __global__ void clear(T *p, int n) {
    if (threadIdx.x < n) {
        p[threadIdx.x] = 0;
    }
}

__global__ void shift(float *p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        p[i] += offset;
        if (i == 0) {
            calls += 1;
        }
    }
}

bool shifted(float *values, int n) {
    float *p;
    int seen = 0;
    cudaMalloc(&p, n * sizeof *p);
    clear<<<1, 32>>>(p, 32);
    cudaMemcpy(p, values, n * sizeof *p, cudaMemcpyHostToDevice);
    shift<<<1, 64>>>(p, n);
    cudaMemcpy(values, p, n * sizeof *p, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&seen, calls, sizeof seen);
    cudaFree(p);
    return seen == 8;
}

// Thousands of launches and allocations leave nothing behind.
// @stdout 3000
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add(int *p) {
    p[threadIdx.x]++;
}

int main() {
    int *d, h[32];
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    for (int i = 0; i < 3000; i++) {
        int *t;
        add<<<1, 32>>>(d);
        if (cudaMalloc(&t, 100000) != cudaSuccess ||
            cudaMemcpyAsync(t, d, sizeof h, cudaMemcpyDeviceToDevice) !=
                cudaSuccess ||
            cudaFree(t) != cudaSuccess) {
            return 1;
        }
    }
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[31]);
    cudaFree(d);
    return cudaGetLastError() != cudaSuccess;
}

// @pedantic
// The error is asked for, and a smaller block is taken.
#include <cstdio>

__global__ void fill(float *x, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[i] = 1;
}

int main() {
    const int n = 4096;
    static float h[n];
    float *x;
    if (cudaMalloc(&x, sizeof h) != cudaSuccess)
        return 1;
    fill<<<1, 2048>>>(x, n);
    if (cudaGetLastError() != cudaSuccess)
        fill<<<1, 1024>>>(x, n);
    if (cudaGetLastError() != cudaSuccess)
        return 1;
    if (cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess || cudaFree(x) != cudaSuccess)
        return 1;
    printf("%g\n", h[n - 1]);
    return h[n - 1] != 1;
}

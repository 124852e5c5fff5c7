// @pedantic
// 2048 threads a block: the launch fails, and nobody asks.
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
    fill<<<1, 2048>>>(x, n); // @finding host-unchecked
    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(x);
    printf("%g\n", h[n - 1]);
    return 0;
}

// Freed once; the pointer is cleared, and freeing NULL does nothing.
#include <cstdio>

__global__ void fill(float *x, float v) { x[threadIdx.x] = v; }

int main() {
    const int n = 64;
    float out[n];
    float *x, *best;
    cudaMalloc(&x, n * sizeof *x);
    fill<<<1, n>>>(x, 3);
    best = x;
    cudaMemcpy(out, best, sizeof out, cudaMemcpyDeviceToHost);
    cudaFree(x);
    best = nullptr;
    cudaFree(best);
    printf("%g\n", out[n - 1]);
    return out[n - 1] != 3;
}

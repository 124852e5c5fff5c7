// Two names of one allocation, and both are freed.
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
    cudaFree(best); // @finding host-double-free
    printf("%g\n", out[n - 1]);
    return 0;
}

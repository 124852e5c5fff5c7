// Copies more than was allocated, and the call's error goes nowhere.
#include <cstdio>

__global__ void twice(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2;
}

int main() {
    const int n = 128;
    static int x[n];
    for (int i = 0; i < n; i++)
        x[i] = i;
    int *d_x, *d_y;
    cudaMalloc(&d_x, n); // bytes, not elements
    cudaMalloc(&d_y, n * sizeof(int));
    cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice); // @finding host-failed
    cudaMemcpy(d_y, x, sizeof x, cudaMemcpyHostToDevice);
    twice<<<1, n>>>(d_y, n);
    cudaMemcpy(d_y, d_x, n, cudaMemcpyDeviceToHost); // @finding host-direction
    cudaFree(d_x);
    cudaFree(d_y);
    return 0;
}

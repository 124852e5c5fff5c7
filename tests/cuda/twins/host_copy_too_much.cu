// The same copy fails, and the program looks: at its result, or at the last error.
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
    int *d_x, *d_y, bad = 0;
    cudaMalloc(&d_x, n); // bytes, not elements
    cudaMalloc(&d_y, n * sizeof(int));
    cudaError_t e = cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);
    bad += e != cudaErrorInvalidValue;
    bad += cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice) != e;
    bad += cudaGetLastError() != e;
    cudaMemset(d_x, 0, sizeof x);
    bad += cudaGetLastError() != e;
    cudaMemcpy(d_y, x, sizeof x, cudaMemcpyHostToDevice);
    twice<<<1, n>>>(d_y, n);
    cudaMemcpy(x, d_y, sizeof x, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        bad += x[i] != 2 * i;
    cudaFree(d_x);
    cudaFree(d_y);
    return bad;
}

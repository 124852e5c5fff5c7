// cudaMemset() counts bytes: three quarters of the sums begin with whatever was
// in the memory.
#include <cstdio>

__global__ void add(float *sums, const float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sums[i] += x[i]; // @finding uninitialized-read
}

int main() {
    const int n = 256;
    static float x[n], sums[n];
    for (int i = 0; i < n; i++)
        x[i] = i;
    float *d_x, *d_sums;
    cudaMalloc(&d_x, sizeof x);
    cudaMalloc(&d_sums, sizeof sums);
    cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemset(d_sums, 0, n);
    add<<<2, 128>>>(d_sums, d_x, n);
    cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad += sums[i] != x[i];
    printf("memset_elements: %d wrong\n", bad);
    cudaFree(d_x);
    cudaFree(d_sums);
    return 0; // wrong or not: see @finding
}

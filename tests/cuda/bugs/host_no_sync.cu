// Managed memory is summed while the kernel may still be running.
#include <cstdio>

__global__ void square(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= x[i];
}

int main() {
    const int n = 1000;
    float *x;
    cudaMallocManaged(&x, n * sizeof *x);
    for (int i = 0; i < n; i++)
        x[i] = i % 10;
    square<<<(n + 255) / 256, 256>>>(x, n);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i]; // @finding host-missing-sync
    printf("%g\n", sum);
    cudaFree(x);
    return 0;
}

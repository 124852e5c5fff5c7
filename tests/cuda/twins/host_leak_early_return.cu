// @pedantic
// Freed on both ways.
#include <cstdio>

__global__ void count(const int *x, int *zeros) {
    if (x[threadIdx.x] == 0)
        atomicAdd(zeros, 1);
}

static int zeros_of(const int *h, int n) {
    int *x, *zeros, result = 0;
    if (cudaMalloc(&x, n * sizeof *x) != cudaSuccess)
        return -1;
    if (cudaMalloc(&zeros, sizeof *zeros) != cudaSuccess)
        return -1;
    bool sent = cudaMemcpy(x, h, n * sizeof *x, cudaMemcpyHostToDevice) == cudaSuccess &&
                cudaMemset(zeros, 0, sizeof *zeros) == cudaSuccess;
    count<<<1, n>>>(x, zeros);
    if (!sent || cudaGetLastError() != cudaSuccess ||
        cudaMemcpy(&result, zeros, sizeof result, cudaMemcpyDeviceToHost) != cudaSuccess)
        result = -1;
    if (cudaFree(zeros) != cudaSuccess)
        return -1;
    return cudaFree(x) == cudaSuccess ? result : -1;
}

int main() {
    int h[32];
    for (int i = 0; i < 32; i++)
        h[i] = i + 1;
    int found = zeros_of(h, 32);
    printf("%d zeros\n", found);
    return found != 0;
}

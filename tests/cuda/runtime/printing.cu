// What kernels print stands where the program waits for them.
// @stdout 2: block 1 says 7.50
// @stdout after the kernels
#include <cstdio>
#include <cuda_runtime.h>

__global__ void say(int n, float x) {
    if (threadIdx.x == 0) {
        printf("%d: block %u says %.2f\n", n, blockIdx.x, x);
    }
}

int main() {
    printf("before\n");
    say<<<1, 32>>>(1, 2.5f);
    say<<<2, 32>>>(2, 7.5f);
    cudaError_t e = cudaDeviceSynchronize();
    printf("after the kernels\n");
    return e != cudaSuccess;
}

// @pedantic
// 64 KiB of dynamic shared memory without the attribute that allows it.
#include <cstdio>

constexpr int N = 16384;

__global__ void reverse(float *x) {
    extern __shared__ float s[];
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        s[i] = x[i];
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        x[i] = s[N - 1 - i];
}

int main() {
    static float h[N];
    for (int i = 0; i < N; i++)
        h[i] = i;
    float *x;
    if (cudaMalloc(&x, sizeof h) != cudaSuccess || cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice) != cudaSuccess)
        return 1;
    reverse<<<1, 256, sizeof h>>>(x); // @finding host-unchecked
    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(x);
    printf("%g\n", h[0]);
    return 0;
}

// The barrier expects the whole block, and the producer warp leaves the loop one
// turn early.
#include <cstdio>
#include <cuda_awbarrier_primitives.h>

__device__ void meet(__mbarrier_t *bar) {
    __mbarrier_token_t token = __mbarrier_arrive(bar);
    while (!__mbarrier_try_wait(bar, token, 1000)) { // @finding mbarrier-deadlock
    }
}

__global__ void roles(const float *in, float *out, int tiles) {
    __shared__ float s[64];
    __shared__ __mbarrier_t bar;
    int t = threadIdx.x;
    if (t == 0)
        __mbarrier_init(&bar, blockDim.x);
    __syncthreads();
    int turns = t < 32 ? tiles - 1 : tiles;
    for (int k = 0; k < turns; k++) {
        if (t < 32) {
            s[t] = in[k * 64 + t];
            s[t + 32] = in[k * 64 + t + 32];
        }
        meet(&bar);
        if (t >= 32)
            out[k * 64 + t - 32] = s[95 - t];
        meet(&bar);
    }
}

int main() {
    const int n = 256, m = 256;
    static float in[n];
    static float out[m];
    for (int i = 0; i < n; i++)
        in[i] = i;
    float *d_in;
    float *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof out);
    roles<<<1, 96>>>(d_in, d_out, 4);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i / 64 * 64 + 63 - i % 64);
    printf("one_missing: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

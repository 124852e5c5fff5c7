// The barrier is initialised anew in every round, while it is live.
#include <cstdio>
#include <cuda_awbarrier_primitives.h>

__global__ void rounds(const float *in, float *out, int n) {
    __shared__ float s[64];
    __shared__ __mbarrier_t bar;
    int t = threadIdx.x;
    for (int i = 0; i < n; i++) {
        if (t == 0)
            __mbarrier_init(&bar, 64); // @finding mbarrier-reinit
        __syncthreads();
        s[t] = in[i * 64 + t];
        __mbarrier_token_t token = __mbarrier_arrive(&bar);
        while (!__mbarrier_try_wait(&bar, token, 1000)) {
        }
        out[i * 64 + t] = s[63 - t];
        __syncthreads();
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
    rounds<<<1, 64>>>(d_in, d_out, 4);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i / 64 * 64 + 63 - i % 64);
    printf("init_again: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

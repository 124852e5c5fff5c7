// The barrier is used as data only when it is invalidated, and no more after.
#include <cstdio>
#include <cuda_awbarrier_primitives.h>

__global__ void twice(const float *in, float *out) {
    __shared__ union {
        __mbarrier_t bar;
        float scale;
    } u;
    int t = threadIdx.x;
    if (t == 0)
        __mbarrier_init(&u.bar, 64);
    __syncthreads();
    float x = in[t];
    __mbarrier_token_t token = __mbarrier_arrive(&u.bar);
    while (!__mbarrier_try_wait(&u.bar, token, 1000)) {
    }
    __syncthreads();
    if (t == 0) {
        __mbarrier_inval(&u.bar);
        u.scale = 2;
    }
    __syncthreads();
    out[t] = u.scale * x;
    __syncthreads();
    out[t + 64] = x;
}

int main() {
    const int n = 128, m = 128;
    static float in[n];
    static float out[m];
    for (int i = 0; i < n; i++)
        in[i] = i % 64;
    float *d_in;
    float *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof out);
    twice<<<1, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i < 64 ? 2 * in[i] : in[i]);
    printf("barrier_as_scratch: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

// __pipeline_arrive_on() alone: it raises the count and lowers it again, so the
// producers have never arrived.
#include <cstdio>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

__global__ void produce(const float *in, float *out) {
    __shared__ float s[32];
    __shared__ __mbarrier_t filled;
    int t = threadIdx.x;
    if (t == 0)
        __mbarrier_init(&filled, 32);
    __syncthreads();
    if (t < 32) {
        __pipeline_memcpy_async(s + t, in + t, 4);
        __pipeline_arrive_on(&filled);
    } else {
        while (!__mbarrier_try_wait_parity(&filled, false, 1000)) { // @finding mbarrier-deadlock
        }
        out[t - 32] = s[63 - t];
    }
}

int main() {
    const int n = 64, m = 32;
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
    produce<<<1, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (31 - i);
    printf("arrive_on_only: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

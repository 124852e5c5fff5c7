// A stencil whose barrier stands before the wait.
#include <cstdio>
#include <cuda_pipeline.h>

__global__ void stencil(const float *in, float *out) {
    __shared__ float s[72];
    int t = threadIdx.x, base = blockIdx.x * 64;
    __pipeline_memcpy_async(s + t, in + base + t, 4); // @cause
    if (t < 8)
        __pipeline_memcpy_async(s + 64 + t, in + base + 64 + t, 4);
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    float sum = 0;
    for (int k = 0; k <= 8; k++)
        sum += s[t + k]; // @finding read-before-barrier
    out[base + t] = sum;
}

int main() {
    const int n = 264, m = 256;
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
    stencil<<<4, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (9 * (i + 4));
    printf("stencil_barrier_early: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

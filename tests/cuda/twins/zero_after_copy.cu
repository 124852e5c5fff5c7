// Only the slots that no copy fills are cleared.
#include <cstdio>
#include <cuda_pipeline.h>

__global__ void pad(const float *in, float *out, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t < n)
        __pipeline_memcpy_async(s + t, in + t, 4);
    __pipeline_commit();
    if (t >= n)
        s[t] = 0;
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[63 - t];
}

int main() {
    const int n = 64, m = 64;
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
    pad<<<1, 64>>>(d_in, d_out, 40);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (63 - i < 40 ? 63 - i : 0);
    printf("zero_after_copy: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

// A barrier between the last read and the refill.
#include <cstdio>
#include <cuda_pipeline.h>

constexpr int B = 64, TURNS = 8;

__global__ void stages(const float *in, float *out) {
    __shared__ float s[2][B];
    int t = threadIdx.x;
    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&s[i][t], in + i * B + t, 4);
        __pipeline_commit();
    }
#pragma unroll 1
    for (int i = 0; i < TURNS; i++) {
        __pipeline_wait_prior(1);
        __syncthreads();
        out[i * B + t] = s[i % 2][B - 1 - t];
        __syncthreads();
        if (i + 2 < TURNS)
            __pipeline_memcpy_async(&s[i % 2][t], in + (i + 2) * B + t, 4);
        __pipeline_commit();
    }
}

int main() {
    const int n = 512, m = 512;
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
    stages<<<1, B>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i / 64 * 64 + 63 - i % 64);
    printf("refill_slot: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

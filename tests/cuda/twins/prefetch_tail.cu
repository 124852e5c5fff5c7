// The loop commits in every turn, in the last one an empty group.
#include <cstdio>
#include <cuda_pipeline.h>

constexpr int BLOCK = 128;

__global__ void pipelined(const float *in, float *out, int n) {
    __shared__ float next[2 * BLOCK];
    int tid = threadIdx.x, stage = 0, step = BLOCK * gridDim.x;
    int first = blockIdx.x * BLOCK + tid;
    if (first < n)
        __pipeline_memcpy_async(next + tid, in + first, 4);
    __pipeline_commit();
    for (int idx = first; idx < n; idx += step) {
        if (idx + step < n) {
            int s = (stage + 1) % 2;
            __pipeline_memcpy_async(next + tid + BLOCK * s, in + idx + step, 4);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        out[idx] = 2 * next[tid + stage * BLOCK];
        stage = (stage + 1) % 2;
    }
}

int main() {
    const int n = 1024, m = 1024;
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
    pipelined<<<1, BLOCK>>>(d_in, d_out, n);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (2 * i);
    printf("prefetch_tail: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

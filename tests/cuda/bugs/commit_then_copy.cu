// A prefetch loop that commits before it copies: the group of this turn is the
// newest one, which wait_prior(1) leaves in flight.
#include <cstdio>
#include <cuda_pipeline.h>

constexpr int B = 128, TURNS = 8;

__global__ void prefetch(const float *in, float *out) {
    __shared__ float s[2][B];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], in + t, 4);
    for (int i = 0; i < TURNS; i++) {
        __pipeline_commit();
        if (i + 1 < TURNS)
            __pipeline_memcpy_async(&s[(i + 1) % 2][t], in + (i + 1) * B + t, 4);
        __pipeline_wait_prior(1);
        out[i * B + t] = 2 * s[i % 2][t]; // @finding read-before-complete
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
    prefetch<<<1, B>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (2 * i);
    printf("commit_then_copy: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

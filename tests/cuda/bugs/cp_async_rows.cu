// 16-byte copies of rows of 10 floats: every odd row begins at 8 mod 16.
#include <cstdio>
#include <cuda_pipeline.h>

constexpr int ROW = 10;

__global__ void rows(const float *in, float *out) {
    __shared__ alignas(16) float tile[32][4];
    int t = threadIdx.x;
    __pipeline_memcpy_async(tile[t], in + ROW * t, 16); // @finding misaligned
    __pipeline_commit();
    __pipeline_wait_prior(0);
    for (int k = 0; k < 4; k++) // one's own slot: no barrier
        out[4 * t + k] = tile[t][k];
}

int main() {
    const int n = 320, m = 128;
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
    rows<<<1, 32>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i / 4 * 10 + i % 4);
    printf("cp_async_rows: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

// A transpose through shared memory without its barrier.
#include <cstdio>

constexpr int T = 16;

__global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[T][T + 1];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[(blockIdx.y * T + y) * n + blockIdx.x * T + x]; // @cause
    out[(blockIdx.x * T + y) * n + blockIdx.y * T + x] = tile[x][y]; // @finding data-race
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
    transpose<<<dim3(2, 2), dim3(T, T)>>>(d_in, d_out, 32);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i % 32 * 32 + i / 32);
    printf("transpose_no_sync: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

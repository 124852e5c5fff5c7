// A stencil whose shared tile has room for one halo, and fills two.
#include <cstdio>

constexpr int BLOCK = 64, R = 4;

__global__ void stencil(float *out, const float *in, int n) {
    __shared__ float tile[BLOCK + R];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    tile[threadIdx.x + R] = in[i];
    if (threadIdx.x < R)
        tile[threadIdx.x] = i >= R ? in[i - R] : 0;
    if (threadIdx.x >= BLOCK - R)
        tile[threadIdx.x + 2 * R] = i + R < n ? in[i + R] : 0; // @finding out-of-bounds
    __syncthreads();
    float sum = 0;
    for (int k = -R; k <= R; k++)
        sum += tile[threadIdx.x + R + k];
    out[i] = sum;
}

static float want(const float *in, int i, int n) {
    float sum = 0;
    for (int k = i - R; k <= i + R; k++)
        sum += k >= 0 && k < n ? in[k] : 0;
    return sum;
}

int main() {
    const int n = 256, m = 256;
    static float in[n];
    static float out[m];
    for (int i = 0; i < n; i++)
        in[i] = i % 17;
    float *d_in;
    float *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof out);
    stencil<<<n / BLOCK, BLOCK>>>(d_out, d_in, n);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (want(in, i, n));
    printf("stencil_halo: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

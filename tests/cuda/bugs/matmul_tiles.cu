// Tiled matrix multiply without the second barrier of its loop.
#include <cstdio>

constexpr int T = 16;

__global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[T][T], tb[T][T];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
    float sum = 0;
    for (int k = 0; k < n; k += T) {
        ta[y][x] = a[row * n + k + x]; // @finding overwrite-before-read
        tb[y][x] = b[(k + y) * n + col];
        __syncthreads();
        for (int i = 0; i < T; i++)
            sum += ta[y][i] * tb[i][x]; // @cause
    }
    c[row * n + col] = sum;
}

static float want(const float *a, int i, int n) {
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[i / n * n + k] * a[k * n + i % n];
    return sum;
}

int main() {
    const int n = 1024, m = 1024;
    static float in[n];
    static float out[m];
    for (int i = 0; i < n; i++)
        in[i] = i % 5;
    float *d_in;
    float *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof out);
    matmul<<<dim3(2, 2), dim3(T, T)>>>(d_in, d_in, d_out, 32);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (want(in, i, 32));
    printf("matmul_tiles: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

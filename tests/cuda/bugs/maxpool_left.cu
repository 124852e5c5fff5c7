// Max pooling with radius 15 whose window is clamped on the right only.
#include <cstdio>

__global__ void maxpool(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int from = i - 15;
    int to = i + 15 < n ? i + 15 : n - 1;
    float most = 0;
    for (int j = from; j <= to; j++)
        most = fmaxf(most, in[j]); // @finding out-of-bounds
    out[i] = most;
}

static float want(const float *in, int i, int n) {
    float most = 0;
    for (int j = i - 15; j <= i + 15; j++)
        most = j >= 0 && j < n && in[j] > most ? in[j] : most;
    return most;
}

int main() {
    const int n = 256, m = 256;
    float *in;
    float *out;
    cudaMallocManaged(&in, n * sizeof *in);
    cudaMallocManaged(&out, m * sizeof *out);
    for (int i = 0; i < n; i++)
        in[i] = i * 37 % 101;
    for (int i = 0; i < m; i++)
        out[i] = 0;
    maxpool<<<2, 128>>>(out, in, n);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
        return 0;
    }
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (want(in, i, n));
    printf("maxpool_left: %d wrong\n", bad);
    cudaFree(in);
    cudaFree(out);
    return 0; // wrong or not: see @finding
}

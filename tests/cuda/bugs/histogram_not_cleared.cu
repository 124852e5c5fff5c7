// A histogram in shared memory that nobody has set to zero.
#include <cstdio>

constexpr int BINS = 32;

__global__ void histogram(const unsigned *in, unsigned *out) {
    __shared__ unsigned bins[BINS];
    int t = threadIdx.x;
    atomicAdd(&bins[in[blockIdx.x * blockDim.x + t] % BINS], 1); // @finding uninitialized-read
    __syncthreads();
    if (t < BINS)
        atomicAdd(&out[t], bins[t]);
}

int main() {
    const int n = 128, m = 32;
    static unsigned in[n];
    static unsigned out[m];
    for (int i = 0; i < n; i++)
        in[i] = i * 5;
    unsigned *d_in;
    unsigned *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof out);
    histogram<<<2, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (4);
    printf("histogram_not_cleared: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

// The same assert, which holds.
#include <cassert>
#include <cstdio>

constexpr int BINS = 16;

__global__ void histogram(const unsigned *in, int *bins) {
    unsigned bin = in[threadIdx.x] % BINS;
    assert(bin < BINS);
    atomicAdd(&bins[bin], 1);
}

static int want(const unsigned *in, int bin, int n) {
    int count = 0;
    for (int i = 0; i < n; i++)
        count += in[i] % BINS == bin;
    return count;
}

int main() {
    const int n = 64, m = 16;
    static unsigned in[n];
    static int out[m];
    for (int i = 0; i < n; i++)
        in[i] = i;
    unsigned *d_in;
    int *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof out);
    histogram<<<1, n>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (want(in, i, n));
    printf("assert_bin: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

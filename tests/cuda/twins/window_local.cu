// All of it is filled.
#include <cstdio>

__global__ void median(const float *in, float *out, int at) {
    float window[4];
    int t = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < 4; k++)
        window[(k + at) % 4] = in[t + k];
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 4; k++)
        sum += window[(k + at) % 4];
    out[t] = sum;
}

int main() {
    const int n = 64, m = 32;
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
    median<<<1, 32>>>(d_in, d_out, 2);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (4 * i + 6);
    printf("window_local: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

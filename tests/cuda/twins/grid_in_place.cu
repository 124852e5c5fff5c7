// The same into another array.
#include <cstdio>

__global__ void smooth(const float *x, float *y) {
    __shared__ float s[65];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = x[i];
    if (t == 63)
        s[64] = x[i + 1];
    __syncthreads();
    y[i] = s[t] + s[t + 1];
}

int main() {
    const int n = 257, m = 256;
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
    smooth<<<4, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (2 * i + 1);
    printf("grid_in_place: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

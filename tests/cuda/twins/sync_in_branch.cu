// The guard holds the accesses only.
#include <cstdio>

__global__ void stencil(const float *in, float *out, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t < n)
        s[t] = in[t];
    __syncthreads();
    out[t] = t < n ? s[t] + s[t > 0 ? t - 1 : 0] : 0;
}

int main() {
    const int n = 64, m = 64;
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
    stencil<<<1, 64>>>(d_in, d_out, 48);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i < 48 ? i + (i > 0 ? i - 1 : 0) : 0);
    printf("sync_in_branch: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

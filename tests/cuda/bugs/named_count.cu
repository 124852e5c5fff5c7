// A named barrier for two warps that is given the count of three.
#include <cstdio>

__device__ void named_sync(int id, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); // @finding barrier-divergence
}

__global__ void roles(const float *in, float *out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = in[t];
        named_sync(1, 96);
        out[t] = s[63 - t];
    } else {
        named_sync(2, 64);
    }
}

int main() {
    const int n = 128, m = 64;
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
    roles<<<1, 128>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (63 - i);
    printf("named_count: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

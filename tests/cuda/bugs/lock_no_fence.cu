// A lock of atomics that orders nothing: no fence after taking it, none before
// it is given back.
#include <cstdio>

__device__ int lock;

__global__ void deposit(const float *in, float *account) {
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    account[0] = account[0] + in[blockIdx.x]; // @finding data-race
    atomicExch(&lock, 0);
}

int main() {
    const int n = 4, m = 1;
    static float in[n];
    static float out[m];
    for (int i = 0; i < n; i++)
        in[i] = i + 1;
    float *d_in;
    float *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof out);
    deposit<<<4, 32>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (10.0f);
    printf("lock_no_fence: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

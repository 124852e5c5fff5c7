// The parity is never flipped: the second wait is for the first phase again.
// It passes at once, or, when the second phase is over, waits for the third.
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void wait(uint64_t *bar, uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(bar, parity)) { // @finding mbarrier-phase
    }
}

__global__ void rounds(const float *in, float *out) {
    __shared__ float s[4][64];
    __shared__ uint64_t bar;
    int t = threadIdx.x;
    if (t == 0)
        ptx::mbarrier_init(&bar, 64);
    __syncthreads();
    uint32_t parity = 0;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        s[k][t] = in[k * 64 + t];
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar);
        wait(&bar, parity);
        out[k * 64 + t] = s[k][63 - t];
    }
}

int main() {
    const int n = 256, m = 256;
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
    rounds<<<1, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i / 64 * 64 + 63 - i % 64);
    printf("parity_not_flipped: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

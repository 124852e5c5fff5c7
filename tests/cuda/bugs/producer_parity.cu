// Producer and consumer with two barriers: on a new one, the producer must wait
// for parity 1, which passes at once. This one waits for 0, and so do all.
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void wait(uint64_t *bar, uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(bar, parity)) { // @finding mbarrier-phase
    }
}

__global__ void pipe(const float *in, float *out, int tiles) {
    __shared__ float slot[32];
    __shared__ uint64_t full, empty;
    int t = threadIdx.x, lane = t % 32;
    if (t == 0) {
        ptx::mbarrier_init(&full, 32);
        ptx::mbarrier_init(&empty, 32);
    }
    __syncthreads();
    for (int k = 0; k < tiles; k++) {
        if (t < 32) {
            wait(&empty, k & 1);
            slot[lane] = in[k * 32 + lane];
            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full);
        } else {
            wait(&full, k & 1);
            out[k * 32 + lane] = slot[31 - lane];
            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &empty);
        }
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
    pipe<<<1, 64>>>(d_in, d_out, 8);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i / 32 * 32 + 31 - i % 32);
    printf("producer_parity: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

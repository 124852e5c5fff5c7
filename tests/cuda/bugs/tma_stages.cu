// Warp-specialised bulk copies through two slots: the producer does not wait for
// the slot to be empty.
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;
constexpr int TILE = 256, SLOTS = 2, TILES = 8;

__device__ void wait(uint64_t *bar, uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(bar, parity)) {
    }
}

__global__ void stream(const float *in, float *out) {
    __shared__ alignas(128) float slot[SLOTS][TILE];
    __shared__ uint64_t full[SLOTS], empty[SLOTS];
    int t = threadIdx.x;
    if (t == 0) {
        for (int i = 0; i < SLOTS; i++) {
            ptx::mbarrier_init(&full[i], 1);
            ptx::mbarrier_init(&empty[i], 64);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t == 0) { // producer
        for (int k = 0; k < TILES; k++) {
            int i = k % SLOTS;
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[i], sizeof slot[i]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, slot[i], in + k * TILE, sizeof slot[i], &full[i]); // @finding overwrite-before-read|overwrite-in-flight
        }
    } else if (t >= 32) { // consumers
        for (int k = 0; k < TILES; k++) {
            int i = k % SLOTS;
            wait(&full[i], k / SLOTS & 1);
            for (int j = t - 32; j < TILE; j += 64)
                out[k * TILE + j] = slot[i][TILE - 1 - j];
            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &empty[i]);
        }
    }
}

int main() {
    const int n = 2048, m = 2048;
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
    stream<<<1, 96>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i / 256 * 256 + 255 - i % 256);
    printf("tma_stages: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

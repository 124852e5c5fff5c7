// The tile is cleared by plain stores, and a bulk copy lands on it: the barrier
// alone does not order the two proxies.
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void load(const float *in, float *out, int n) {
    __shared__ alignas(128) float s[128];
    __shared__ uint64_t bar;
    int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    s[t] = 0; // @cause
    __syncthreads();
    if (t == 0) {
        uint32_t bytes = n * sizeof(float);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, bytes);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, in, bytes, &bar); // @finding proxy-fence
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
    }
    out[t] = s[127 - t];
}

int main() {
    const int n = 512, m = 128;
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
    load<<<1, 128>>>(d_in, d_out, 96);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (127 - i < 96 ? 128 - i : 0);
    printf("tma_load_after_zero: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

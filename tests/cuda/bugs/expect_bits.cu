// The bytes of a 128 KiB tile are announced in bits: more than a barrier counts.
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;
enum : uint32_t { BYTES = 128 * 1024 };

__global__ void load(const float *in, float *out) {
    extern __shared__ __align__(128) float s[];
    __shared__ uint64_t bar;
    int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 8 * BYTES); // @finding mbarrier-count
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, in, BYTES, &bar);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
    }
    out[t] = s[256 * t];
}

int main() {
    const int n = 40960, m = 128;
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
    cudaFuncSetAttribute(load, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    load<<<1, 128, BYTES>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (256 * i);
    printf("expect_bits: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

// All threads wait for the phase that the bulk copy completes. The copy is
// issued before its bytes are announced: the count may pass below zero.
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void load(const float4 *in, float4 *out) {
    __shared__ alignas(128) float4 s[64];
    __shared__ uint64_t bar;
    int t = threadIdx.x, base = blockIdx.x * 64;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, in + base, sizeof s, &bar);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof s);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
    }
    out[base + t] = s[63 - t];
}

int main() {
    const int n = 512, m = 512;
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
    load<<<2, 64>>>(reinterpret_cast<float4 *>(d_in), reinterpret_cast<float4 *>(d_out));
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i / 256 * 256 + (63 - i / 4 % 64) * 4 + i % 4);
    printf("tma_no_wait: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

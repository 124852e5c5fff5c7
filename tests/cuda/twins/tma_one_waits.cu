// Thread 0 waits, and a barrier makes the others wait for it.
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void load(const float4 *in, float4 *out) {
    __shared__ alignas(128) float4 s[128];
    __shared__ uint64_t bar;
    int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof s);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, in, sizeof s, &bar);
        while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
        }
    }
    __syncthreads();
    out[t] = s[127 - t];
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
    load<<<1, 128>>>(reinterpret_cast<float4 *>(d_in), reinterpret_cast<float4 *>(d_out));
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != ((127 - i / 4) * 4 + i % 4);
    printf("tma_one_waits: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

// Half of the bytes are announced: the phase ends before all have arrived.
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void load(const float *in, float *out) {
    __shared__ alignas(128) float a[128], b[128];
    __shared__ uint64_t bar;
    int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof a); // @cause
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, a, in, sizeof a, &bar);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, b, in + 512, sizeof b, &bar); // @finding tx-count
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
    }
    out[t] = a[127 - t] + b[t];
}

int main() {
    const int n = 1024, m = 128;
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
    load<<<1, 128>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (127 + 512);
    printf("expect_half: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

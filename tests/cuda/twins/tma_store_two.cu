// One group may stay: that of the other tile.
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;
constexpr int B = 128;

__global__ void scale(const float *in, float *out) {
    __shared__ alignas(128) float s[2][B];
    int t = threadIdx.x;
    for (int i = 0; i < 8; i++) {
        s[i % 2][t] = 3 * in[i * B + t];
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (t == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + i * B, s[i % 2], sizeof s[0]);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
        }
        __syncthreads();
    }
}

int main() {
    const int n = 1024, m = 1024;
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
    scale<<<1, B>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (3 * i);
    printf("tma_store_two: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

// Nobody leaves before all have read.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4) ring(const float *in, float *out) {
    __shared__ float s[64];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    s[t] = in[rank * 64 + t];
    cluster.sync();
    const float *right = cluster.map_shared_rank(s, (rank + 1) % 4);
    float x = t < 63 ? s[t + 1] : right[0];
    cluster.barrier_arrive();
    out[rank * 64 + t] = s[t] + x;
    cluster.barrier_wait();
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
    ring<<<4, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i + (i + 1) % 256);
    printf("halo_ring: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

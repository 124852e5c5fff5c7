// Atomics on the other block's counter, which may end before they arrive.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) count(const unsigned *in, unsigned *out) {
    __shared__ unsigned odd;
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    if (t == 0)
        odd = 0;
    cluster.sync();
    unsigned *counter = cluster.map_shared_rank(&odd, rank ^ 1);
    if (in[rank * 64 + t] % 2)
        atomicAdd(counter, 1); // @finding remote-exited
    if (t == 0)
        out[rank] = 32;
}

int main() {
    const int n = 128, m = 2;
    static unsigned in[n];
    static unsigned out[m];
    for (int i = 0; i < n; i++)
        in[i] = i;
    unsigned *d_in;
    unsigned *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof out);
    count<<<2, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (32u);
    printf("remote_count_exit: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

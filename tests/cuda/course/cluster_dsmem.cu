// @arch sm_90a
/* Clusters: a histogram over distributed shared memory by cudaLaunchKernelEx,
 * and a reduction with __cluster_dims__. */
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;

__global__ void histogram(int *bins, int nbins, int per_block, const int *in,
                          int n) {
    extern __shared__ int mine[];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < per_block; i += blockDim.x) {
        mine[i] = 0;
    }
    cluster.sync();
    for (int i = cg::this_grid().thread_rank(); i < n;
         i += blockDim.x * gridDim.x) {
        int bin = in[i] < 0 ? 0 : in[i] >= nbins ? nbins - 1 : in[i];
        int *there = cluster.map_shared_rank(mine, bin / per_block);
        atomicAdd(there + bin % per_block, 1);
    }
    cluster.sync();
    int *to = bins + cluster.block_rank() * per_block;
    for (int i = threadIdx.x; i < per_block; i += blockDim.x) {
        atomicAdd(&to[i], mine[i]);
    }
}

__global__ void __cluster_dims__(4, 1, 1) sum(const int *in, int *out, int n) {
    __shared__ int s;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        s = 0;
    }
    cluster.sync();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(cluster.map_shared_rank(&s, 0), i < n ? in[i] : 0);
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        atomicAdd(out, s);
    }
}

int main() {
    const int n = 4000, size = 4, per_block = 50, nbins = size * per_block;
    std::vector<int> a(n), want(nbins), got(nbins);
    int total = 0, sum_got = 0, wrong = 0;
    for (int i = 0; i < n; i++) {
        a[i] = i * 71 % 260 - 20;
        want[a[i] < 0 ? 0 : a[i] >= nbins ? nbins - 1 : a[i]]++;
        total += a[i];
    }
    int *in, *bins, *out;
    cudaMalloc(&in, n * 4), cudaMalloc(&bins, nbins * 4), cudaMalloc(&out, 4);
    cudaMemcpy(in, a.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, nbins * 4);
    cudaMemset(out, 0, 4);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(8);
    config.blockDim = dim3(96);
    config.dynamicSmemBytes = per_block * sizeof(int);
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = size;
    attribute[0].val.clusterDim.y = 1;
    attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    int clusters = 0;
    cudaOccupancyMaxActiveClusters(&clusters, histogram, &config);
    wrong += clusters <= 0;
    if (cudaLaunchKernelEx(&config, histogram, bins, nbins, per_block,
                           (const int *)in, n) != cudaSuccess) {
        return 2;
    }
    sum<<<40, 100>>>(in, out, n);
    cudaMemcpy(got.data(), bins, nbins * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(&sum_got, out, 4, cudaMemcpyDeviceToHost);
    wrong += got != want || sum_got != total;
    cudaFree(in), cudaFree(bins), cudaFree(out);
    printf("%d wrong\n", wrong);
    return wrong;
}

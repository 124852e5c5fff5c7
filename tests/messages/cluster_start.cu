// @launch k 2 32 f32[64]
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) k(float *out) {
    __shared__ float s[32];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x;
    float *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    other[t] = t;  // @finding cluster-sync
    cluster.sync();
    out[blockIdx.x * 32 + t] = s[t];
}

// @message thread 0 of block 0 uses s[0] of another block, which may not run yet (the same in 63 more accesses)
// @missing cluster.sync() before line 10, where all threads of the cluster come

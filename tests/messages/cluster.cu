// @launch k 2 32 f32[64]
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) k(float *out) {
    __shared__ float s[32];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x;
    s[t] = t;
    cluster.sync();
    float *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    out[blockIdx.x * 32 + t] = other[t];  // @finding remote-exited
}

// @message thread 0 of block 1 uses s[0] of another block, which may have ended (the same in 63 more accesses)
// @missing cluster.sync() after line 12, where all threads of the cluster come, before the other block ends

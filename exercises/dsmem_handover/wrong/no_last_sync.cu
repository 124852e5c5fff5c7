// Wrong: a CTA may end while the other one reads its shared memory.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int BLOCK = 128, PAIR = 2 * BLOCK;

// Each CTA of a pair has half of a tile of 256 elements.
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(BLOCK)
    mirrored_kernel(float *out, const float *in) {
    __shared__ float half[BLOCK];
    const int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    cg::cluster_group pair = cg::this_cluster();
    half[t] = in[i];
    pair.sync();
    const float *other = pair.map_shared_rank(half, 1 - pair.block_rank());
    out[i] = half[t] - other[BLOCK - 1 - t];
}

void mirrored(float *out, const float *in, int n) {
    mirrored_kernel<<<n / BLOCK, BLOCK>>>(out, in);
}

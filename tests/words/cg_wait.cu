// @launch k 1 64 f32[64] f32[64]
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

__global__ void k(float *out, const float *in) {
    __shared__ float s[64];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in, sizeof(float) * 64);  // @cause
    block.sync();
    out[threadIdx.x] = s[threadIdx.x];  // @finding read-before-complete
}

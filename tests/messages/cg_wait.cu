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

// @message thread 0 reads s[0] while the copy `cg::memcpy_async(block, s, in, sizeof(float) * 64)` of line 9 is still in flight: nothing waited for it (the same in 63 more accesses)
// @missing cg::wait(block) before line 11

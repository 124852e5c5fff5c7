// @launch k 1 64 f32[64] f32[128]
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

__global__ void k(float *out, const float *in) {
    __shared__ float s[2][64];
    cg::thread_block block = cg::this_thread_block();
    int t = threadIdx.x;
    cg::memcpy_async(block, s[0], in, sizeof(float) * 64);
    cg::memcpy_async(block, s[1], in + 64, sizeof(float) * 64);  // @cause
    cg::wait_prior<1>(block);
    out[t] = s[0][t] + s[1][t];  // @finding read-before-complete
}

// @message `cg::wait_prior<1>(block)` at line 12 leaves the copy of line 11 in flight; line 13 reads it: thread 0 reads s[1][0] (the same in 63 more accesses)
// @missing cg::wait(block) at line 12

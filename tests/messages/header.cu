// @launch k 1 64 f32[64] f32[64]
#include "tile.cuh"

__global__ void k(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    fetch(&s[t], in + t);
    out[t] = take(&s[t]);
}
// @at tile.cuh:12 read-before-complete
// @message thread 0 reads s[0] while the copy `__pipeline_memcpy_async(to, from, sizeof(T))` of line 6 of tests/messages/tile.cuh is still in flight: nothing waited for it (the same in 63 more accesses)
// @missing __pipeline_wait_prior(0) before line 8
// @shows   line 12 of tests/messages/tile.cuh is called from line 8
// @shows      12 >     return *from;

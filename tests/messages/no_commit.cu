// @launch k 1 64 f32[64] f32[64]
#include <cuda_pipeline.h>

__global__ void k(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(s + t, in + t, 4);  // @cause
    __pipeline_wait_prior(0);
    out[t] = s[t];  // @finding uncommitted-group
}

// @message thread 0 reads s[0] while the copy `__pipeline_memcpy_async(s + t, in + t, 4)` of line 7 is still in flight: it was never committed, so no wait covers it (the same in 63 more accesses)
// @missing __pipeline_commit() after line 7, before the wait
// @object s[0]

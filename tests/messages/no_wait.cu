// @launch k 1 64 f32[64] f32[64]
#include <cuda_pipeline.h>

__global__ void k(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(s + t, in + t, 4);  // @cause
    __pipeline_commit();
    out[t] = s[t];  // @finding read-before-complete
}

// @message thread 0 reads s[0] while the copy `__pipeline_memcpy_async(s + t, in + t, 4)` of line 7 is still in flight: nothing waited for it (the same in 63 more accesses)
// @missing __pipeline_wait_prior(0) before line 9

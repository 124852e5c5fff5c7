// @launch k 1 64 f32[64] f32[64]
#include <cuda_pipeline.h>

__global__ void k(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(s + t, in + t, 4);  // @cause
    __pipeline_commit();
    s[t] = 1.0f;  // @finding overwrite-in-flight
    __pipeline_wait_prior(0);
    out[t] = s[t];
}

// @message thread 0 writes s[0] while the copy `__pipeline_memcpy_async(s + t, in + t, 4)` of line 7 has not completed (the same in 63 more accesses)
// @missing __pipeline_wait_prior(0) before line 9

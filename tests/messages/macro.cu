// @launch k 1 64 f32[64] f32[64]
#include <cuda_pipeline.h>

#define COPY(to, from) __pipeline_memcpy_async(to, from, 4)

__global__ void k(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    COPY(s + t, in + t);  // @cause
    __pipeline_commit();
    out[t] = s[t];  // @finding read-before-complete
}

// @message thread 0 reads s[0] while the copy of line 9 is still in flight: nothing waited for it (the same in 63 more accesses)
// @missing __pipeline_wait_prior(0) before line 11

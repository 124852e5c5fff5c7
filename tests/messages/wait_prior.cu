// @launch k 1 128 f32[128] f32[256]
#include <cuda_pipeline.h>

__global__ void k(float *out, const float *in) {
    __shared__ float s[2][128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], in + t, sizeof(float));
    __pipeline_commit();
    __pipeline_memcpy_async(&s[1][t], in + 128 + t,  // @cause
                            sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    float a = s[0][t];
    out[t] = a + s[1][t];  // @finding read-before-complete
}

// @message `__pipeline_wait_prior(1)` at line 12 leaves the batch of line 9 in flight; line 14 reads it: thread 0 reads s[1][0] (the same in 127 more accesses)
// @missing __pipeline_wait_prior(0) at line 12
// @object s[1][0]
// @shows tests/messages/wait_prior.cu:14:5: finding: read-before-complete
// @shows       9 |     __pipeline_memcpy_async(&s[1][t], in + 128 + t,  // @cause
// @shows      14 >     out[t] = a + s[1][t];  // @finding read-before-complete
// @shows               ^

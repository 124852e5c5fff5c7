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

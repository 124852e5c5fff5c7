// @launch k 1 64 f32[64] f32[64]
#include <cuda_pipeline.h>

__global__ void k(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(s + t, in + t, 4);  // @cause
    __pipeline_commit();
    out[t] = s[t];  // @finding read-before-complete
}

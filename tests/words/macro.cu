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

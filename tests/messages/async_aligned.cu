// @launch k 1 8 f32[64] f32[64]
#include <cuda_pipeline.h>

__global__ void k(float *out, const float *in) {
    __shared__ alignas(16) float s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(s + 4 * t, in + 1 + 4 * t, 16);  // @finding misaligned
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = s[4 * t];
}

// @message thread 0 reads 16 bytes at a1[1], which is not aligned to 16
// @missing an address that is a multiple of 16 bytes

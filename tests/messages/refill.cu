// @launch k 1 64 f32[64] f32[256]
#include <cuda_pipeline.h>

__global__ void k(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = 0; i < 4; i++) {
        __pipeline_memcpy_async(s + t, in + i * 64 + t, 4);  // @finding overwrite-before-read
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += s[63 - t];  // @cause
    }
    out[t] = sum;
}

// @message thread 31 writes s[31], which thread 32 read at line 13, with no barrier between them (the same in 191 more accesses)
// @missing __syncthreads() after line 13, before line 9 comes round again

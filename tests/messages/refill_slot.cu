// @launch k 1 64 f32[64] f32[256]
#include <cuda_pipeline.h>

// The next batch lands in the slot that the block is reading.
__global__ void k(float *out, const float *in) {
    __shared__ float slot[64];
    int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&slot[t], &in[t], sizeof(float));
    __pipeline_commit();
#pragma unroll 1
    for (int i = 1; i < 4; i++) {
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += slot[t ^ 32];  // @cause
        __pipeline_memcpy_async(&slot[t], &in[i * 64 + t], sizeof(float));  // @finding overwrite-before-read
        __pipeline_commit();
    }
    __pipeline_wait_prior(0);
    out[t] = sum;
}

// @message thread 0 writes slot[0], which thread 32 read at line 15, with no barrier between them (the same in 191 more accesses)
// @missing __syncthreads() between lines 15 and 16

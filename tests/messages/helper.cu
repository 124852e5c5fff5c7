// @launch k 2 64 f32[128] f32[128]
#include <cuda_pipeline.h>

__device__ void produce(float *to, const float *from) {
    __pipeline_memcpy_async(to, from, sizeof *to);  // @cause
    __pipeline_commit();
}

__device__ float neighbour(const float *s, int t) {
    return s[(t + 32) % 64];  // @finding read-before-barrier
}

__global__ void k(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    produce(&s[t], in + i);
    __pipeline_wait_prior(0);
    out[i] = neighbour(s, t);
}

// @message thread 0 of block 0 reads s[32], which thread 32 of block 0 wrote at line 5 (`__pipeline_memcpy_async`), with no barrier between them (the same in 127 more accesses)
// @missing __syncthreads() between lines 16 and 18, after the wait
// @shows   line 10 is called from line 18
// @shows   line 5 is called from line 16

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

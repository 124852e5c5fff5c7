// @launch k 1 64 f32[64] f32[64]
#include <cuda/pipeline>

__global__ void k(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&s[t], &in[t], cuda::aligned_size_t<4>(sizeof(float)), pipe);  // @cause
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    out[t] = s[t];  // @finding uncommitted-group
}

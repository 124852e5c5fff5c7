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

// @message thread 0 reads s[0] while the copy `cuda::memcpy_async(&s[t], &in[t], cuda::aligned_size_t<4>(sizeof(float)), pipe)` of line 9 is still in flight: it was never committed, so no wait covers it (the same in 63 more accesses)
// @missing pipe.producer_commit() after line 9, before the wait

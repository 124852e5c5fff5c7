// @launch k 1 64 f32[64] f32[64]
#include <cuda/pipeline>

__global__ void k(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&s[t], &in[t], cuda::aligned_size_t<4>(sizeof(float)), pipe);  // @cause
    pipe.producer_commit();
    out[t] = s[t];  // @finding read-before-complete
    pipe.consumer_wait();
    pipe.consumer_release();
}

// @message thread 0 reads s[0] while the copy `cuda::memcpy_async(&s[t], &in[t], cuda::aligned_size_t<4>(sizeof(float)), pipe)` of line 9 is still in flight: nothing waited for it (the same in 63 more accesses)
// @missing pipe.consumer_wait() before line 11

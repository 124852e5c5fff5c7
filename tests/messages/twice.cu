// @launch k 1 64 f32[64] f32[128]
#include <cuda/pipeline>
using cuda::aligned_size_t, cuda::make_pipeline, cuda::memcpy_async;

template <class Pipe>
__device__ void fetch(Pipe *pipe, float *to, const float *from) {
    pipe->producer_acquire();
    memcpy_async(to, from, aligned_size_t<4>(4), *pipe);  // @cause
    pipe->producer_commit();
}

__global__ void k(float *out, const float *in) {
    constexpr int N = 64;
    __shared__ float s[2][N];
    int t = threadIdx.x;
    auto pipe = make_pipeline();
    fetch(&pipe, &s[0][t], in + t); fetch(&pipe, &s[1][t], in + N + t);
    pipe.
        consumer_wait();
    out[t] = s[0][t] +
             s[1][t];  // @finding read-before-complete
}

// @message `pipe.consumer_wait()` at line 18 leaves the batch of line 8 in flight; line 21 reads it: thread 0 reads s[1][0] (the same in 63 more accesses)
// @missing pipe.consumer_wait() before line 21
// @shows   line 8 is called from line 17

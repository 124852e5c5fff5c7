// @launch k 1 64 f32[64] f32[128]
#include <cuda/pipeline>

__global__ void k(float *out, const float *in) {
    __shared__ float s[128];
    int t = threadIdx.x;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    for (int i = 0; i < 2; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(s + i * 64 + t, in + i * 64 + t, cuda::aligned_size_t<4>(4), pipe);  // @cause
        pipe.producer_commit();
    }
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    out[t] = s[t] + s[64 + t];  // @finding read-before-complete
    pipe.consumer_release();
}

// @message `cuda::pipeline_consumer_wait_prior<1>(pipe)` at line 13 leaves the batch of line 10 in flight; line 14 reads it: thread 0 reads s[64] (the same in 63 more accesses)
// @missing cuda::pipeline_consumer_wait_prior<0>(pipe) at line 13

// @launch k 1 64 f32[64] f32[64]
#include <cooperative_groups.h>
#include <cuda/pipeline>

__global__ void k(float *out, const float *in) {
    __shared__ float s[64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = threadIdx.x;
    pipe.producer_acquire();
    cuda::memcpy_async(&s[t], &in[t], cuda::aligned_size_t<4>(4), pipe);  // @cause
    pipe.producer_commit();
    out[t] = s[t];  // @finding read-before-complete
    pipe.consumer_wait();
    pipe.consumer_release();
}

// @message thread 0 reads s[0] while the copy `cuda::memcpy_async(&s[t], &in[t], cuda::aligned_size_t<4>(4), pipe)` of line 12 is still in flight: nothing waited for it (the same in 63 more accesses)
// @missing pipe.consumer_wait() before line 14

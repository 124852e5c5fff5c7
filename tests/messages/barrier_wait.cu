// @launch k 1 64 f32[64] f32[64]
#include <cuda/barrier>

__global__ void k(float *out, const float *in) {
    __shared__ float s[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    int t = threadIdx.x;
    if (t == 0) init(&bar, 64);
    __syncthreads();
    cuda::memcpy_async(s + t, in + t, cuda::aligned_size_t<4>(4), bar);  // @cause
    auto token = bar.arrive();
    out[t] = s[t];  // @finding read-before-complete
    bar.wait(std::move(token));
}

// @message thread 0 reads s[0] while the copy `cuda::memcpy_async(s + t, in + t, cuda::aligned_size_t<4>(4), bar)` of line 10 is still in flight: nothing waited for it (the same in 63 more accesses)
// @missing a wait for bar's phase, such as bar.arrive_and_wait(), before line 12

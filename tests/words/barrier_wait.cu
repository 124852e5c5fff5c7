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

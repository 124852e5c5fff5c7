// @launch k 1 96 f32[96]
#include <cuda/barrier>

__global__ void k(float *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    int t = threadIdx.x;
    if (t == 0) {
        init(&bar, 64);
    }
    __syncthreads();
    auto token = bar.arrive();  // @cause
    out[t] = 1.0f;
    bar.wait(std::move(token));  // @finding mbarrier-deadlock
}

// @missing 32 more arrivals, or a count that is 32 lower in `init(&bar, 64)` at line 8

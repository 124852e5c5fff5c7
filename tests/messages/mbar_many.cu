// @launch k 1 96 f32[96]
#include <cuda_awbarrier_primitives.h>

__global__ void k(float *out) {
    __shared__ __mbarrier_t bar;
    if (threadIdx.x == 0) {
        __mbarrier_init(&bar, 64);
    }
    __syncthreads();
    out[threadIdx.x] = 2.0f;
    if (threadIdx.x < 64) {
        __mbarrier_arrive(&bar);
    }
    __syncthreads();
    __mbarrier_arrive_and_drop(&bar);  // @finding mbarrier-count
}

// @message thread 64 arrives at bar (`__mbarrier_arrive_and_drop(&bar)`): `__mbarrier_init(&bar, 64)` at line 7 says 64 arrivals a phase, and more threads arrive (the same in 31 more accesses)
// @missing a count above 64 in `__mbarrier_init(&bar, 64)` at line 7, or fewer arrivals

// @launch k 1 32 f32[32]
#include <cuda_awbarrier_primitives.h>

__global__ void k(float *out) {
    __shared__ __mbarrier_t bar;
    if (threadIdx.x == 0) {
        __mbarrier_init(&bar, 64);
    }
    __syncthreads();
    __mbarrier_token_t token = __mbarrier_arrive(&bar);  // @cause
    while (!__mbarrier_try_wait(&bar, token, 1000)) {  // @finding mbarrier-deadlock
    }
    out[threadIdx.x] = 1.0f;
}

// @missing 32 more arrivals, or a count that is 32 lower in `__mbarrier_init(&bar, 64)` at line 7
// @shows   nobody can go on:

// @launch k 1 64 f32[64]
#include <cuda_awbarrier_primitives.h>

__global__ void k(float *out) {
    __shared__ __mbarrier_t bar;
    if (threadIdx.x == 0) {
        __mbarrier_init(&bar, 64);
    }
    __mbarrier_token_t token = __mbarrier_arrive(&bar);  // @finding mbarrier-reinit
    while (!__mbarrier_try_wait(&bar, token, 1000)) {
    }
    out[threadIdx.x] = 1.0f;
}

// @missing __mbarrier_init before line 9, and __syncthreads() between the two

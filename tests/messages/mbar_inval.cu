// @launch k 1 32 f32[32]
#include <cuda_awbarrier_primitives.h>

__global__ void k(float *out) {
    __shared__ __mbarrier_t bar;
    if (threadIdx.x == 0) {
        __mbarrier_init(&bar, 32);
        __mbarrier_inval(&bar);  // @cause
    }
    __syncthreads();
    __mbarrier_token_t token = __mbarrier_arrive(&bar);  // @finding mbarrier-reinit
    out[threadIdx.x] = (float)token;
}

// @message thread 0 arrives at bar (`__mbarrier_arrive(&bar)`), which `__mbarrier_inval(&bar)` at line 8 invalidated
// @missing __mbarrier_init again before line 11, and __syncthreads() between the two

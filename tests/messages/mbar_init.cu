// @launch k 1 32 f32[32]
#include <cuda_awbarrier_primitives.h>

__global__ void k(float *out) {
    __shared__ __mbarrier_t bar;
    __mbarrier_token_t token = __mbarrier_arrive(&bar);  // @finding mbarrier-reinit
    while (!__mbarrier_try_wait(&bar, token, 1000)) {
    }
    out[threadIdx.x] = 1.0f;
}

// @message thread 0 arrives at bar (`__mbarrier_arrive(&bar)`), which nobody has initialised yet
// @missing __mbarrier_init before line 6, and __syncthreads() between the two
// @object bar

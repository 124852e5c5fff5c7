// @launch k 1 32 f32[32]
#include <cuda_awbarrier_primitives.h>

__global__ void k(float *out) {
    __shared__ __mbarrier_t bar;
    if (threadIdx.x == 0) {
        __mbarrier_init(&bar, 32);  // @cause
        __mbarrier_init(&bar, 32);  // @finding mbarrier-reinit
    }
    __syncthreads();
    __mbarrier_token_t token = __mbarrier_arrive(&bar);
    while (!__mbarrier_try_wait(&bar, token, 1000)) {
    }
    out[threadIdx.x] = 1.0f;
}

// @message thread 0 initialises bar (`__mbarrier_init(&bar, 32)`), which `__mbarrier_init(&bar, 32)` at line 7 initialised: it is live
// @missing __mbarrier_inval between lines 7 and 8

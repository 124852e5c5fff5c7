// @launch k 1 32 f32[32]
#include <cuda_awbarrier_primitives.h>

__global__ void k(float *out) {
    __shared__ __mbarrier_t bar;
    if (threadIdx.x == 0) {
        __mbarrier_init(&bar, 32);
    }
    __syncthreads();
    __mbarrier_arrive(&bar);
    while (!__mbarrier_try_wait_parity(&bar, 1, 1000)) {  // @finding mbarrier-phase
    }
    __mbarrier_arrive(&bar);
    while (!__mbarrier_try_wait_parity(&bar, 0, 1000)) {
    }
    out[threadIdx.x] = 1.0f;
}

// @missing parity 0 at line 11
// @shows   thread 0 waits at bar (`__mbarrier_try_wait_parity(&bar, 1, 1000)`) for a
// @shows     parity 1 now names phase 1, in which nobody has arrived; phase 0 is over

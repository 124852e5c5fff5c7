// @launch k 1 32 f32[32] f32[256]
#include <cuda/barrier>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__global__ void k(float *out, const float *in) {
    __shared__ alignas(128) float s[256];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_proxy_async();
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, in,
                           sizeof s, &bar);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 512);  // @cause
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {  // @finding tx-count
    }
    out[threadIdx.x] = s[threadIdx.x];
}

// @missing 1024 bytes in `ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 512)` at line 14

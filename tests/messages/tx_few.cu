// @launch k 1 32 f32[32] f32[256]
#include <cuda/barrier>
namespace cde = cuda::device::experimental;

__global__ void k(float *out, const float *in) {
    __shared__ alignas(128) float s[256];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) {
        init(&bar, 32);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_global_to_shared(s, in, sizeof s, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, 2 * sizeof s);  // @cause
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));  // @finding tx-count
    out[threadIdx.x] = s[threadIdx.x];
}

// @missing 1024 bytes in `cuda::device::barrier_arrive_tx(bar, 1, 2 * sizeof s)` at line 16

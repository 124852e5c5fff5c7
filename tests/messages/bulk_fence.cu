// @launch k 1 64 f32[64]
#include <cuda/barrier>
namespace cde = cuda::device::experimental;

__global__ void k(float *out) {
    __shared__ alignas(128) float s[64];
    s[threadIdx.x] = threadIdx.x;  // @cause
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_shared_to_global(out, s, sizeof s);  // @finding proxy-fence
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}

// @message thread 0 reads s[0], which thread 0 wrote at line 7, with no proxy fence between the two (the same in 63 more accesses)
// @missing cde::fence_proxy_async_shared_cta() between lines 7 and 10

// @launch k 1 32 f32[32] 20
#include <cuda/barrier>
namespace cde = cuda::device::experimental;

__global__ void k(float *out, unsigned n) {
    __shared__ alignas(128) float s[32];
    s[threadIdx.x] = threadIdx.x;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_shared_to_global(out, s, n);  // @finding illegal-size
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}

// @message thread 0 asks for a size that cannot be (`cde::cp_async_bulk_shared_to_global`): a bulk copy's size is a multiple of 16 bytes

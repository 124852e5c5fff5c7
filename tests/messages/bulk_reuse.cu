// @launch k 1 64 f32[64]
#include <cuda/barrier>
namespace cde = cuda::device::experimental;

__global__ void k(float *out) {
    __shared__ alignas(128) float s[64];
    s[threadIdx.x] = threadIdx.x;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_shared_to_global(out, s, sizeof s);  // @cause
        cde::cp_async_bulk_commit_group();
        s[0] = 3.0f;  // @finding overwrite-in-flight
    }
}

// @message thread 0 writes s[0] while the copy `cde::cp_async_bulk_shared_to_global(out, s, sizeof s)` of line 11 may still read it
// @missing cde::cp_async_bulk_wait_group_read<0>() before line 13

// Wrong: three points.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int BLOCK = 128;

__global__ void __launch_bounds__(BLOCK)
    stencil_kernel(float *out, const float *in, int n) {
    __shared__ float tile[BLOCK + 4];
    const long long first = (long long)blockIdx.x * BLOCK;
    for (int t = threadIdx.x; t < BLOCK + 4; t += BLOCK) {
        const long long j = first - 2 + t;
        const bool inside = 0 <= j && j < n;
        __pipeline_memcpy_async(&tile[t], inside ? &in[j] : in, sizeof(float),
                                inside ? 0 : sizeof(float));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    const float *at = &tile[threadIdx.x];
    if (first + threadIdx.x < n) {
        out[first + threadIdx.x] =
            2 * at[1] + 3 * at[2] + 2 * at[3];
    }
}

void stencil(float *out, const float *in, int n) {
    const unsigned blocks = ((unsigned)n + BLOCK - 1) / BLOCK;
    stencil_kernel<<<blocks, BLOCK>>>(out, in, n);
}

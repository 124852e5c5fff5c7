// Wrong: right results, by one CTA; the others compute as much, for nothing.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int BLOCK = 128, RADIUS = 15;

__global__ void __launch_bounds__(BLOCK)
    maxpool15_kernel(float *out, const float *in, int n) {
    __shared__ float tile[BLOCK + 2 * RADIUS];
    for (long long first = 0; first < n; first += BLOCK) {
        for (int t = threadIdx.x; t < BLOCK + 2 * RADIUS; t += BLOCK) {
            const long long j = first - RADIUS + t;
            const bool inside = 0 <= j && j < n;
            __pipeline_memcpy_async(&tile[t], inside ? &in[j] : in, 4,
                                    inside ? 0 : 4);
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        float most = 0;
        for (int k = 0; k <= 2 * RADIUS; ++k) {
            most = fmaxf(most, tile[threadIdx.x + k]);
        }
        if (blockIdx.x == 0 && first + threadIdx.x < n) {
            out[first + threadIdx.x] = most;
        }
        __syncthreads();
    }
}

void maxpool15(float *out, const float *in, int n) {
    maxpool15_kernel<<<8, BLOCK>>>(out, in, n);
}

// Wrong: each thread waits for its own copies only, and reads its neighbours'.
// On many a GPU the bytes come out right.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void pool(float *out, const float *in, int n) {
    __shared__ float tile[256 + 30];
    const long long first = (long long)blockIdx.x * 256;
    for (int t = threadIdx.x; t < 256 + 30; t += 256) {
        const long long j = first - 15 + t;
        const bool inside = 0 <= j && j < n;
        __pipeline_memcpy_async(&tile[t], inside ? &in[j] : in, 4,
                                inside ? 0 : 4);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    const long long i = first + threadIdx.x;
    if (i < n) {
        float most = tile[threadIdx.x];
        for (int k = 1; k <= 30; ++k) {
            most = fmaxf(most, tile[threadIdx.x + k]);
        }
        out[i] = most;
    }
}

void maxpool15(float *out, const float *in, int n) {
    pool<<<((unsigned)n + 255) / 256, 256>>>(out, in, n);
}

// The least that is right; the submissions here do something beside it.
// A submission is one file: the scripts put this one into it.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

static __global__ void pool(float *out, const float *in, int n) {
    __shared__ float tile[128 + 30];
    const long long first = (long long)blockIdx.x * 128 - 15;
    for (int t = threadIdx.x; t < 128 + 30; t += 128) {
        const long long j = first + t;
        const bool inside = 0 <= j && j < n;
        __pipeline_memcpy_async(&tile[t], inside ? &in[j] : in, 4,
                                inside ? 0 : 4);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    float most = 0;
    for (int k = 0; k < 31; ++k) {
        most = fmaxf(most, tile[threadIdx.x + k]);
    }
    if (first + 15 + threadIdx.x < n) {
        out[first + 15 + threadIdx.x] = most;
    }
}

static void right(float *out, const float *in, int n) {
    pool<<<((unsigned)n + 127) / 128, 128>>>(out, in, n);
}

// The least that is right; the submissions here do something beside it.
#include <cuda_runtime.h>

static __global__ void pool(float *out, const float *in, int n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float most = in[i];
    for (long long j = i - 15; j <= i + 15; ++j) {
        if (0 <= j && j < n) {
            most = fmaxf(most, in[j]);
        }
    }
    out[i] = most;
}

static void right(float *out, const float *in, int n) {
    pool<<<((unsigned)n + 127) / 128, 128>>>(out, in, n);
}

// Wrong: right results, but every thread loads its window from global memory.
#include <cuda_runtime.h>

__global__ void pool(float *out, const float *in, int n) {
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

void maxpool15(float *out, const float *in, int n) {
    pool<<<((unsigned)n + 127) / 128, 128>>>(out, in, n);
}

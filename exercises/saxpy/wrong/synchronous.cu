// Wrong: right results, with plain loads.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;

__global__ void __launch_bounds__(BLOCK)
    saxpy_kernel(float *y, const float *x, float a, int n) {
    __shared__ float sx[BLOCK], sy[BLOCK];
    const int t = threadIdx.x;
    const long long i = (long long)blockIdx.x * BLOCK + t;
    if (i < n) {
        sx[t] = x[i];
        sy[t] = y[i];
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (i < n) {
        y[i] = a * sx[t] + sy[t];
    }
}

void saxpy(float *y, const float *x, float a, int n) {
    const unsigned blocks = ((unsigned)n + BLOCK - 1) / BLOCK;
    saxpy_kernel<<<blocks, BLOCK>>>(y, x, a, n);
}

// Wrong: right results, by one thread that does everything.
#include <cuda_runtime.h>

__global__ void saxpy_kernel(float *y, const float *x, float a, int n) {
    for (int i = 0; i < n; ++i) {
        y[i] = a * x[i] + y[i];
    }
}

void saxpy(float *y, const float *x, float a, int n) {
    saxpy_kernel<<<1, 1>>>(y, x, a, n);
}

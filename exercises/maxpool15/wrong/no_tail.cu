// Wrong: the elements behind the last full block are never written.
#include <cuda_runtime.h>

__global__ void pool(float *out, const float *in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float most = in[i];
    for (int k = -15; k <= 15; ++k) {
        const long long j = (long long)i + k;
        if (0 <= j && j < n) {
            most = fmaxf(most, in[j]);
        }
    }
    out[i] = most;
}

void maxpool15(float *out, const float *in, int n) {
    pool<<<n / 128, 128>>>(out, in, n);
}

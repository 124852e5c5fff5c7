// Wrong: the input is changed on the way.
#include <cuda_runtime.h>

__global__ void pool(float *out, float *in, int n) {
    const int i = threadIdx.x;
    for (int base = 0; base < n; base += 1024) {
        float most = 0;
        for (int j = base + i - 15; j <= base + i + 15; ++j) {
            if (0 <= j && j < n) {
                most = fmaxf(most, in[j]);
            }
        }
        if (base + i < n) {
            out[base + i] = most;
        }
    }
    __syncthreads();
    if (i == 0) {
        in[0] = 0;
    }
}

void maxpool15(float *out, const float *in, int n) {
    pool<<<1, 1024>>>(out, const_cast<float *>(in), n);
}

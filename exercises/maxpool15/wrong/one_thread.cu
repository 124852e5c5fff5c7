// Wrong: right results, by one thread that does everything.
#include <cuda_runtime.h>

__global__ void pool(float *out, const float *in, int n) {
    for (int i = 0; i < n; ++i) {
        float most = in[i];
        for (int j = i < 15 ? 0 : i - 15; j <= i + 15 && j < n; ++j) {
            most = fmaxf(most, in[j]);
        }
        out[i] = most;
    }
}

void maxpool15(float *out, const float *in, int n) {
    pool<<<1, 1>>>(out, in, n);
}

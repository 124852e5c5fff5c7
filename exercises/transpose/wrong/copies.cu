// Wrong: a copy.
#include <cuda_runtime.h>

__global__ void copy(float *out, const float *in) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = in[i];
}

void transpose(float *out, const float *in, int rows, int cols) {
    copy<<<rows * cols / 256, 256>>>(out, in);
}

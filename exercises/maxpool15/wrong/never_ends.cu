// Wrong: thread 0 waits for a flag that nobody sets, and all others for
// thread 0.
#include <cuda_runtime.h>

__device__ volatile int flag;

__global__ void pool(float *out, const float *in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        while (flag == 0) {
        }
    }
    __syncthreads();
    if (i < n) {
        out[i] = in[i];
    }
}

void maxpool15(float *out, const float *in, int n) {
    pool<<<((unsigned)n + 127) / 128, 128>>>(out, in, n);
}

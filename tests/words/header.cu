// @launch k 1 64 f32[64] f32[64]
#include "tile.cuh"

__global__ void k(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    fetch(&s[t], in + t);
    out[t] = take(&s[t]);
}
// @at tile.cuh:12 read-before-complete

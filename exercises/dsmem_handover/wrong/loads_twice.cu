// Wrong: right results, and each CTA loads the other half from global memory.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int BLOCK = 128, PAIR = 2 * BLOCK;

// Each CTA of a pair has half of a tile of 256 elements.
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(BLOCK)
    mirrored_kernel(float *out, const float *in) {
    __shared__ float half[BLOCK];
    const int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    half[t] = in[i];
    const int first = i / PAIR * PAIR;
    out[i] = half[t] - in[first + PAIR - 1 - (i - first)];
}

void mirrored(float *out, const float *in, int n) {
    mirrored_kernel<<<n / BLOCK, BLOCK>>>(out, in);
}

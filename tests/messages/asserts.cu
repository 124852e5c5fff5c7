// @launch k 1 32 f32[32] 5
#include <cassert>

__global__ void k(float *out, int n) {
    assert(n < 5);  // @finding trap
    out[threadIdx.x] = n;
}

// @shows tests/messages/asserts.cu:5:19: finding: trap

// @launch k 1 32 f32[32]

__device__ void wait(unsigned mask) {
    __syncwarp(mask);  // @finding barrier-divergence|deadlock
}

__global__ void k(float *out) {
    if (threadIdx.x < 16) {
        wait(0xffffffff);
    } else {
        return;
    }
    out[threadIdx.x] = 1.0f;
}

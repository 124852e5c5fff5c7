// @launch k 1 64 f32[64]

__global__ void k(float *out) {
    int t = threadIdx.x;
    if (t < 40) {
        out[t] = 1.0f;
        __syncthreads();  // @finding barrier-divergence
        out[t] += 1.0f;
    }
}

// @message thread 32 comes to `__syncthreads()` without the rest of its warp, or of the threads that it waits for: 24 threads of the block had ended without arriving (the same in 23 more accesses)

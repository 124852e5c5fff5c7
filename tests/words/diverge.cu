// @launch k 1 64 f32[64]

__global__ void k(float *out) {
    int t = threadIdx.x;
    if (t < 40) {
        out[t] = 1.0f;
        __syncthreads();  // @finding barrier-divergence
        out[t] += 1.0f;
    }
}

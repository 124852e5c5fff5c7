// @launch k 1 64 f32[64] f32[64] --smem 128

__global__ void k(float *out, const float *in) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = in[threadIdx.x];  // @finding out-of-bounds
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

// @message thread 32 writes 4 bytes at tile[32]: tile has 128 bytes
// @object tile[32]

// @launch k 1 8 f32[64]

__global__ void k(float *out) {
    float4 *to = (float4 *)(out + 1);
    to[threadIdx.x] = make_float4(1, 2, 3, 4);  // @finding misaligned
}

// @message thread 0 writes 16 bytes at a0[1], which is not aligned to 16
// @missing an address that is a multiple of 16 bytes

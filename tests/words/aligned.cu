// @launch k 1 8 f32[64] f32[64]

__global__ void k(float *out, const float *in) {
    float4 v = *(const float4 *)(in + 1 + 4 * threadIdx.x);  // @finding misaligned
    *(float4 *)(out + 4 * threadIdx.x) = v;
}

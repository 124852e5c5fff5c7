// @launch k 1 64 f32[64] f32[64]

__global__ void k(float *out, const float *in) {
    __shared__ float s[66];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[t] + s[t + 1];  // @finding uninitialized-read
}

// @message thread 63 reads s[64], which nobody has written (the same in 31 more accesses)
// @object s[64]

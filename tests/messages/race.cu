// @launch reverse 1 64 f32[64] f32[64]

template <typename T, int N>
__device__ T *slot(T (&s)[N], int i) {
    return &s[N - 1 - i];
}

__global__ void reverse(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];  // @cause
    out[t] = *slot(s, t);  // @finding data-race|read-before-barrier
}

// @message a thread of warp 0 reads s[32], which thread 32 wrote at line 11, with no barrier between them (the same in 63 more accesses)
// @missing __syncthreads() between lines 11 and 12

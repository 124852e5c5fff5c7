// @launch _Z5scaleIfLi2EEvPT_PKS0_i 1 64 f32[64] f32[60] 64

template <class T, int K>
__global__ void scale(T *out, const T *in, int n) {
    int t = threadIdx.x;
    if (t < n) {
        out[t] = K * in[t];  // @finding out-of-bounds
    }
}
template __global__ void scale<float, 2>(float *, const float *, int);

// @message thread 60 reads 4 bytes at a1[60]: a1 has 240 bytes
// @object a1[60]

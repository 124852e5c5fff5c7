// @launch k 1 64 f32[64] f32[64]

__global__ void k(float *out, const float *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    unsigned to = (unsigned)__cvta_generic_to_shared(&s[t]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(in + t));  // @cause
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 1;");
    out[t] = s[t];  // @finding read-before-complete
}

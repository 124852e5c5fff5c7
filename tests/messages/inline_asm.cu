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

// @message thread 0 reads s[0] while the copy (cp.async) of line 7 is still in flight: the wait at line 9 lets it stay pending (the same in 63 more accesses)
// @missing wait_group 0 or less at line 9

// cp.async by hand, its source size larger than the copy.
#include <cstdio>

__device__ void copy4(float *dst, const float *src, int bytes) {
    unsigned to = __cvta_generic_to_shared(dst);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(src), "r"(bytes) : "memory"); // @finding illegal-size
}

__global__ void pad(const float *in, float *out, int valid) {
    __shared__ float s[32];
    int t = threadIdx.x;
    copy4(s + t, in + t, t < valid ? 8 : 0);
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    out[t] = s[t];
}

int main() {
    const int n = 64, m = 32;
    static float in[n];
    static float out[m];
    for (int i = 0; i < n; i++)
        in[i] = i + 1;
    float *d_in;
    float *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof out);
    pad<<<1, 32>>>(d_in, d_out, 8);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i < 8 ? i + 1 : 0);
    printf("cp_async_src_size: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

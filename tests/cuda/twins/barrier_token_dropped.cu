// Everybody arrives and waits; the own slot is read without __syncthreads().
#include <cstdio>
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void halo(const float *in, float *out) {
    __shared__ float s[72];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    int t = threadIdx.x;
    if (t == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(s + t, in + blockIdx.x * 64 + t, cuda::aligned_size_t<4>(4), bar);
    if (t < 8)
        cuda::memcpy_async(s + 64 + t, in + blockIdx.x * 64 + 64 + t, cuda::aligned_size_t<4>(4), bar);
    bar.wait(bar.arrive());
    out[blockIdx.x * 64 + t] = s[t] + s[t + 8];
}

int main() {
    const int n = 136, m = 128;
    static float in[n];
    static float out[m];
    for (int i = 0; i < n; i++)
        in[i] = i;
    float *d_in;
    float *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof out);
    halo<<<2, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (2 * i + 8);
    printf("barrier_token_dropped: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

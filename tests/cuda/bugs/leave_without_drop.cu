// Threads leave the loop one by one, and the barrier goes on expecting them.
#include <cstdio>
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void countdown(const float *in, float *out) {
    __shared__ float s[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    int t = threadIdx.x;
    if (t == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    s[t] = in[t];
    int turns = t / 32 + 1;
    for (int k = 0; k < turns; k++)
        bar.arrive_and_wait(); // @finding mbarrier-deadlock
    out[t] = s[t];
}

int main() {
    const int n = 64, m = 64;
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
    countdown<<<1, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i);
    printf("leave_without_drop: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

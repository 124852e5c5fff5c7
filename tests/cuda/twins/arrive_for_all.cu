// The leader arrives for the 96 that the barrier expects.
#include <cstdio>
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void sum(const float *in, float *out) {
    __shared__ float s[96];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier done;
    int t = threadIdx.x;
    if (t == 0)
        init(&done, blockDim.x - 32);
    __syncthreads();
    if (t < 96)
        s[t] = in[t];
    __syncthreads();
    if (t == 0)
        (void)done.arrive(blockDim.x - 32);
    if (t >= 96) {
        done.wait_parity(false);
        float x = 0;
        for (int i = t - 96; i < 96; i += 32)
            x += s[i];
        out[t - 96] = x;
    }
}

int main() {
    const int n = 128, m = 32;
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
    sum<<<1, 128>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (3 * i + 96);
    printf("arrive_for_all: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

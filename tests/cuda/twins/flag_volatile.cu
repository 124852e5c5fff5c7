// A release store and an acquire load of cuda::atomic_ref.
#include <cstdio>
#include <cuda/atomic>

__device__ int flag;
__device__ float mail[32];

__global__ void handover(const float *in, float *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        mail[t] = 2 * in[t];
        __syncthreads();
        if (t == 0)
            cuda::atomic_ref<int, cuda::thread_scope_device>(flag).store(1, cuda::memory_order_release);
    } else {
        if (t == 0)
            while (cuda::atomic_ref<int, cuda::thread_scope_device>(flag).load(cuda::memory_order_acquire) == 0) {
            }
        __syncthreads();
        out[t] = mail[t];
    }
}

int main() {
    const int n = 32, m = 32;
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
    handover<<<2, 32>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (2 * i);
    printf("flag_volatile: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

// A thread's cuda::pipeline whose stage is never committed.
#include <cstdio>
#include <cuda/pipeline>

__global__ void twice(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(s + t, in + i, cuda::aligned_size_t<4>(sizeof(int)), pipe); // @cause
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    __syncthreads();
    out[i] = 2 * s[t ^ 1]; // @finding uncommitted-group
    pipe.consumer_release();
}

int main() {
    const int n = 128, m = 128;
    int *in;
    int *out;
    cudaMallocManaged(&in, n * sizeof *in);
    cudaMallocManaged(&out, m * sizeof *out);
    for (int i = 0; i < n; i++)
        in[i] = i;
    for (int i = 0; i < m; i++)
        out[i] = 0;
    twice<<<2, 64>>>(in, out);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
        return 0;
    }
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (2 * (i ^ 1));
    printf("pipeline_no_commit: %d wrong\n", bad);
    cudaFree(in);
    cudaFree(out);
    return 0; // wrong or not: see @finding
}

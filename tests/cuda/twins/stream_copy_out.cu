// The result is copied in the stream of the kernel.
#include <cstdio>

__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x; }

int main() {
    const int n = 256;
    int *p, *out;
    cudaStream_t work, copies;
    cudaStreamCreate(&work);
    cudaStreamCreate(&copies);
    cudaMalloc(&p, n * sizeof *p);
    cudaMallocHost(&out, n * sizeof *out);
    fill<<<1, n, 0, work>>>(p);
    cudaMemcpyAsync(out, p, n * sizeof *p, cudaMemcpyDeviceToHost, work);
    cudaDeviceSynchronize();
    printf("%s\n", out[5] == 5 ? "right" : "wrong");
    cudaStreamDestroy(work);
    cudaStreamDestroy(copies);
    cudaFree(p);
    cudaFreeHost(out);
    return 0;
}

// The result is copied in another stream than the kernel's.
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
    fill<<<1, n, 0, work>>>(p); // @cause
    cudaMemcpyAsync(out, p, n * sizeof *p, cudaMemcpyDeviceToHost, copies); // @finding stream-race
    cudaDeviceSynchronize();
    printf("%s\n", out[5] == 5 ? "right" : "wrong");
    cudaStreamDestroy(work);
    cudaStreamDestroy(copies);
    cudaFree(p);
    cudaFreeHost(out);
    return 0;
}

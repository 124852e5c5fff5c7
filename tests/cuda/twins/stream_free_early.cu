// Memory goes back to the pool in the stream that used it last.
#include <cstdio>

__global__ void fill(int *p, int *q) { q[threadIdx.x] = p[threadIdx.x] = threadIdx.x; }

int main() {
    const int n = 256;
    int *p, *q, out[n];
    cudaStream_t a, b;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaMalloc(&q, n * sizeof *q);
    cudaMallocAsync(&p, n * sizeof *p, a);
    cudaStreamSynchronize(a);
    fill<<<1, n, 0, b>>>(p, q);
    cudaFreeAsync(p, b);
    cudaDeviceSynchronize();
    cudaMemcpy(out, q, sizeof out, cudaMemcpyDeviceToHost);
    printf("%s\n", out[5] == 5 ? "right" : "wrong");
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaFree(q);
    return 0;
}

// Two kernels in two streams; the second one waits for the first one's event.
#include <cstdio>

__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void twice(int *q, const int *p) { q[threadIdx.x] = 2 * p[threadIdx.x]; }

int main() {
    const int n = 256;
    int *p, *q, out[n];
    cudaStream_t a, b;
    cudaEvent_t filled;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaEventCreate(&filled);
    cudaMalloc(&p, n * sizeof *p);
    cudaMalloc(&q, n * sizeof *q);
    fill<<<1, n, 0, a>>>(p);
    cudaEventRecord(filled, a);
    cudaStreamWaitEvent(b, filled, 0);
    twice<<<1, n, 0, b>>>(q, p);
    cudaDeviceSynchronize();
    cudaMemcpy(out, q, sizeof out, cudaMemcpyDeviceToHost);
    printf("%s\n", out[5] == 10 ? "right" : "wrong");
    cudaEventDestroy(filled);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaFree(p);
    cudaFree(q);
    return 0;
}

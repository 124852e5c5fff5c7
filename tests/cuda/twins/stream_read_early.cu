// The host waits for the copy before it reads its page-locked memory.
#include <cstdio>

int main() {
    const int n = 4096;
    int *p, *out, sum = 0;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMalloc(&p, n * sizeof *p);
    cudaMallocHost(&out, n * sizeof *out);
    cudaMemsetAsync(p, 0, n * sizeof *p, s);
    cudaMemcpyAsync(out, p, n * sizeof *p, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    for (int i = 0; i < n; i++)
        sum += out[i];
    printf("%s\n", sum == 0 ? "right" : "wrong");
    cudaStreamDestroy(s);
    cudaFree(p);
    cudaFreeHost(out);
    return 0;
}

// The host reads page-locked memory that an asynchronous copy may still write.
#include <cstdio>

int main() {
    const int n = 4096;
    int *p, *out, sum = 0;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMalloc(&p, n * sizeof *p);
    cudaMallocHost(&out, n * sizeof *out);
    cudaMemsetAsync(p, 0, n * sizeof *p, s);
    cudaMemcpyAsync(out, p, n * sizeof *p, cudaMemcpyDeviceToHost, s); // @cause
    for (int i = 0; i < n; i++)
        sum += out[i]; // @finding host-missing-sync
    cudaStreamSynchronize(s);
    printf("%s\n", sum == 0 ? "right" : "wrong");
    cudaStreamDestroy(s);
    cudaFree(p);
    cudaFreeHost(out);
    return 0;
}

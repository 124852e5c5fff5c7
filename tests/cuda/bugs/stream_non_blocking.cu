// A stream that is cudaStreamNonBlocking does not wait for the default stream.
#include <cstdio>

__global__ void add(int *p) { p[threadIdx.x] += 1; }

int main() {
    const int n = 256;
    int *p, out[n];
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMalloc(&p, n * sizeof *p);
    cudaMemset(p, 0, n * sizeof *p); // @cause
    add<<<1, n, 0, s>>>(p); // @finding stream-race
    cudaDeviceSynchronize();
    cudaMemcpy(out, p, sizeof out, cudaMemcpyDeviceToHost);
    printf("%s\n", out[5] == 1 ? "right" : "wrong");
    cudaStreamDestroy(s);
    cudaFree(p);
    return 0;
}

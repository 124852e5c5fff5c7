// note: refused
#include <cstdio>

int main() {
    int *d, h[4];
    cudaMalloc(&d, 4);
    cudaMemset(d, 0, 4);
    cudaError_t e = cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost);
    puts(cudaGetErrorString(e));
    cudaFree(d);
}

// After a fault every call answers with its error.
// @stdout 0 wrong
#include <cstdio>
#include <cuda_runtime.h>

__global__ void put(int *p, long i) {
    p[i] = 1; // @finding out-of-bounds
}

static int wrong;

static void expect(const char *what, cudaError_t got, cudaError_t want) {
    if (got != want) {
        printf("%s: %s, expected %s\n", what, cudaGetErrorName(got),
               cudaGetErrorName(want));
        wrong++;
    }
}

int main() {
    const cudaError_t fault = cudaErrorIllegalAddress;
    int *d, *e = nullptr, h = 5;
    expect("malloc", cudaMalloc(&d, 4096), cudaSuccess);
    put<<<1, 1>>>(d, 1L << 34);
    expect("launch", cudaGetLastError(), cudaSuccess);
    expect("synchronize", cudaDeviceSynchronize(), fault);
    expect("malloc after", cudaMalloc(&e, 4), fault);
    expect("copy after", cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost), fault);
    put<<<1, 1>>>(d, 0);
    expect("launch after", cudaGetLastError(), fault);
    expect("synchronize again", cudaDeviceSynchronize(), fault);
    expect("free after", cudaFree(d), fault);
    printf("%d wrong\n", wrong);
    return wrong != 0 || h != 5 || e != nullptr;
}

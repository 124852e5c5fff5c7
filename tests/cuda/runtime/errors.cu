// Wrong calls and launches: each has its error at once, none of them sticks.
// @stdout 0 wrong
#include <cstdio>
#include <cuda_runtime.h>

__global__ void plain(int *o) {
    extern __shared__ int s[];
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        s[0] = 1;
        o[0] = s[0];
    }
}

__constant__ int table[4];

static int wrong;

static void expect(const char *what, cudaError_t got, cudaError_t want) {
    cudaError_t last = cudaGetLastError();
    if (got != want || last != want || cudaGetLastError() != cudaSuccess) {
        printf("%s: %s, then %s; expected %s\n", what, cudaGetErrorName(got),
               cudaGetErrorName(last), cudaGetErrorName(want));
        wrong++;
    }
}

static void launch(const char *what, dim3 grid, dim3 block, size_t shared,
                   int *d, cudaError_t want) {
    plain<<<grid, block, shared>>>(d);
    expect(what, cudaPeekAtLastError(), want);
    expect("synchronize", cudaDeviceSynchronize(), cudaSuccess);
}

static void launches(int *d) {
    const cudaError_t bad = cudaErrorInvalidValue;
    launch("1024 threads", 1, 1024, 16, d, cudaSuccess);
    launch("1025 threads", 1, 1025, 16, d, bad);
    launch("no threads", 1, 0, 16, d, bad);
    launch("no blocks", 0, 1, 16, d, bad);
    launch("65 in z", 1, dim3(1, 1, 65), 16, d, bad);
    launch("65536 in y", dim3(1, 65536), 1, 16, d, bad);
    launch("48 KiB", 1, 1, 49152, d, cudaSuccess);
    launch("more than 48 KiB", 1, 1, 49153, d, cudaErrorInvalidValue);
    expect("raise", cudaFuncSetAttribute(
                        plain, cudaFuncAttributeMaxDynamicSharedMemorySize,
                        65536),
           cudaSuccess);
    launch("64 KiB, raised", 1, 1, 65536, d, cudaSuccess);
    expect("raise too far",
           cudaFuncSetAttribute(
               plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
           cudaErrorInvalidValue);
    launch("more than raised", 1, 1, 65537, d, cudaErrorInvalidValue);
}

static void copies(int *d) {
    static char host[3 << 20];
    const cudaError_t bad = cudaErrorInvalidValue;
    int in, *p = nullptr;
    expect("past the end", cudaMemcpy(d, host, sizeof host,
                                      cudaMemcpyHostToDevice), bad);
    expect("nothing", cudaMemcpy(d, host, 0, cudaMemcpyHostToDevice),
           cudaSuccess);
    expect("symbol", cudaMemcpyToSymbol(table, host, 16), cudaSuccess);
    expect("past a symbol", cudaMemcpyToSymbol(table, host, 17), bad);
    expect("past a symbol, from 12", cudaMemcpyToSymbol(table, host, 8, 12),
           bad);
    expect("a kind that is none",
           cudaMemcpy(d, host, 4, (cudaMemcpyKind)9),
           cudaErrorInvalidMemcpyDirection);
    expect("a pitch below the width",
           cudaMemcpy2D(d, 4, host, 8, 8, 2, cudaMemcpyHostToDevice),
           cudaErrorInvalidPitchValue);
    expect("free of a host address", cudaFree(&in), bad);
    expect("free of nothing", cudaFree(p), cudaSuccess);
    expect("too much", cudaMalloc(&p, (size_t)1 << 40),
           cudaErrorMemoryAllocation);
}

int main() {
    int *d, h = 0;
    expect("malloc", cudaMalloc(&d, 4096), cudaSuccess);
    launches(d);
    copies(d);
    expect("read", cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    expect("free", cudaFree(d), cudaSuccess);
    printf("%d wrong\n", wrong);
    return wrong != 0 || h != 1;
}

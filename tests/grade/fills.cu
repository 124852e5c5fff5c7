// Wrong: takes device memory until there is no more, and writes it.
#include "pool.cuh"
#include <cstdio>

void maxpool15(float *out, const float *in, int n) {
    const size_t piece = 32 << 20;
    char *p;
    for (int i = 0; i < 1000; ++i) {
        const cudaError_t e = cudaMalloc(&p, piece);
        if (e != cudaSuccess) {
            printf("%d pieces, then %s\n", i, cudaGetErrorName(e));
            return;
        }
        cudaMemset(p, 1, piece);
    }
}

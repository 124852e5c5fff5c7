// Wrong: takes device memory of each kind until there is no more, and writes it.
#include "pool.cuh"
#include <cstdio>

void maxpool15(float *out, const float *in, int n) {
    const size_t piece = 32 << 20;
    char *p;
    for (int i = 0; i < 1000; ++i) {
        const int kind = i % 3;
        const cudaError_t e = kind == 0   ? cudaMalloc(&p, piece)
                              : kind == 1 ? cudaMallocManaged(&p, piece)
                                          : cudaMallocHost(&p, piece);
        if (e != cudaSuccess) {
            printf("%d pieces, then %s\n", i, cudaGetErrorName(e));
            return;
        }
        cudaMemset(p, 1, piece);
    }
}

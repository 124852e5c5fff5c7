// Transposes: naive, and through a tile of shared memory with and without bank
// conflicts. Argument: n.
#include "course.h"

__global__ void transpose_naive(const float *in, float *out, int n) {
    int x = blockIdx.x * 32 + threadIdx.x;
    for (int y = blockIdx.y * 32 + threadIdx.y, i = 0; i < 32; i += 8) {
        out[x * n + y + i] = in[(y + i) * n + x];
    }
}

template <int PAD>
__global__ void transpose_tiled(const float *in, float *out, int n) {
    __shared__ float tile[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) {
        tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) {
        out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
    }
}

int main(int argc, char **argv) {
    const int n = argument(argc, argv, 1024);
    std::vector<float> in = numbers(n * n), out(n * n);
    float *a = device(in), *b = device(out);
    scalar("transpose", [&] {
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                out[j * n + i] = in[i * n + j];
            }
        }
    });
    int wrong = 0;
    dim3 block(32, 8), grid(n / 32, n / 32);
    transpose_naive<<<grid, block>>>(a, b, n);
    wrong |= differs("naive", host(b, n * n), out);
    transpose_tiled<0><<<grid, block>>>(a, b, n);
    wrong |= differs("tiled", host(b, n * n), out);
    transpose_tiled<1><<<grid, block>>>(a, b, n);
    wrong |= differs("padded", host(b, n * n), out);
    return wrong;
}

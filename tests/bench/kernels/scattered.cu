// Indices from memory: gather from a small and from a large table, scatter by a
// permutation, strided reads, a sparse matrix (CSR) times a vector. Argument:
// elements, a power of two.
#include "course.h"

__global__ void gather(const float *table, const int *at, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = table[at[i]];
    }
}

__global__ void scatter(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i * 5 & (n - 1)] = in[i];
    }
}

__global__ void strided(const float *in, float *out, int n, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i * step & (n - 1)];
    }
}

__global__ void spmv(const int *first, const int *col, const float *value,
                     const float *x, float *y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int i = first[row]; i < first[row + 1]; ++i) {
            sum += value[i] * x[col[i]];
        }
        y[row] = sum;
    }
}

int main(int argc, char **argv) {
    const int n = argument(argc, argv, 1 << 19), small = 4096, rows = n / 16;
    std::vector<float> in = numbers(n), o1(n), o2(n), o3(n), o4(n), y(rows);
    std::vector<int> at = indices(n, small), far = indices(n, n),
                     col = indices(n, rows), first(rows + 1);
    for (int i = 0; i <= rows; ++i) {
        first[i] = i * 16 - (i > 0 && i < rows ? i % 5 : 0);
    }
    scalar("scattered", [&] {
        for (int i = 0; i < n; ++i) {
            o1[i] = in[at[i]];
            o2[i] = in[far[i]];
            o3[i * 5 & (n - 1)] = in[i];
            o4[i] = in[i * 8 & (n - 1)];
        }
        for (int r = 0; r < rows; ++r) {
            for (int i = first[r]; i < first[r + 1]; ++i) {
                y[r] += in[i] * in[col[i]];
            }
        }
    });
    float *a = device(in), *b = device(o1);
    int *s = device(at), *l = device(far), *c = device(col), *f = device(first);
    int wrong = 0, grid = n / 256;
    gather<<<grid, 256>>>(a, s, b, n);
    wrong |= differs("gather small", host(b, n), o1);
    gather<<<grid, 256>>>(a, l, b, n);
    wrong |= differs("gather large", host(b, n), o2);
    scatter<<<grid, 256>>>(a, b, n);
    wrong |= differs("scatter", host(b, n), o3);
    strided<<<grid, 256>>>(a, b, n, 8);
    wrong |= differs("strided", host(b, n), o4);
    spmv<<<rows / 256, 256>>>(f, c, a, a, b, rows);
    wrong |= differs("spmv", host(b, rows), y);
    return wrong;
}

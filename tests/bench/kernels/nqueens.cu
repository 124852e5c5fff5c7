// Ways to place n queens, by recursion in each thread from a first two rows.
#include "course.h"

__host__ __device__ int place(unsigned all, unsigned col, unsigned left,
                              unsigned right) {
    if (col == all) {
        return 1;
    }
    int ways = 0;
    for (unsigned free = all & ~(col | left | right); free; free &= free - 1) {
        const unsigned bit = free & -free;
        ways += place(all, col | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return ways;
}

__global__ void nqueens(int *ways, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned all = (1u << n) - 1;
    if (i < n * n) {
        const unsigned a = 1u << i / n, b = 1u << i % n;
        const bool ok = !(b & (a | a << 1 | a >> 1));
        ways[i] = ok ? place(all, a | b, (a << 1 | b) << 1, (a >> 1 | b) >> 1)
                     : 0;
    }
}

int main() {
    const int n = 11;
    std::vector<int> ways(n * n);
    int *d = device(ways), sum = 0, expected = 0;
    cudaDeviceSetLimit(cudaLimitStackSize, 4096);
    nqueens<<<(n * n + 31) / 32, 32>>>(d, n);
    for (int v : host(d, n * n)) {
        sum += v;
    }
    scalar("nqueens", [&] { expected = place((1u << n) - 1, 0, 0, 0); });
    return sum != expected;
}

/* The same as libraries wrote it before cuda::atomic: flags and values apart,
 * a __threadfence between, and volatile loads in the wait. */
#include <cstdio>
#include <vector>

constexpr int B = 128;

__global__ void scan(const int *in, int *out, int n, volatile int *flags,
                     volatile int *sums, volatile int *prefixes,
                     unsigned *next) {
    __shared__ int s[B];
    __shared__ int before;
    __shared__ unsigned tile;
    if (threadIdx.x == 0) {
        tile = atomicAdd(next, 1u);
    }
    __syncthreads();
    int i = tile * B + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < B; d *= 2) {
        int v = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
        __syncthreads();
        s[threadIdx.x] += v;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        int sum = s[B - 1], b = 0;
        sums[tile] = sum;
        __threadfence();
        flags[tile] = 1;
        for (int k = (int)tile - 1; k >= 0; k--) {
            int f;
            do {
                f = flags[k];
            } while (f == 0);
            __threadfence();
            if (f == 2) {
                b += prefixes[k];
                break;
            }
            b += sums[k];
        }
        prefixes[tile] = b + sum;
        __threadfence();
        flags[tile] = 2;
        before = b;
    }
    __syncthreads();
    if (i < n) {
        out[i] = before + s[threadIdx.x];
    }
}

int main() {
    const int n = 8000, tiles = (n + B - 1) / B;
    std::vector<int> a(n), r(n);
    for (int i = 0; i < n; i++) {
        a[i] = i % 23 - 7;
    }
    int *in, *out, *work;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&work, (3 * tiles + 1) * sizeof(int));
    cudaMemset(work, 0, (3 * tiles + 1) * sizeof(int));
    cudaMemcpy(in, a.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    scan<<<tiles, B>>>(in, out, n, work, work + tiles, work + 2 * tiles,
                       (unsigned *)work + 3 * tiles);
    cudaMemcpy(r.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0, s = 0; i < n; i++) {
        wrong += r[i] != (s += a[i]);
    }
    cudaFree(in), cudaFree(out), cudaFree(work);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

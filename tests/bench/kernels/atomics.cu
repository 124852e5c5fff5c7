// Histograms and counters: atomics on one word, on 256, on 4096 and on 65536
// words of global memory, and a histogram in shared memory. Argument: elements.
#include "course.h"

__global__ void count(const int *in, int *bins, int nbins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&bins[in[i] % nbins], 1);
    }
}

__global__ void histogram(const int *in, int *bins, int n) {
    __shared__ int s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        atomicAdd(&s[in[i] % 256], 1);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

int main(int argc, char **argv) {
    const int n = argument(argc, argv, 1 << 19);
    std::vector<int> in = indices(n, 1 << 16), none(1 << 16), shared(256);
    int *a = device(in), *b = device(none), wrong = 0;
    for (int nbins : {1, 256, 4096, 65536}) {
        std::vector<int> bins(nbins);
        scalar("count", [&] {
            for (int i = 0; i < n; ++i) {
                bins[in[i] % nbins]++;
            }
        });
        cudaMemset(b, 0, nbins * 4);
        count<<<n / 256, 256>>>(a, b, nbins, n);
        wrong |= differs("count", host(b, nbins), bins);
    }
    for (int i = 0; i < n; ++i) {
        shared[in[i] % 256]++;
    }
    cudaMemset(b, 0, 256 * 4);
    histogram<<<n / 256 / 16, 256>>>(a, b, n);
    return wrong | differs("histogram", host(b, 256), shared);
}

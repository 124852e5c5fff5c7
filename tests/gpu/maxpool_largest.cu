// A solution of exercises/maxpool15 at n = 2^31 - 1, or at the n given, on a real
// GPU (16 GiB of its memory): every element is compared with a kernel that reads
// its whole window from global memory.
//
//     nvcc -std=c++17 -arch=sm_90a -o largest tests/gpu/maxpool_largest.cu
//         exercises/maxpool15/reference.cu && ./largest [N]
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

void maxpool15(float *out, const float *in, int n);

constexpr unsigned UNWRITTEN = 0x7fc0dead; // a NaN

#define CHECK(call)                                                            \
    do {                                                                       \
        const cudaError_t e = (call);                                          \
        if (e != cudaSuccess) {                                                \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));    \
            std::exit(1);                                                      \
        }                                                                      \
    } while (0)

// Positive, and different everywhere nearby.
__device__ float value(unsigned i) {
    unsigned h = i * 2654435761u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    return __uint_as_float(1 + h % 0x7f7fffffu);
}

__global__ void fill(float *in, float *out, long long n) {
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step) {
        in[i] = value((unsigned)i);
        out[i] = __uint_as_float(UNWRITTEN);
    }
}

__global__ void compare(const float *out, const float *in, long long n,
                        unsigned long long *wrong, unsigned long long *first) {
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step) {
        float most = 0;
        for (long long j = i - 15; j <= i + 15; ++j) {
            most = 0 <= j && j < n && value((unsigned)j) > most
                       ? value((unsigned)j)
                       : most;
        }
        if (__float_as_uint(out[i]) != __float_as_uint(most) ||
            in[i] != value((unsigned)i)) {
            atomicAdd(wrong, 1ull);
            atomicMin(first, (unsigned long long)i);
        }
    }
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 2147483647;
    float *in, *out;
    unsigned long long *found, result[2] = {0, ~0ull};
    CHECK(cudaMalloc(&in, (size_t)n * 4));
    CHECK(cudaMalloc(&out, (size_t)n * 4));
    CHECK(cudaMalloc(&found, sizeof result));
    CHECK(cudaMemcpy(found, result, sizeof result, cudaMemcpyHostToDevice));
    fill<<<1024, 256>>>(in, out, n);
    CHECK(cudaDeviceSynchronize());
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    maxpool15(out, in, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaDeviceSynchronize());
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    compare<<<4096, 256>>>(out, in, n, found, found + 1);
    CHECK(cudaMemcpy(result, found, sizeof result, cudaMemcpyDeviceToHost));
    std::printf("n = %d: %llu wrong, %.3f ms\n", n, result[0], ms);
    if (result[0]) {
        std::printf("the first is out[%llu]\n", result[1]);
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(found));
    return result[0] != 0;
}

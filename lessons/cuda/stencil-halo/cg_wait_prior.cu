// cg::wait_prior<N>: each cg::memcpy_async is a batch, and all but the last N
// have landed, for the whole group. Here the left halo is looked at while
// center and right halo may still be under way.
// @arch sm_80 sm_90a
// @stdout ok: 1000 elements
#include <cstdio>
#include <cstdlib>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <vector>

#define CHECK(call)                                              \
    do {                                                         \
        cudaError_t error = (call);                              \
        if (error != cudaSuccess) {                              \
            fprintf(stderr, "%s: %s\n", #call,                   \
                    cudaGetErrorString(error));                  \
            exit(1);                                             \
        }                                                        \
    } while (0)

// Left halo (8 elements), center (32), right halo (8): one tile.
constexpr int HALO = 8, CENTER = 32, THREADS = 64;

// The computation that both warps make from the tile that the first one loads:
// threads 0-31 the sums of the 17 elements around theirs, 32-63 the maxima.
__device__ void compute(float* sums, float* maxima, const float* buffer, int n)
{
    const int lane = threadIdx.x % 32, i = blockIdx.x * CENTER + lane;
    float sum = 0, largest = buffer[lane];
    for (int k = 0; k <= 2 * HALO; ++k) {
        sum += buffer[lane + k];
        largest = fmaxf(largest, buffer[lane + k]);
    }
    if (i < n && threadIdx.x < 32)
        sums[i] = sum;
    else if (i < n)
        maxima[i] = largest;
}

namespace cg = cooperative_groups;

// in points at the left halo of the first tile; whole tiles can be read.
__global__ void stencil(float* sums, float* maxima, const float* in, int n)
{
    __shared__ float buffer[HALO + CENTER + HALO];
    const int tid = threadIdx.x;
    const float* left = in + blockIdx.x * CENTER;
    const float* center = left + HALO;
    const float* right = center + CENTER;
    auto block = cg::this_thread_block();

    cg::memcpy_async(block, buffer, left, 8 * sizeof(float));
    cg::memcpy_async(block, buffer + 8, center, 32 * sizeof(float));
    cg::memcpy_async(block, buffer + 40, right, 8 * sizeof(float));

    cg::wait_prior<2>(block); // look here: two of three may be in flight
    float seen = buffer[tid % 8];
    cg::wait_prior<1>(block);
    seen += buffer[8 + tid % 32];
    cg::wait_prior<0>(block); // as cg::wait
    seen += buffer[40 + tid % 8];
    asm volatile("" ::"f"(seen)); // keeps the early reads in the program

    compute(sums, maxima, buffer, n);
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000; // the last tile is not full
    if (n < 1)
        return 2;
    const int tiles = (n + CENTER - 1) / CENTER;
    const int padded = tiles * CENTER + 2 * HALO;
    std::vector<float> in(padded, 0.0f), sums(n, -1.0f), maxima(n, -1.0f);
    for (int i = 0; i < n; ++i)
        in[HALO + i] = (float)(i * 37 % 1001);

    float *d_in, *d_sums, *d_maxima;
    CHECK(cudaMalloc(&d_in, padded * sizeof(float)));
    CHECK(cudaMalloc(&d_sums, n * sizeof(float)));
    CHECK(cudaMalloc(&d_maxima, n * sizeof(float)));
    CHECK(cudaMemcpy(d_in, in.data(), padded * sizeof(float),
                     cudaMemcpyHostToDevice));
    stencil<<<tiles, THREADS>>>(d_sums, d_maxima, d_in, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums.data(), d_sums, n * sizeof(float),
                     cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(maxima.data(), d_maxima, n * sizeof(float),
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_sums));
    CHECK(cudaFree(d_maxima));

    for (int i = 0; i < n; ++i) {
        float sum = 0, largest = in[i];
        for (int k = 0; k <= 2 * HALO; ++k) {
            sum += in[i + k];
            largest = largest > in[i + k] ? largest : in[i + k];
        }
        if (sums[i] != sum || maxima[i] != largest) {
            printf("wrong: element %d has sum %g and maximum %g, not %g and "
                   "%g\n", i, sums[i], maxima[i], sum, largest);
            return 1;
        }
    }
    printf("ok: %d elements\n", n);
    return 0;
}

// 1D max pooling with radius 15 (chapter 4.6) with what chapters 4.2 and 4.3
// teach: the tile and its halo come by asynchronous copies, and while a block
// computes on one tile, the next one is on its way into the other buffer.
// @arch sm_80 sm_90a
// @stdout ok: 5003 elements
#include <cstdio>
#include <cstdlib>
#include <cuda_pipeline.h>
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

constexpr int RADIUS = 15, BLOCK = 256;

constexpr int TILE = BLOCK + 2 * RADIUS;

// Issues the copies of the tile that begins at element `first`. Places outside
// the array are set by plain stores: -inf never is the largest.
__device__ void fetch(float* tile, const float* in, long long first, int n)
{
    if (first < n)
        for (int k = threadIdx.x; k < TILE; k += BLOCK) {
            const long long j = first - RADIUS + k;
            if (j >= 0 && j < n)
                __pipeline_memcpy_async(tile + k, in + j, 4);
            else
                tile[k] = -INFINITY;
        }
    __pipeline_commit(); // in every turn, also where nothing is left
}

__global__ void maxpool(float* out, const float* in, int n)
{
    __shared__ float tile[2][TILE];
    const long long step = (long long)gridDim.x * BLOCK;
    long long first = (long long)blockIdx.x * BLOCK;

    fetch(tile[0], in, first, n);
    for (int cur = 0; first < n; first += step, cur ^= 1) {
        fetch(tile[cur ^ 1], in, first + step, n);
        __pipeline_wait_prior(1); // my copies of this tile are there ...
        __syncthreads();          // ... and everybody's

        if (first + threadIdx.x < n) {
            float largest = -INFINITY;
            for (int k = 0; k <= 2 * RADIUS; ++k)
                largest = fmaxf(largest, tile[cur][threadIdx.x + k]);
            out[first + threadIdx.x] = largest;
        }
        __syncthreads(); // look here: all have read before it is filled again
    }
}

// The chapter's interface.
void maxpool15(float* out, const float* in, int n)
{
    const long long tiles = ((long long)n + BLOCK - 1) / BLOCK;
    const int blocks = (int)(tiles < 6 ? 1 : tiles / 6); // some turns each
    maxpool<<<blocks, BLOCK>>>(out, in, n);
}

static bool check(int n)
{
    std::vector<float> in(n), out(n, -1.0f);
    unsigned random = 12345;
    for (int i = 0; i < n; ++i) {
        random = random * 1664525u + 1013904223u;
        in[i] = (float)(1 + random / 65536); // positive
    }

    float *d_in, *d_out;
    const size_t bytes = n * sizeof(float);
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
    maxpool15(d_out, d_in, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));

    for (int i = 0; i < n; ++i) {
        float expected = in[i];
        for (int j = i - RADIUS; j <= i + RADIUS; ++j)
            if (j >= 0 && j < n && in[j] > expected)
                expected = in[j];
        if (out[i] != expected) {
            printf("wrong: n = %d, element %d is %g, not %g\n", n, i, out[i],
                   expected);
            return false;
        }
    }
    return true;
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 5003;
    if (n < 1)
        return 2;
    const int small[] = {1, 15, 16, 17, 30, 31, 32, 255, 256, 257, 271, 272};
    for (int s : small)
        if (!check(s))
            return 1;
    if (!check(n))
        return 1;
    printf("ok: %d elements\n", n);
    return 0;
}

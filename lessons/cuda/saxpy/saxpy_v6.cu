// The pipelined saxpy of chapter 4.4: two stages of three float4 a thread of x
// and of y, 48 KiB of shared memory. The kernel is verbatim.
//
// Its commits are outside the `if`: every turn commits a batch, an empty one
// at the end, and wait_prior(1) always leaves the newest alone in flight. Each
// thread reads only what it copied itself, so no __syncthreads is needed.
// @arch sm_80 sm_90a
// @stdout ok: 10000 float4
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

// ---- as the chapter prints it
__global__ __launch_bounds__(256, 4) void saxpy_v6(int n, float alpha,
                         const float4* __restrict__ x,
                               float4* __restrict__ y)
{
    constexpr int BLOCK = 256;
    constexpr int STEP  = 3;
    constexpr int TILE  = BLOCK * STEP;

    __shared__ float4 sx[2][TILE];
    __shared__ float4 sy[2][TILE];

    const int tid       = threadIdx.x;
    const int grid_tile = gridDim.x * TILE;

    float4* my_sx = &sx[0][tid];
    float4* my_sy = &sy[0][tid];

    int base = blockIdx.x * TILE;

    for (int s = 0; s < STEP; ++s) {
        const int gi = base + s * BLOCK + tid;
        if (gi < n) {
            __pipeline_memcpy_async(my_sx + s * BLOCK, &x[gi], sizeof(float4));
            __pipeline_memcpy_async(my_sy + s * BLOCK, &y[gi], sizeof(float4));
        }
    }
    __pipeline_commit();

    int cur = 0;

    #pragma unroll 2
    for (; base < n; base += grid_tile) {
        const int next      = cur ^ 1;
        const int next_base = base + grid_tile;

        for (int s = 0; s < STEP; ++s) {
            const int gi = next_base + s * BLOCK + tid;
            if (gi < n) {
                __pipeline_memcpy_async(my_sx + next * TILE + s * BLOCK, &x[gi], sizeof(float4));
                __pipeline_memcpy_async(my_sy + next * TILE + s * BLOCK, &y[gi], sizeof(float4));
            }
        }
        __pipeline_commit();

        __pipeline_wait_prior(1);

        for (int s = 0; s < STEP; ++s) {
            const int gi = base + s * BLOCK + tid;
            if (gi < n) {
                const float4 vx = my_sx[cur * TILE + s * BLOCK];
                const float4 vy = my_sy[cur * TILE + s * BLOCK];
                y[gi] = { alpha * vx.x + vy.x,
                          alpha * vx.y + vy.y,
                          alpha * vx.z + vy.z,
                          alpha * vx.w + vy.w };
            }
        }

        cur = next;
    }
}
// ---- end

int main(int argc, char** argv)
{
    // elements of 16 bytes, and blocks
    const int n = argc > 1 ? atoi(argv[1]) : 10000;
    const int grid = argc > 2 ? atoi(argv[2]) : 4; // 3 or 4 turns each
    if (n < 1 || grid < 1)
        return 2;
    const float alpha = 3.0f;
    std::vector<float> x(4 * (size_t)n), y(x.size()), result(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
        x[i] = (float)(i % 1009); // small whole numbers: the result is exact
        y[i] = (float)(i * 13 % 911);
    }

    float4 *d_x, *d_y;
    const size_t bytes = n * sizeof(float4);
    CHECK(cudaMalloc(&d_x, bytes));
    CHECK(cudaMalloc(&d_y, bytes));
    CHECK(cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_y, y.data(), bytes, cudaMemcpyHostToDevice));
    saxpy_v6<<<grid, 256>>>(n, alpha, d_x, d_y);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result.data(), d_y, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));

    for (size_t i = 0; i < x.size(); ++i) {
        const float expected = alpha * x[i] + y[i];
        if (result[i] != expected) {
            printf("wrong: element %zu is %g, not %g\n", i, result[i],
                   expected);
            return 1;
        }
    }
    printf("ok: %d float4\n", n);
    return 0;
}

// V5 and V6 of chapter 4.4 on the same arrays: y = alpha * x + y, some times, one
// after the other, and the mean time of a launch. Both are as in saxpy_v5.cu and
// saxpy_v6.cu. On the simulator an event's time is counted in its cycles.
//     compare [ELEMENTS OF 16 BYTES [BLOCKS OF V6 [LAUNCHES]]]
// @arch sm_80 sm_90a
// @stdout ok: V5 and V6 agree on 5000 float4
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

__global__ void saxpy_v5(int n, float alpha,
                         const float4* __restrict__ x,
                               float4* __restrict__ y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float4 vx = x[i]; // two loads of 16 bytes, both under
        const float4 vy = y[i]; // way before the first of them is needed
        y[i] = make_float4(alpha * vx.x + vy.x,
                           alpha * vx.y + vy.y,
                           alpha * vx.z + vy.z,
                           alpha * vx.w + vy.w);
    }
}

// The chapter's, as in saxpy_v6.cu.
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

static float4 *d_x, *d_y;

static void launch(int version, int n, int grid)
{
    if (version == 5)
        saxpy_v5<<<(n + 255) / 256, 256>>>(n, 3.0f, d_x, d_y);
    else
        saxpy_v6<<<grid, 256>>>(n, 3.0f, d_x, d_y);
    CHECK(cudaGetLastError());
}

// The mean time of a launch in ms; y is made anew first, and its end is checked.
static float measure(int version, int n, int grid, int launches)
{
    const size_t bytes = n * sizeof(float4);
    std::vector<float> x(4 * (size_t)n), y(x.size()), result(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
        x[i] = (float)(i % 1009); // small whole numbers: every sum is exact
        y[i] = (float)(i * 13 % 911);
    }
    CHECK(cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_y, y.data(), bytes, cudaMemcpyHostToDevice));
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    for (int i = 0; i < launches; ++i)
        launch(version, n, grid);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaMemcpy(result.data(), d_y, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < x.size(); ++i) {
        if (result[i] != launches * 3.0f * x[i] + y[i]) {
            printf("wrong: V%d, element %zu\n", version, i);
            exit(1);
        }
    }
    return ms / launches;
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 5000;
    const int grid = argc > 2 ? atoi(argv[2]) : 4;
    const int launches = argc > 3 ? atoi(argv[3]) : 1;
    if (n < 1 || grid < 1 || launches < 1 || launches > 100)
        return 2;
    CHECK(cudaMalloc(&d_x, n * sizeof(float4)));
    CHECK(cudaMalloc(&d_y, n * sizeof(float4)));
    for (int version = 5; version <= 6; ++version) {
        if (argc > 3) // the first launches find nothing in the caches
            measure(version, n, grid, launches);
        const float ms = measure(version, n, grid, launches);
        if (argc > 3) // bytes: x and y read, y written
            printf("V%d: %.1f us, %.0f GB/s\n", version, 1e3 * ms,
                   3.0 * n * sizeof(float4) / ms / 1e6);
    }
    printf("ok: V5 and V6 agree on %d float4\n", n);
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
    return 0;
}

// barriers.cu - waits as libcu++ writes them, compiled for sm_90:
//   nvcc -arch=sm_90 -ptx -std=c++17 barriers.cu
// Each kernel leaves in out[i] what test_sim_libcu.c says.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// A rotating sum: thread t reads what thread t + 1 wrote, 8 times.
extern "C" __global__ void rotate(const int *in, int *out) {
    __shared__ int tile[128];
    __shared__ block_barrier bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int i = 0; i < 8; i++) {
        tile[threadIdx.x] = v;
        bar.arrive_and_wait();
        v = tile[(threadIdx.x + 1) % blockDim.x] + 1;
        auto token = bar.arrive();
        bar.wait(std::move(token));
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

// One copy by memcpy_async on a barrier, in 16-byte pieces: bulk on sm_90.
extern "C" __global__ void copy_async(const int *in, int *out) {
    __shared__ alignas(16) int tile[128];
    __shared__ block_barrier bar;
    auto block = cooperative_groups::this_thread_block();
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    block.sync();
    for (int i = 0; i < 4; i++) {
        cuda::memcpy_async(block, tile, in + i * 128,
                           cuda::aligned_size_t<16>(sizeof tile), bar);
        bar.arrive_and_wait();
        out[i * 128 + threadIdx.x] = tile[127 - threadIdx.x];
        block.sync();
    }
}

// Two stages of a block-wide pipeline over 8 tiles of 128 words.
extern "C" __global__ void staged(const int *in, int *out) {
    constexpr int stages = 2;
    __shared__ alignas(16) int tile[stages][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages>
        state;
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int load = 0, use = 0; use < 8; use++) {
        for (; load < 8 && load < use + stages; load++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[load % stages], in + load * 128,
                               cuda::aligned_size_t<4>(sizeof tile[0]), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += tile[use % stages][127 - threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

// Warps 0 and 1 produce, warps 2 and 3 consume.
extern "C" __global__ void roles(const int *in, int *out) {
    constexpr int stages = 2;
    __shared__ alignas(16) int tile[stages][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages>
        state;
    auto block = cooperative_groups::this_thread_block();
    bool produces = threadIdx.x < 64;
    auto pipe = cuda::make_pipeline(block, &state,
                                    produces ? cuda::pipeline_role::producer
                                             : cuda::pipeline_role::consumer);
    int sum = 0;
    for (int i = 0; i < 16; i++) {
        if (produces) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[i % stages][threadIdx.x],
                               in + i * 64 + threadIdx.x,
                               cuda::aligned_size_t<4>(4), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += tile[i % stages][127 - threadIdx.x];
            pipe.consumer_release();
        }
    }
    if (!produces) out[threadIdx.x - 64] = sum;
}

// A cluster of 4: each block adds what it finds in all blocks' tiles.
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    neighbours(const int *in, int *out) {
    __shared__ int tile[128];
    auto cluster = cooperative_groups::this_cluster();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i];
    cluster.sync();
    int sum = 0;
    for (unsigned r = 0; r < cluster.num_blocks(); r++)
        sum += cluster.map_shared_rank(tile, r)[127 - threadIdx.x];
    cluster.sync();
    out[i] = sum;
}

// The whole grid, twice.
extern "C" __global__ void whole(int *in, int *out) {
    auto grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    out[i] = in[i] + 1;
    __threadfence();
    grid.sync();
    int v = out[(i + blockDim.x) % n];
    grid.sync();
    out[i] = v;
}

// The same C = A B with nvcuda::wmma, which hides where a warp's registers hold
// which element: fragments are loaded from shared memory by load_matrix_sync,
// while cp.async (here __pipeline_memcpy_async) fills the other buffer.
//
// A block of four warps makes 64 x 64 sums, a warp 32 x 32 of them: 2 x 2
// fragments of 16 x 16. wmma wants rows of a multiple of 16 bytes: 16 more of
// them than the tile has keep the banks apart.
// @arch sm_80 sm_90a
// @stdout ok: 128 x 192 sums of 160 products
// @stdout ok: 64 x 64 sums of 32 products
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
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

using namespace nvcuda;

constexpr int TILE_M = 64, TILE_N = 64, TILE_K = 32, PAD = 8; // halfs
constexpr int THREADS = 128, LD_A = TILE_K + PAD, LD_B = TILE_N + PAD;

struct Tiles {
    half a[TILE_M][LD_A];
    half b[TILE_K][LD_B];
};

__device__ void fill(Tiles &t, const half *a, const half *b, int n, int k)
{
    for (int i = threadIdx.x; i < TILE_M * TILE_K / 8; i += THREADS) {
        int row = i / (TILE_K / 8), col = i % (TILE_K / 8) * 8;
        __pipeline_memcpy_async(&t.a[row][col], a + (size_t)row * k + col, 16);
    }
    for (int i = threadIdx.x; i < TILE_K * TILE_N / 8; i += THREADS) {
        int row = i / (TILE_N / 8), col = i % (TILE_N / 8) * 8;
        __pipeline_memcpy_async(&t.b[row][col], b + (size_t)row * n + col, 16);
    }
}

__global__ __launch_bounds__(THREADS) void gemm(const half *a, const half *b,
                                                float *c, int n, int k)
{
    __shared__ __align__(32) Tiles tiles[2];
    const int warp = threadIdx.x / 32;
    const int warp_m = warp / 2 * 32, warp_n = warp % 2 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            wmma::fill_fragment(sum[i][j], 0.0f);

    a += (size_t)blockIdx.y * TILE_M * k;
    b += blockIdx.x * TILE_N;
    fill(tiles[0], a, b, n, k);
    __pipeline_commit();

    for (int at = 0, turn = 0; at < k; at += TILE_K, ++turn) {
        Tiles &now = tiles[turn % 2];
        if (at + TILE_K < k)
            fill(tiles[(turn + 1) % 2], a + at + TILE_K,
                 b + (size_t)(at + TILE_K) * n, n, k);
        __pipeline_commit(); // every turn, an empty batch in the last
        __pipeline_wait_prior(1);
        __syncthreads();

        for (int step = 0; step < TILE_K; step += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>
                fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>
                fb[2];
            for (int i = 0; i < 2; ++i)
                wmma::load_matrix_sync(fa[i], &now.a[warp_m + i * 16][step],
                                       LD_A);
            for (int j = 0; j < 2; ++j)
                wmma::load_matrix_sync(fb[j], &now.b[step][warp_n + j * 16],
                                       LD_B);
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j)
                    wmma::mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
        }
        __syncthreads();
    }

    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            size_t row = blockIdx.y * TILE_M + warp_m + i * 16;
            size_t col = blockIdx.x * TILE_N + warp_n + j * 16;
            wmma::store_matrix_sync(&c[row * n + col], sum[i][j], n,
                                    wmma::mem_row_major);
        }
    }
}

// Small whole numbers: every sum is exact, in any order.
static float value(int i, int salt)
{
    return (float)((i * 7 + i / 31 + salt) % 13 - 6);
}

static bool run(int m, int n, int k)
{
    std::vector<half> a((size_t)m * k), b((size_t)k * n);
    std::vector<float> c((size_t)m * n);
    for (size_t i = 0; i < a.size(); ++i)
        a[i] = __float2half(value((int)i, 1));
    for (size_t i = 0; i < b.size(); ++i)
        b[i] = __float2half(value((int)i, 5));
    half *d_a, *d_b;
    float *d_c;
    CHECK(cudaMalloc(&d_a, a.size() * sizeof(half)));
    CHECK(cudaMalloc(&d_b, b.size() * sizeof(half)));
    CHECK(cudaMalloc(&d_c, c.size() * sizeof(float)));
    CHECK(cudaMemcpy(d_a, a.data(), a.size() * sizeof(half),
                     cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b.data(), b.size() * sizeof(half),
                     cudaMemcpyHostToDevice));
    gemm<<<dim3(n / TILE_N, m / TILE_M), THREADS>>>(d_a, d_b, d_c, n, k);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), d_c, c.size() * sizeof(float),
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            float expected = 0;
            for (int l = 0; l < k; ++l)
                expected += value(i * k + l, 1) * value(l * n + j, 5);
            if (c[(size_t)i * n + j] != expected) {
                printf("wrong: [%d, %d] is %g, not %g\n", i, j,
                       c[(size_t)i * n + j], expected);
                return false;
            }
        }
    }
    printf("ok: %d x %d sums of %d products\n", m, n, k);
    return true;
}

int main(int argc, char **argv)
{
    if (argc > 3) { // M N K: multiples of 64, 64 and 32
        int m = atoi(argv[1]), n = atoi(argv[2]), k = atoi(argv[3]);
        if (m < 64 || n < 64 || k < 32 || m % 64 || n % 64 || k % 32)
            return 2;
        return run(m, n, k) ? 0 : 1;
    }
    return run(128, 192, 160) && run(64, 64, 32) ? 0 : 1;
}

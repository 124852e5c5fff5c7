// C = A B on tensor cores, the way a library's kernel does it: cp.async fills one
// buffer of tiles while ldmatrix and mma.sync work on the other. A is M x K, B is
// K x N, all by rows; A and B are half, C is float.
//
// A block of four warps makes 64 x 64 sums, a warp 32 x 32 of them: 2 x 4 products
// of m16n8k16 a step of 16 in K. Rows in shared memory are 16 bytes longer than
// the tile, so that the eight rows that ldmatrix reads at a time lie in different
// banks.
// @arch sm_80 sm_90a
// @stdout ok: 128 x 192 sums of 160 products
// @stdout ok: 64 x 64 sums of 32 products
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
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

constexpr int TILE_M = 64, TILE_N = 64, TILE_K = 32, PAD = 8; // halfs
constexpr int THREADS = 128;

struct Tiles {
    half a[TILE_M][TILE_K + PAD];
    half b[TILE_K][TILE_N + PAD];
};

__device__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ void copy_16_bytes(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(
                     shared_address(to)),
                 "l"(from)
                 : "memory");
}

// Four 8 x 8 matrices; lane i gives the address of row i % 8 of matrix i / 8.
__device__ void load_matrices(uint32_t (&r)[4], const half *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, "
                 "[%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// The same, each matrix transposed: B by rows becomes what mma wants of B.
__device__ void load_transposed(uint32_t (&r)[4], const half *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, "
                 "%3}, [%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
}

__device__ void multiply(float (&c)[4], const uint32_t (&a)[4], uint32_t b0,
                         uint32_t b1)
{
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Every thread copies two pieces of A's tile and two of B's.
__device__ void fill(Tiles &t, const half *a, const half *b, int n, int k)
{
    for (int i = threadIdx.x; i < TILE_M * TILE_K / 8; i += THREADS) {
        int row = i / (TILE_K / 8), col = i % (TILE_K / 8) * 8;
        copy_16_bytes(&t.a[row][col], a + (size_t)row * k + col);
    }
    for (int i = threadIdx.x; i < TILE_K * TILE_N / 8; i += THREADS) {
        int row = i / (TILE_N / 8), col = i % (TILE_N / 8) * 8;
        copy_16_bytes(&t.b[row][col], b + (size_t)row * n + col);
    }
}

__global__ __launch_bounds__(THREADS) void gemm(const half *a, const half *b,
                                                float *c, int n, int k)
{
    __shared__ __align__(16) Tiles tiles[2];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int warp_m = warp / 2 * 32, warp_n = warp % 2 * 32;
    float sum[2][4][4] = {};

    a += (size_t)blockIdx.y * TILE_M * k;
    b += blockIdx.x * TILE_N;
    fill(tiles[0], a, b, n, k);
    asm volatile("cp.async.commit_group;\n" ::: "memory");

    for (int at = 0, turn = 0; at < k; at += TILE_K, ++turn) {
        Tiles &now = tiles[turn % 2];
        if (at + TILE_K < k)
            fill(tiles[(turn + 1) % 2], a + at + TILE_K,
                 b + (size_t)(at + TILE_K) * n, n, k);
        // A group every turn, an empty one in the last: so one newer group is
        // always in flight, and wait_group 1 means "this turn's tiles are here".
        asm volatile("cp.async.commit_group;\n" ::: "memory");
        asm volatile("cp.async.wait_group 1;\n" ::: "memory");
        __syncthreads(); // what the others copied is here, too

        for (int step = 0; step < TILE_K; step += 16) {
            uint32_t fa[2][4], fb[2][4];
            for (int i = 0; i < 2; ++i)
                load_matrices(fa[i], &now.a[warp_m + i * 16 + lane % 16]
                                           [step + lane / 16 * 8]);
            for (int j = 0; j < 2; ++j)
                load_transposed(fb[j], &now.b[step + lane % 16]
                                             [warp_n + j * 16 + lane / 16 * 8]);
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 4; ++j)
                    multiply(sum[i][j], fa[i], fb[j / 2][j % 2 * 2],
                             fb[j / 2][j % 2 * 2 + 1]);
        }
        __syncthreads(); // nobody reads these tiles any more: fill them again
    }

    // Lane i has two neighbours in row i / 4 of each product, two in row i / 4 + 8.
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) {
            size_t row = blockIdx.y * TILE_M + warp_m + i * 16 + lane / 4;
            size_t col = blockIdx.x * TILE_N + warp_n + j * 8 + lane % 4 * 2;
            *(float2 *)&c[row * n + col] = {sum[i][j][0], sum[i][j][1]};
            *(float2 *)&c[(row + 8) * n + col] = {sum[i][j][2], sum[i][j][3]};
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

// The same C = A B with wgmma: the four warps of a block, a warpgroup, multiply
// matrices that stay in shared memory, asynchronously. For sm_90a alone.
//
// What has to be right: the generic proxy's bytes (cp.async writes them) are shown
// to the async proxy by fence.proxy.async before the barrier; wgmma.fence orders
// the registers of the sums before the first product; wgmma.wait_group before
// anybody reads the sums or fills the tiles again.
//
// Rows of A's tile (64 of K) and of B's tile (64 of N) are 128 bytes each, and
// piece i of row r lies at piece i ^ r % 8: the 128-byte swizzle that the
// descriptors name.
// @arch sm_90a
// @stdout ok: 128 x 192 sums of 192 products
// @stdout ok: 64 x 64 sums of 64 products
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

constexpr int TILE_M = 64, TILE_N = 64, TILE_K = 64;
constexpr int THREADS = 128, ROW = 128; // bytes

struct Tiles { // each begins at a multiple of 1024 bytes, as the swizzle does
    unsigned char a[TILE_M * ROW]; // a row is 64 elements of K
    unsigned char b[TILE_K * ROW]; // a row is 64 elements of N
};

__device__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

// 64 rows of 128 bytes, swizzled; rows of the source are `stride` elements apart.
__device__ void fill(unsigned char *tile, const half *from, int stride)
{
    for (int i = threadIdx.x; i < 64 * 8; i += THREADS) {
        int row = i / 8, piece = i % 8;
        uint32_t to = shared_address(tile + row * ROW + (piece ^ row % 8) * 16);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to),
                     "l"(from + (size_t)row * stride + piece * 8)
                     : "memory");
    }
}

// A matrix descriptor: where it begins, in units of 16 bytes; eight rows take 1024
// bytes; swizzle 1 is that of 128 bytes. (One column of rows: the leading byte
// offset is not used.)
__device__ uint64_t descriptor(const unsigned char *p)
{
    return (uint64_t)(shared_address(p) >> 4 & 0x3fff) | 1ull << 16 |
           (uint64_t)(1024 >> 4) << 32 | 1ull << 62;
}

// 64 x 64 sums of 16 products. A is by rows of K; B by rows of N: transposed.
__device__ void multiply(float (&c)[32], uint64_t a, uint64_t b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, "
        "%15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
        "%28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 1;\n"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]),
          "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]),
          "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]),
          "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]),
          "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]),
          "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]),
          "+f"(c[30]), "+f"(c[31])
        : "l"(a), "l"(b));
}

__global__ __launch_bounds__(THREADS) void gemm(const half *a, const half *b,
                                                float *c, int n, int k)
{
    __shared__ __align__(1024) Tiles tiles[2];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum[32] = {};

    a += (size_t)blockIdx.y * TILE_M * k;
    b += blockIdx.x * TILE_N;
    fill(tiles[0].a, a, k);
    fill(tiles[0].b, b, n);
    asm volatile("cp.async.commit_group;\n" ::: "memory");

    for (int at = 0, turn = 0; at < k; at += TILE_K, ++turn) {
        Tiles &now = tiles[turn % 2], &next = tiles[(turn + 1) % 2];
        if (at + TILE_K < k) {
            fill(next.a, a + at + TILE_K, k);
            fill(next.b, b + (size_t)(at + TILE_K) * n, n);
        }
        asm volatile("cp.async.commit_group;\n" ::: "memory");
        asm volatile("cp.async.wait_group 1;\n" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
        __syncthreads();

        asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
        for (int step = 0; step < TILE_K; step += 16)
            multiply(sum, descriptor(now.a + step * sizeof(half)),
                     descriptor(now.b + step * ROW));
        asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;\n" ::: "memory");
        __syncthreads(); // all four warps are done with these tiles
    }

    // Warp w has rows 16 w to 16 w + 15; pairs of columns as mma.m16n8 has them.
    for (int i = 0; i < 32; i += 2) {
        size_t row = blockIdx.y * TILE_M + warp * 16 + lane / 4 + i / 2 % 2 * 8;
        size_t col = blockIdx.x * TILE_N + i / 4 * 8 + lane % 4 * 2;
        *(float2 *)&c[row * n + col] = {sum[i], sum[i + 1]};
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
    if (argc > 3) { // M N K: multiples of 64
        int m = atoi(argv[1]), n = atoi(argv[2]), k = atoi(argv[3]);
        if (m < 64 || n < 64 || k < 64 || m % 64 || n % 64 || k % 64)
            return 2;
        return run(m, n, k) ? 0 : 1;
    }
    return run(128, 192, 192) && run(64, 64, 64) ? 0 : 1;
}

// Matrix products of a second course: 4 x 4 elements a thread in registers, and
// __half by wmma, a warp a tile of 16 x 16. Argument: n, a multiple of 64.
#include "course.h"
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

const int tile = 64, depth = 16, each = 4;

__global__ void matmul_register(const float *a, const float *b, float *c,
                                int n) {
    __shared__ float as[depth][tile], bs[depth][tile];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const int row = blockIdx.y * tile, col = blockIdx.x * tile;
    float sum[each][each] = {};
    for (int k0 = 0; k0 < n; k0 += depth) {
        for (int i = t; i < tile * depth; i += 256) {
            as[i % depth][i / depth] = a[(row + i / depth) * n + k0 + i % depth];
            bs[i / tile][i % tile] = b[(k0 + i / tile) * n + col + i % tile];
        }
        __syncthreads();
        for (int k = 0; k < depth; k++) {
            float x[each], y[each];
            for (int i = 0; i < each; i++) {
                x[i] = bs[k][tx * each + i];
                y[i] = as[k][ty * each + i];
            }
            for (int i = 0; i < each; i++) {
                for (int j = 0; j < each; j++) {
                    sum[i][j] += y[i] * x[j];
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < each; i++) {
        for (int j = 0; j < each; j++) {
            c[(row + ty * each + i) * n + col + tx * each + j] = sum[i][j];
        }
    }
}

__global__ void matmul_wmma(const __half *a, const __half *b, float *c, int n) {
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int y = warp / (n / 16) * 16, x = warp % (n / 16) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + y * n + k, n);
        wmma::load_matrix_sync(fb, b + k * n + x, n);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::store_matrix_sync(c + y * n + x, sum, n, wmma::mem_row_major);
}

int main(int argc, char **argv) {
    const int n = argument(argc, argv, 256);
    const auto a = numbers(n * n), b = numbers(n * n);
    std::vector<float> c(n * n);
    std::vector<__half> ha(n * n), hb(n * n);
    for (int i = 0; i < n * n; i++) {
        ha[i] = __float2half(a[i]);
        hb[i] = __float2half(b[i]);
    }
    float *da = device(a), *db = device(b), *dc = device(a);
    __half *dha = device(ha), *dhb = device(hb);
    scalar("product", [&] {
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < n; ++k) {
                for (int j = 0; j < n; ++j) {
                    c[i * n + j] += a[i * n + k] * b[k * n + j];
                }
            }
        }
    });
    matmul_register<<<dim3(n / tile, n / tile), 256>>>(da, db, dc, n);
    int wrong = differs("register", host(dc, n * n), c);
    matmul_wmma<<<n * n / 256 / 4, 128>>>(dha, dhb, dc, n);
    std::printf("multiply-adds matmul_wmma %lld\n", 1ll * n * n * n);
    return wrong | differs("wmma", host(dc, n * n), c);
}

// Matrix products of a first course: naive, with the axes the wrong way round,
// and tiled. Argument: n.
#include "course.h"

__global__ void naive(const float *A, const float *B, float *C, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        float sum = 0;
        for (int k = 0; k < n; ++k) {
            sum += A[row * n + k] * B[k * n + col];
        }
        C[row * n + col] = sum;
    }
}

__global__ void naive_rows(const float *A, const float *B, float *C, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && col < n) {
        float sum = 0;
        for (int k = 0; k < n; ++k) {
            sum += A[row * n + k] * B[k * n + col];
        }
        C[row * n + col] = sum;
    }
}

template <int T>
__global__ void tiled(const float *A, const float *B, float *C, int n) {
    __shared__ float a[T][T], b[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n / T; ++t) {
        a[threadIdx.y][threadIdx.x] = A[row * n + t * T + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = B[(t * T + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < T; ++k) {
            sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        }
        __syncthreads();
    }
    C[row * n + col] = sum;
}

int main(int argc, char **argv) {
    const int n = argument(argc, argv, 256);
    std::vector<float> A = numbers(n * n), B = numbers(n * n), C(n * n);
    float *a = device(A), *b = device(B), *c = device(C);
    scalar("product", [&] {
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < n; ++k) {
                for (int j = 0; j < n; ++j) {
                    C[i * n + j] += A[i * n + k] * B[k * n + j];
                }
            }
        }
    });
    int wrong = 0;
    dim3 block(16, 16), grid(n / 16, n / 16), block32(32, 32),
        grid32(n / 32, n / 32);
    naive<<<grid, block>>>(a, b, c, n);
    wrong |= differs("naive 16", host(c, n * n), C);
    naive<<<grid32, block32>>>(a, b, c, n);
    wrong |= differs("naive 32", host(c, n * n), C);
    naive_rows<<<grid, block>>>(a, b, c, n);
    wrong |= differs("naive_rows", host(c, n * n), C);
    tiled<16><<<grid, block>>>(a, b, c, n);
    wrong |= differs("tiled 16", host(c, n * n), C);
    tiled<32><<<grid32, block32>>>(a, b, c, n);
    wrong |= differs("tiled 32", host(c, n * n), C);
    return wrong;
}

// tiles.cu - transposes, products, stencils, pooling: shared tiles.
#include <mma.h>
#include "../../../src/calibrate/kernels/stamps.cuh"

KERNEL transpose_naive(int n, const float *x, float *y, STAMPS) {
    BEGIN;
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        y[c * n + r + k] = x[(r + k) * n + c];
    }
    END;
}

template <int WIDTH>
__device__ void transpose(int n, const float *x, float *y) {
    __shared__ float s[32][WIDTH];
    int tx = threadIdx.x, ty = threadIdx.y;
    int c = blockIdx.x * 32 + tx, r = blockIdx.y * 32 + ty;
    for (int k = 0; k < 32; k += 8) {
        s[ty + k][tx] = x[(r + k) * n + c];
    }
    __syncthreads();
    c = blockIdx.y * 32 + tx;
    r = blockIdx.x * 32 + ty;
    for (int k = 0; k < 32; k += 8) {
        y[(r + k) * n + c] = s[tx][ty + k];
    }
}
KERNEL transpose_conflicts(int n, const float *x, float *y, STAMPS) {
    BEGIN;
    transpose<32>(n, x, y);
    END;
}
KERNEL transpose_padded(int n, const float *x, float *y, STAMPS) {
    BEGIN;
    transpose<33>(n, x, y);
    END;
}

KERNEL product_naive(int n, const float *a, const float *b, float *c, STAMPS) {
    BEGIN;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int k = 0; k < n; ++k) {
        s += a[row * n + k] * b[k * n + col];
    }
    c[row * n + col] = s;
    END;
}

template <int T>
__device__ void tiled(int n, const float *a, const float *b, float *c) {
    __shared__ float as[T][T], bs[T][T];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    float s = 0;
    for (int t = 0; t < n / T; ++t) {
        as[ty][tx] = a[row * n + t * T + tx];
        bs[ty][tx] = b[(t * T + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < T; ++k) {
            s += as[ty][k] * bs[k][tx];
        }
        __syncthreads();
    }
    c[row * n + col] = s;
}
KERNEL product_tiled_16(int n, const float *a, const float *b, float *c,
                        STAMPS) {
    BEGIN;
    tiled<16>(n, a, b, c);
    END;
}
KERNEL product_tiled_32(int n, const float *a, const float *b, float *c,
                        STAMPS) {
    BEGIN;
    tiled<32>(n, a, b, c);
    END;
}

// 64 by 64 a block of 256 threads, 4 by 4 a thread, 16 deep.
KERNEL product_blocked(int n, const float *a, const float *b, float *c,
                       STAMPS) {
    __shared__ float as[16][64], bs[16][64];
    BEGIN;
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    float s[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = t; i < 1024; i += 256) {
            as[i % 16][i / 16] = a[(row0 + i / 16) * n + k0 + i % 16];
            bs[i / 64][i % 64] = b[(k0 + i / 64) * n + col0 + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            float u[4], v[4];
            for (int i = 0; i < 4; ++i) {
                u[i] = as[k][ty * 4 + i];
                v[i] = bs[k][tx * 4 + i];
            }
            for (int i = 0; i < 4; ++i) {
                for (int j = 0; j < 4; ++j) {
                    s[i][j] += u[i] * v[j];
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            c[(row0 + ty * 4 + i) * n + col0 + tx * 4 + j] = s[i][j];
        }
    }
    END;
}

KERNEL product_wmma(int n, const half *a, const half *b, float *c, STAMPS) {
    using namespace nvcuda::wmma;
    BEGIN;
    int warp = threadIdx.x / 32;
    int row = blockIdx.y * 16, col = (blockIdx.x * 4 + warp) * 16;
    fragment<matrix_a, 16, 16, 16, half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, half, row_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.0f);
    for (int k = 0; k < n; k += 16) {
        load_matrix_sync(fa, a + row * n + k, n);
        load_matrix_sync(fb, b + k * n + col, n);
        mma_sync(fc, fa, fb, fc);
    }
    store_matrix_sync(c + row * n + col, fc, n, mem_row_major);
    END;
}

// 64 by 64 a block of 4 warps, operands through shared memory.
KERNEL product_wmma_shared(int n, const half *a, const half *b, float *c,
                           STAMPS) {
    using namespace nvcuda::wmma;
    __shared__ half as[64][24], bs[16][72];
    BEGIN;
    int t = threadIdx.x, warp = t / 32;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    fragment<matrix_a, 16, 16, 16, half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, half, row_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc[4];
    for (int j = 0; j < 4; ++j) {
        fill_fragment(fc[j], 0.0f);
    }
    for (int k = 0; k < n; k += 16) {
        *(uint4 *)&as[t / 2][t % 2 * 8] =
            *(const uint4 *)&a[(row0 + t / 2) * n + k + t % 2 * 8];
        *(uint4 *)&bs[t / 8][t % 8 * 8] =
            *(const uint4 *)&b[(k + t / 8) * n + col0 + t % 8 * 8];
        __syncthreads();
        load_matrix_sync(fa, &as[warp * 16][0], 24);
        for (int j = 0; j < 4; ++j) {
            load_matrix_sync(fb, &bs[0][j * 16], 72);
            mma_sync(fc[j], fa, fb, fc[j]);
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; ++j) {
        store_matrix_sync(c + (row0 + warp * 16) * n + col0 + j * 16, fc[j], n,
                          mem_row_major);
    }
    END;
}

KERNEL matrix_vector(int n, const float *a, const float *x, float *y, STAMPS) {
    BEGIN;
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    float s = 0;
    for (int c = threadIdx.x % 32; c < n; c += 32) {
        s += a[row * n + c] * x[c];
    }
    for (int k = 16; k > 0; k /= 2) {
        s += __shfl_down_sync(~0u, s, k);
    }
    if (threadIdx.x % 32 == 0) {
        y[row] = s;
    }
    END;
}

KERNEL stencil_global(int n, const float *x, float *y, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
    }
    END;
}

KERNEL stencil_shared(int n, const float *x, float *y, STAMPS) {
    __shared__ float s[256 + 8];
    BEGIN;
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t + 4] = x[i];
    if (t < 4) {
        s[t] = i >= 4 ? x[i - 4] : 0.0f;
        s[t + 260] = i + 256 < n ? x[i + 256] : 0.0f;
    }
    __syncthreads();
    float v = 0;
    for (int k = -4; k <= 4; ++k) {
        v += s[t + 4 + k];
    }
    y[i] = v;
    END;
}

KERNEL heat_2d(int n, const float *x, float *y, STAMPS) {
    BEGIN;
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c > 0 && r > 0 && c < n - 1 && r < n - 1) {
        int i = r * n + c;
        y[i] = x[i] + 0.1f * (x[i - 1] + x[i + 1] + x[i - n] + x[i + n] -
                              4.0f * x[i]);
    }
    END;
}

KERNEL heat_3d(int nx, int ny, int nz, const float *x, float *y, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && j > 0 && i < nx - 1 && j < ny - 1) {
        for (int k = 1; k < nz - 1; ++k) {
            int at = (k * ny + j) * nx + i;
            y[at] = (x[at - 1] + x[at + 1] + x[at - nx] + x[at + nx] +
                     x[at - nx * ny] + x[at + nx * ny]) /
                    6.0f;
        }
    }
    END;
}

__constant__ float weights[25] = {1, 2, 3, 2, 1, 2, 3, 4, 3, 2, 3, 4, 5,
                                  4, 3, 2, 3, 4, 3, 2, 1, 2, 3, 2, 1};

KERNEL convolve_5x5(int n, const float *x, float *y, STAMPS) {
    __shared__ float s[20][20];
    BEGIN;
    int tx = threadIdx.x, ty = threadIdx.y;
    int c0 = blockIdx.x * 16 - 2, r0 = blockIdx.y * 16 - 2;
    for (int i = ty * 16 + tx; i < 400; i += 256) {
        int c = c0 + i % 20, r = r0 + i / 20;
        bool in = c >= 0 && r >= 0 && c < n && r < n;
        s[i / 20][i % 20] = in ? x[r * n + c] : 0.0f;
    }
    __syncthreads();
    float v = 0;
    for (int j = 0; j < 5; ++j) {
        for (int i = 0; i < 5; ++i) {
            v += weights[j * 5 + i] * s[ty + j][tx + i];
        }
    }
    y[(r0 + 2 + ty) * n + c0 + 2 + tx] = v;
    END;
}

// The maximum of 15 neighbours: from global memory, from a shared tile, from
// one that cp.async fills.
KERNEL maxpool_global(int n, const float *x, float *y, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = -1e30f;
    for (int k = -7; k <= 7; ++k) {
        int j = i + k;
        if (j >= 0 && j < n) {
            v = fmaxf(v, x[j]);
        }
    }
    y[i] = v;
    END;
}

KERNEL maxpool_shared(int n, const float *x, float *y, STAMPS) {
    __shared__ float s[256 + 16];
    BEGIN;
    int t = threadIdx.x, base = blockIdx.x * 256 - 8;
    for (int k = t; k < 272; k += 256) {
        s[k] = base + k >= 0 && base + k < n ? x[base + k] : -1e30f;
    }
    __syncthreads();
    float v = s[t + 1];
    for (int k = 2; k <= 15; ++k) {
        v = fmaxf(v, s[t + k]);
    }
    y[base + 8 + t] = v;
    END;
}

KERNEL maxpool_async(int n, const float *x, float *y, STAMPS) {
    __shared__ alignas(16) float s[256 + 16];
    BEGIN;
    int t = threadIdx.x, base = blockIdx.x * 256 - 8;
    if (t < 68) {
        bool in = base + t * 4 >= 0 && base + t * 4 < n;
        if (in) {
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                             shared_at(&s[t * 4])),
                         "l"(x + base + t * 4)
                         : "memory");
        } else {
            for (int k = 0; k < 4; ++k) {
                s[t * 4 + k] = -1e30f;
            }
        }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    float v = s[t + 1];
    for (int k = 2; k <= 15; ++k) {
        v = fmaxf(v, s[t + k]);
    }
    y[base + 8 + t] = v;
    END;
}

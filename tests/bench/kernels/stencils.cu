// Stencils: 1D through shared memory with a halo, 2D of five points and 3D of
// seven from global memory, a convolution with a 5 x 5 filter. Argument: n, the
// side of the 2D ones.
#include "course.h"

enum { R = 3, BLOCK = 256 };

__global__ void stencil1(const float *in, float *out, int n) {
    __shared__ float s[BLOCK + 2 * R];
    int t = threadIdx.x + R, i = blockIdx.x * BLOCK + threadIdx.x;
    s[t] = in[i];
    if (threadIdx.x < R) {
        s[t - R] = i >= R ? in[i - R] : 0;
        s[t + BLOCK] = i + BLOCK < n ? in[i + BLOCK] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = -R; k <= R; ++k) {
        sum += s[t + k];
    }
    out[i] = sum;
}

__global__ void stencil2(const float *in, float *out, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
        const float *p = in + y * n + x;
        out[y * n + x] = p[0] + p[-1] + p[1] + p[-n] + p[n];
    }
}

__global__ void stencil3(const float *in, float *out, int w, int d) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x > 0 && y > 0 && x < w - 1 && y < w - 1) {
        for (int z = 1; z < d - 1; ++z) {
            const float *p = in + (z * w + y) * w + x;
            out[(z * w + y) * w + x] =
                p[0] + p[-1] + p[1] + p[-w] + p[w] + p[-w * w] + p[w * w];
        }
    }
}

__global__ void convolve(const float *in, const float *filter, float *out,
                         int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 5; ++j) {
            int u = x + j - 2, v = y + i - 2;
            if (u >= 0 && v >= 0 && u < n && v < n) {
                sum += in[v * n + u] * filter[i * 5 + j];
            }
        }
    }
    out[y * n + x] = sum;
}

int main(int argc, char **argv) {
    const int n = argument(argc, argv, 512), w = 64, d = n * n / w / w;
    std::vector<float> in = numbers(n * n), f = numbers(25), o1(n * n),
                       o2(n * n), o3(n * n), o4(n * n);
    float *a = device(in), *filter = device(f), *b = device(o1);
    scalar("stencils", [&] {
        for (int i = 0; i < n * n; ++i) {
            for (int k = -R; k <= R; ++k) {
                o1[i] += i + k >= 0 && i + k < n * n ? in[i + k] : 0;
            }
        }
        for (int y = 1; y < n - 1; ++y) {
            for (int x = 1; x < n - 1; ++x) {
                const float *p = &in[y * n + x];
                o2[y * n + x] = p[0] + p[-1] + p[1] + p[-n] + p[n];
            }
        }
        for (int z = 1; z < d - 1; ++z) {
            for (int y = 1; y < w - 1; ++y) {
                for (int x = 1; x < w - 1; ++x) {
                    const float *p = &in[(z * w + y) * w + x];
                    o3[(z * w + y) * w + x] = p[0] + p[-1] + p[1] + p[-w] +
                                              p[w] + p[-w * w] + p[w * w];
                }
            }
        }
        for (int y = 0; y < n; ++y) {
            for (int x = 0; x < n; ++x) {
                for (int i = 0; i < 25; ++i) {
                    int u = x + i % 5 - 2, v = y + i / 5 - 2;
                    bool inside = u >= 0 && v >= 0 && u < n && v < n;
                    o4[y * n + x] += inside ? in[v * n + u] * f[i] : 0;
                }
            }
        }
    });
    int wrong = 0;
    dim3 block(32, 8), grid(n / 32, n / 8), grid3(w / 32, w / 8);
    stencil1<<<n * n / BLOCK, BLOCK>>>(a, b, n * n);
    wrong |= differs("1D", host(b, n * n), o1);
    cudaMemset(b, 0, n * n * 4);
    stencil2<<<grid, block>>>(a, b, n);
    wrong |= differs("2D", host(b, n * n), o2);
    cudaMemset(b, 0, n * n * 4);
    stencil3<<<grid3, block>>>(a, b, w, d);
    wrong |= differs("3D", host(b, n * n), o3);
    convolve<<<grid, block>>>(a, filter, b, n);
    wrong |= differs("convolution", host(b, n * n), o4);
    return wrong;
}

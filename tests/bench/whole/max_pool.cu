// 2^22 elements of max pooling with radius 15 and a tile in shared memory, made
// and checked by the host.
#include "phases.h"
#include <algorithm>
#include <vector>

constexpr int RADIUS = 15, BLOCK = 256, TILE = BLOCK + 2 * RADIUS;

__global__ void max_pool(float *out, const float *in, int n) {
    __shared__ float tile[TILE];
    const int first = blockIdx.x * BLOCK - RADIUS;
    for (int t = threadIdx.x; t < TILE; t += BLOCK) {
        const int j = first + t;
        tile[t] = 0 <= j && j < n ? in[j] : 0.0f;
    }
    __syncthreads();
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        float most = tile[threadIdx.x];
        for (int k = 1; k <= 2 * RADIUS; ++k) {
            most = fmaxf(most, tile[threadIdx.x + k]);
        }
        out[i] = most;
    }
}

int main() {
    const int n = 1 << 22;
    const size_t bytes = n * sizeof(float);
    mark("begin");
    std::vector<float> in(n), out(n);
    unsigned state = 1;
    for (int i = 0; i < n; ++i) {
        state = state * 1664525u + 1013904223u;
        in[i] = (float)(1 + (state >> 16));
    }
    mark("fill");
    float *d_in, *d_out;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice);
    mark("in");
    max_pool<<<n / BLOCK, BLOCK>>>(d_out, d_in, n);
    cudaDeviceSynchronize();
    mark("kernel");
    cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost);
    mark("out");
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        const int from = std::max(0, i - RADIUS);
        const int to = std::min(n - 1, i + RADIUS);
        float most = in[from];
        for (int j = from + 1; j <= to; ++j) {
            most = in[j] > most ? in[j] : most;
        }
        wrong += out[i] != most;
    }
    cudaFree(d_in);
    cudaFree(d_out);
    mark("check");
    return wrong != 0;
}

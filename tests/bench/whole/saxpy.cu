// 2^24 elements of saxpy, made and checked by the host.
#include "phases.h"
#include <cmath>
#include <vector>

__global__ void saxpy(int n, float a, const float *x, float *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

int main() {
    const int n = 1 << 24;
    const size_t bytes = n * sizeof(float);
    mark("begin");
    std::vector<float> x(n), y(n), result(n);
    for (int i = 0; i < n; ++i) {
        x[i] = (i % 10007) / 64.0f - 50.0f;
        y[i] = (i % 5003) / 32.0f;
    }
    mark("fill");
    float *d_x, *d_y;
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y.data(), bytes, cudaMemcpyHostToDevice);
    mark("in");
    saxpy<<<n / 256, 256>>>(n, 2.5f, d_x, d_y);
    cudaDeviceSynchronize();
    mark("kernel");
    cudaMemcpy(result.data(), d_y, bytes, cudaMemcpyDeviceToHost);
    mark("out");
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        wrong += result[i] != std::fma(2.5f, x[i], y[i]);
    }
    cudaFree(d_x);
    cudaFree(d_y);
    mark("check");
    return wrong != 0;
}

// The list has every buffer once.
#include <cstdio>
#include <vector>

__global__ void add(float *a, const float *b) { a[threadIdx.x] += b[threadIdx.x]; }

int main() {
    const int n = 128;
    std::vector<float> h(n, 1.0f);
    std::vector<float *> all;
    for (int i = 0; i < 3; i++) {
        float *d;
        cudaMalloc(&d, n * sizeof(float));
        cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
        all.push_back(d);
    }
    for (float *d : all)
        add<<<1, n>>>(all[0], d);
    cudaMemcpy(h.data(), all[0], n * sizeof(float), cudaMemcpyDeviceToHost);
    for (float *d : all) {
        cudaError_t e = cudaFree(d);
        if (e != cudaSuccess)
            printf("%s\n", cudaGetErrorString(e));
    }
    printf("%g\n", h[0]);
    return h[0] != 4;
}

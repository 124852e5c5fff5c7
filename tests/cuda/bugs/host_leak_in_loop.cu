// @pedantic
// A scratch buffer for every turn, and none is freed.
#include <cstdio>

__global__ void copy(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x]; }

#define CHECK(call)                                                            \
    if ((call) != cudaSuccess)                                                 \
    return 1

int main() {
    const int n = 64;
    float h[n] = {7};
    float *x;
    CHECK(cudaMalloc(&x, sizeof h));
    CHECK(cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice));
    for (int turn = 0; turn < 3; turn++) {
        float *scratch;
        CHECK(cudaMalloc(&scratch, sizeof h)); // @finding host-leak
        copy<<<1, n>>>(x, scratch);
        CHECK(cudaGetLastError());
        copy<<<1, n>>>(scratch, x);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(x));
    printf("%g\n", h[0]);
    return h[0] != 7;
}

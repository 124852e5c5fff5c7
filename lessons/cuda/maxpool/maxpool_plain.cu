// 1D max pooling with radius 15 (chapter 4.6), straight from its definition:
// every thread reads its 31 elements from global memory. Neighbours read nearly
// the same ones; only the caches save this from reading 31 times as much.
// @arch sm_80 sm_90a
// @stdout ok: 5003 elements
#include <cstdio>
#include <cstdlib>
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

constexpr int RADIUS = 15, BLOCK = 256;

__global__ void maxpool(float* out, const float* in, int n)
{
    // n may be as large as 2^31 - 1: no int goes past its end here.
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float largest = -INFINITY;
    for (long long j = i - RADIUS; j <= i + RADIUS; ++j)
        if (j >= 0 && j < n)
            largest = fmaxf(largest, in[j]);
    out[i] = largest;
}

// The chapter's interface.
void maxpool15(float* out, const float* in, int n)
{
    const int blocks = (int)(((long long)n + BLOCK - 1) / BLOCK);
    maxpool<<<blocks, BLOCK>>>(out, in, n);
}

static bool check(int n)
{
    std::vector<float> in(n), out(n, -1.0f);
    unsigned random = 12345;
    for (int i = 0; i < n; ++i) {
        random = random * 1664525u + 1013904223u;
        in[i] = (float)(1 + random / 65536); // positive
    }

    float *d_in, *d_out;
    const size_t bytes = n * sizeof(float);
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
    maxpool15(d_out, d_in, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));

    for (int i = 0; i < n; ++i) {
        float expected = in[i];
        for (int j = i - RADIUS; j <= i + RADIUS; ++j)
            if (j >= 0 && j < n && in[j] > expected)
                expected = in[j];
        if (out[i] != expected) {
            printf("wrong: n = %d, element %d is %g, not %g\n", n, i, out[i],
                   expected);
            return false;
        }
    }
    return true;
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 5003;
    if (n < 1)
        return 2;
    const int small[] = {1, 15, 16, 17, 30, 31, 32, 255, 256, 257, 271, 272};
    for (int s : small)
        if (!check(s))
            return 1;
    if (!check(n))
        return 1;
    printf("ok: %d elements\n", n);
    return 0;
}

// "This pattern generalizes directly to more than two stages" (chapter 4.3, its
// last sentence): STAGES places for each thread, STAGES - 1 batches in flight.
// @arch sm_80 sm_90a
// @stdout ok: 1000 elements
#include <cstdio>
#include <cstdlib>
#include <cuda_pipeline.h>
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

constexpr int BLOCK = 128;

// What is computed from each element: exact for small whole numbers.
__host__ __device__ float f(float x)
{
    return 2.0f * x + 1.0f;
}

template <int STAGES>
__global__ void stages(float* out, const float* in, int N)
{
    __shared__ float next[STAGES * BLOCK];
    const int slot = threadIdx.x;
    const int tid = blockIdx.x * BLOCK + threadIdx.x;
    const int G = gridDim.x * BLOCK;

    // Batch k of a thread is its element tid + k * G, in place k % STAGES.
    auto fetch = [&](int k) {
        if (tid + k * G < N)
            __pipeline_memcpy_async(next + slot + BLOCK * (k % STAGES),
                                    in + tid + k * G, 4);
        __pipeline_commit(); // one batch, empty or not
    };
    for (int k = 0; k < STAGES - 1; ++k)
        fetch(k);
    for (int k = 0; tid + k * G < N; ++k) {
        fetch(k + STAGES - 1);
        __pipeline_wait_prior(STAGES - 1); // batch k has landed
        out[tid + k * G] = f(next[slot + BLOCK * (k % STAGES)]);
    }
}

// Runs a kernel over n elements and compares every one with f on the host.
static bool check(const char* what, void (*kernel)(float*, const float*, int),
                  int grid, int n)
{
    std::vector<float> in(n), out(n, -1.0f);
    for (int i = 0; i < n; ++i)
        in[i] = (float)(i % 1000);

    float *d_in, *d_out;
    const size_t bytes = n * sizeof(float);
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_out, out.data(), bytes, cudaMemcpyHostToDevice));
    kernel<<<grid, BLOCK>>>(d_out, d_in, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));

    for (int i = 0; i < n; ++i) {
        if (out[i] != f(in[i])) {
            printf("wrong: %s, element %d is %g, not %g\n", what, i, out[i],
                   f(in[i]));
            return false;
        }
    }
    return true;
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    if (n < 1)
        return 2;
    if (!check("2 stages", stages<2>, 2, n) ||
        !check("3 stages", stages<3>, 2, n) ||
        !check("4 stages", stages<4>, 2, n) ||
        !check("8 stages", stages<8>, 1, n))
        return 1;
    printf("ok: %d elements\n", n);
    return 0;
}

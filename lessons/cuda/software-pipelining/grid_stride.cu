// A naive grid-stride loop (chapter 4.3): each turn loads, waits and computes.
// @arch sm_80 sm_90a
// @stdout ok: 1000 elements
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

constexpr int BLOCK = 128;

// What is computed from each element: exact for small whole numbers.
__host__ __device__ float f(float x)
{
    return 2.0f * x + 1.0f;
}

__global__ void grid_stride(float* out, const float* in, int N)
{
    const int tid = blockIdx.x * BLOCK + threadIdx.x;
    const int THREADS_IN_GRID = gridDim.x * BLOCK;

    // ---- as the chapter prints it
    for(int idx = tid; idx < N; idx += THREADS_IN_GRID) {
        out[idx] =  f(in[idx]);
    }
    // ---- end
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
    if (!check("three blocks", grid_stride, 3, n))
        return 1;
    printf("ok: %d elements\n", n);
    return 0;
}

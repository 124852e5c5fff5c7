// More bytes in flight with wider copies (chapter 4.3, below the solution):
// "__pipeline_memcpy_async(next + 4 * tid, in + 4 * idx, 16)" needs a float4
// for tmp, because the place must be empty before it is filled again.
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

// idx counts groups of four; the N % 4 elements at the end are done plainly.
__global__ void one_block(float* out, const float* in, int N)
{
    __shared__ alignas(16) float next[4 * BLOCK];
    const int tid = threadIdx.x;
    const int G = BLOCK, groups = N / 4;

    int idx = tid;
    if (idx < groups) {
        // as the chapter prints it
        __pipeline_memcpy_async(next + 4 * tid, in + 4 * idx, 16);
        __pipeline_commit();
    }
    for (; idx < groups; idx += G) {
        __pipeline_wait_prior(0);
        float4 tmp = *(const float4*)(next + 4 * tid); // four registers
        if (idx + G < groups) {
            __pipeline_memcpy_async(next + 4 * tid, in + 4 * (idx + G), 16);
            __pipeline_commit();
        }
        out[4 * idx + 0] = f(tmp.x);
        out[4 * idx + 1] = f(tmp.y);
        out[4 * idx + 2] = f(tmp.z);
        out[4 * idx + 3] = f(tmp.w);
    }
    if (tid < N % 4)
        out[4 * groups + tid] = f(in[4 * groups + tid]);
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
    for (int m = n; m < n + 4; ++m) // every remainder
        if (!check("one block", one_block, 1, m))
            return 1;
    printf("ok: %d elements\n", n);
    return 0;
}

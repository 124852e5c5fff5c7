// Two places for each thread (chapter 4.3): while one is read, the other is
// filled. There is still a moment without bytes in flight: the wait comes
// before the next copy is issued.
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

// One block, so that `tid` can be what the chapter uses it for: see
// single_buffer.cu.
__global__ void one_block(float* out, const float* in, int N)
{
    const int tid = threadIdx.x;
    const int G = BLOCK;

    // ---- as the chapter prints it
    int idx = tid;
    int stage = 0;
    __shared__ float next[2 * BLOCK];
    if(idx < N) {
        __pipeline_memcpy_async(next + tid, in + idx, 4);
        __pipeline_commit();
    }

    for(int idx = tid; idx < N; idx += G) {
        __pipeline_wait_prior(0);
        if(idx + G < N) {
            int s = (stage + 1) % 2;
            __pipeline_memcpy_async(next + tid + BLOCK * s, in + idx + G, 4);
            __pipeline_commit();
        }
        out[idx] =  f(next[tid + stage * BLOCK]);
        stage = (stage + 1) % 2;
    }
    // ---- end
}

__global__ void many_blocks(float* out, const float* in, int N)
{
    __shared__ float next[2 * BLOCK];
    const int slot = threadIdx.x;
    const int tid = blockIdx.x * BLOCK + threadIdx.x;
    const int G = gridDim.x * BLOCK;

    int stage = 0;
    if (tid < N) {
        __pipeline_memcpy_async(next + slot, in + tid, 4);
        __pipeline_commit();
    }
    for (int idx = tid; idx < N; idx += G) {
        __pipeline_wait_prior(0); // look here: nothing is in flight now
        if (idx + G < N) {
            int s = (stage + 1) % 2;
            __pipeline_memcpy_async(next + slot + BLOCK * s, in + idx + G, 4);
            __pipeline_commit();
        }
        out[idx] = f(next[slot + stage * BLOCK]);
        stage = (stage + 1) % 2;
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
    if (!check("one block", one_block, 1, n) ||
        !check("three blocks", many_blocks, 3, n))
        return 1;
    printf("ok: %d elements\n", n);
    return 0;
}

// The pipelined loop with asynchronous copies (chapter 4.3, "Solution"): one
// place of shared memory for each thread, emptied before it is filled again.
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

// The chapter's `tid` is both the place of the thread in the grid and its place
// in `next`. With one block they are the same.
__global__ void one_block(float* out, const float* in, int N)
{
    const int tid = threadIdx.x;
    const int G = BLOCK;

    // ---- as the chapter prints it
    int idx = tid;
    __shared__ float next[BLOCK];
    if(idx < N) {
        __pipeline_memcpy_async(next + tid, in + idx, 4);
        __pipeline_commit();
    }

    for(int idx = tid; idx < N; idx += G) {
        __pipeline_wait_prior(0);
        float tmp = next[tid];
        if(idx + G < N) {
            __pipeline_memcpy_async(next + tid, in + idx + G, 4);
            __pipeline_commit();
        }
        out[idx] =  f(tmp);
    }
    // ---- end
}

// With more blocks, `next` is indexed by the thread's place in its block.
__global__ void many_blocks(float* out, const float* in, int N)
{
    __shared__ float next[BLOCK];
    const int slot = threadIdx.x;
    const int tid = blockIdx.x * BLOCK + threadIdx.x;
    const int G = gridDim.x * BLOCK;

    if (tid < N) {
        __pipeline_memcpy_async(next + slot, in + tid, 4);
        __pipeline_commit();
    }
    for (int idx = tid; idx < N; idx += G) {
        __pipeline_wait_prior(0);
        float tmp = next[slot]; // look here: the place is free after this read
        if (idx + G < N) {
            __pipeline_memcpy_async(next + slot, in + idx + G, 4);
            __pipeline_commit();
        }
        out[idx] = f(tmp);
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

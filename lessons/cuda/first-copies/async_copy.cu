// The same as sync_load.cu with an asynchronous copy (chapter 4.2, left
// column): global memory -> shared memory, no register until f needs the data.
// @arch sm_80 sm_90a
// @stdout ok: 1000 float4
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

__host__ __device__ int other_work(int i)
{
    int w = i;
    for (int k = 0; k < 8; ++k)
        w = w * 5 + 1;
    return w & 7;
}

constexpr int BLOCK = 128;

__global__ void async_copy(float4* out, const float4* in, int n)
{
    __shared__ float4 dst_smem_ptr[BLOCK]; // one place for each thread
    const int first = blockIdx.x * BLOCK;
    if (first + threadIdx.x >= n) // the last block is not full
        return;
    const float4* src_global_ptr = in + first;

    // ---- as the chapter prints it, with some work put in
    int tid = threadIdx.x;
    __pipeline_memcpy_async(
       dst_smem_ptr + tid, 
       src_global_ptr + tid, 16);
    __pipeline_commit();

    // do some work that does 
    // not depend on the copy
    int work = other_work(first + tid);
    auto f = [&](float4 v) {
        out[first + tid] =
            make_float4(v.x + work, v.y + work, v.z + work, v.w + work);
    };

    __pipeline_wait_prior(0);
    // warp stalls until copy is done

    float4 reg = dst_smem_ptr[tid]; // its own place: no __syncthreads needed
    // warp stalls until smem->rmem is done
    f(reg);
    // ---- end
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000; // elements of 16 bytes
    if (n < 1)
        return 2;
    std::vector<float> in(4 * (size_t)n), out(4 * (size_t)n, -1.0f);
    for (size_t i = 0; i < in.size(); ++i)
        in[i] = (float)(i * 7 % 1001);

    float4 *d_in, *d_out;
    const size_t bytes = n * sizeof(float4);
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
    async_copy<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_out, d_in, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));

    for (size_t i = 0; i < in.size(); ++i) {
        const float expected = in[i] + other_work((int)(i / 4));
        if (out[i] != expected) {
            printf("wrong: element %zu is %g, not %g\n", i, out[i], expected);
            return 1;
        }
    }
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    printf("ok: %d float4\n", n);
    return 0;
}

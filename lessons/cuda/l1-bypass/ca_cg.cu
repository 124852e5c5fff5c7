// cp.async.ca keeps what it reads in L1, cp.async.cg goes past it ("L1 Bypass"
// in chapter 4.4). __pipeline_memcpy_async takes .cg for 16 bytes and .ca for 4
// and 8; inline PTX lets you choose. Both bring the same bytes.
// @arch sm_80 sm_90a
// @stdout ok: 1000 float4 by .ca, .cg and __pipeline_memcpy_async
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

enum { CA, CG, PRIMITIVE };

// How an address in shared memory is named in PTX.
__device__ unsigned shared_address(const void* p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

template <int HOW> __device__ void copy_16(void* dst, const void* src)
{
    if (HOW == CA) // through L1: the sectors that are read stay there
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;"
                     :: "r"(shared_address(dst)), "l"(src) : "memory");
    else if (HOW == CG) // past L1; only for 16 bytes
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                     :: "r"(shared_address(dst)), "l"(src) : "memory");
    else // 16 bytes: the header takes .cg
        __pipeline_memcpy_async(dst, src, 16);
}

constexpr int BLOCK = 128;

template <int HOW>
__global__ void through_shared(float4* out, const float4* in, int n)
{
    __shared__ float4 tile[BLOCK];
    const int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    if (i >= n)
        return;
    copy_16<HOW>(&tile[tid], &in[i]); // look here: see the PTX of the three
    __pipeline_commit();              // cp.async.commit_group
    __pipeline_wait_prior(0);         // cp.async.wait_group 0
    out[i] = tile[tid];
}

template <int HOW> static bool check(const char* what, int n)
{
    std::vector<float> in(4 * (size_t)n), out(in.size(), -1.0f);
    for (size_t i = 0; i < in.size(); ++i)
        in[i] = (float)i;
    float4 *d_in, *d_out;
    const size_t bytes = n * sizeof(float4);
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
    through_shared<HOW><<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_out, d_in, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    for (size_t i = 0; i < in.size(); ++i) {
        if (out[i] != in[i]) {
            printf("wrong: %s, element %zu is %g, not %g\n", what, i, out[i],
                   in[i]);
            return false;
        }
    }
    return true;
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000; // elements of 16 bytes
    if (n < 1)
        return 2;
    if (!check<CA>(".ca", n) || !check<CG>(".cg", n) ||
        !check<PRIMITIVE>("__pipeline_memcpy_async", n))
        return 1;
    printf("ok: %d float4 by .ca, .cg and __pipeline_memcpy_async\n", n);
    return 0;
}

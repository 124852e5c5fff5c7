// The pathological case of "L1 Bypass" in chapter 4.4: pointers that are
// aligned to 16 bytes, as the copy demands, but not to 32-byte sectors. The 512
// bytes of a warp then touch 17 sectors instead of 16; with .cg the half of a
// sector that is not asked for is thrown away, and the next warp fetches that
// sector from L2 again. With .ca it finds it in L1. Best is a better alignment.
// The bytes are right in all cases: the difference is in what the profiler (or
// the simulator's counters) says about sectors.
// @arch sm_80 sm_90a
// @stdout ok: 1000 float4, aligned and 16 bytes off
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
    copy_16<HOW>(&tile[tid], &in[i]);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[i] = tile[tid];
}

// off: float4 between the allocation's begin and the array's.
template <int HOW> static bool check(const char* what, int n, int off)
{
    std::vector<float> in(4 * (size_t)(n + off)), out(4 * (size_t)n, -1.0f);
    for (size_t i = 0; i < in.size(); ++i)
        in[i] = (float)i;
    float4 *d_in, *d_out;
    const size_t bytes = n * sizeof(float4);
    CHECK(cudaMalloc(&d_in, in.size() * sizeof(float)));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_in, in.data(), in.size() * sizeof(float),
                     cudaMemcpyHostToDevice));
    through_shared<HOW><<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_out, d_in + off,
                                                            n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    for (size_t i = 0; i < out.size(); ++i) {
        if (out[i] != in[i + 4 * off]) {
            printf("wrong: %s, %d bytes off, element %zu is %g, not %g\n", what,
                   16 * off, i, out[i], in[i + 4 * off]);
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
    for (int off = 0; off < 2; ++off) // look here: d_in + 1 is 16 bytes off
        if (!check<PRIMITIVE>("__pipeline_memcpy_async", n, off) ||
            !check<CG>(".cg", n, off) || !check<CA>(".ca", n, off))
            return 1;
    printf("ok: %d float4, aligned and 16 bytes off\n", n);
    return 0;
}

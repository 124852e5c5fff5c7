// __pipeline_arrive_on as it is meant to be used: copies, arrive_on, arrive, and
// one wait for the barrier instead of wait_prior and __syncthreads. The phase
// ends when all threads have arrived and all their copies have landed.
// @arch sm_80 sm_90a
// @stdout ok: 1000 elements
#include <cstdio>
#include <cstdlib>
#include <cuda_awbarrier_primitives.h>
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

constexpr int THREADS = 128;

// Every block reverses its part of the array.
__global__ void reverse_parts(float* out, const float* in, int n)
{
    __shared__ float place[THREADS];
    __shared__ __mbarrier_t filled;
    const int tid = threadIdx.x, first = blockIdx.x * THREADS;
    const int count = min(THREADS, n - first); // the last block is not full
    if (tid == 0)
        __mbarrier_init(&filled, THREADS);
    __syncthreads();

    if (tid < count)
        __pipeline_memcpy_async(&place[tid], &in[first + tid], sizeof(float));
    __pipeline_arrive_on(&filled); // without copies it changes nothing
    __mbarrier_token_t token = __mbarrier_arrive(&filled);

    // work that does not depend on the copies may stand here

    while (!__mbarrier_test_wait(&filled, token)) {} // look here: no other wait
    if (tid < count)
        out[first + tid] = place[count - 1 - tid];
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    if (n < 1)
        return 2;
    std::vector<float> in(n), out(n, -1.0f);
    for (int i = 0; i < n; ++i)
        in[i] = (float)i;
    float *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, n * sizeof(float)));
    CHECK(cudaMalloc(&d_out, n * sizeof(float)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(float),
                     cudaMemcpyHostToDevice));
    reverse_parts<<<(n + THREADS - 1) / THREADS, THREADS>>>(d_out, d_in, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float),
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    for (int i = 0; i < n; ++i) {
        const int first = i / THREADS * THREADS;
        const int count = n - first < THREADS ? n - first : THREADS;
        const float expected = in[first + count - 1 - (i - first)];
        if (out[i] != expected) {
            printf("wrong: element %d is %g, not %g\n", i, out[i], expected);
            return 1;
        }
    }
    printf("ok: %d elements\n", n);
    return 0;
}

// primitives.cu with __mbarrier_test_wait, which also sm_80 has: it only asks,
// where __mbarrier_try_wait may let the thread sleep until the phase is over.
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

constexpr int THREADS = 128; // the first warp produces, three consume
constexpr int buffer_len = 96;

__device__ void produce(__mbarrier_t* ready, __mbarrier_t* filled,
                        float* buffer, int buffer_len, const float* in, int N)
{
    for (int i = 0; i * buffer_len < N; ++i) {
        __mbarrier_token_t token = __mbarrier_arrive(&ready[i % 2]); // wait until it can be filled
        while (!__mbarrier_test_wait(&ready[i % 2], token)) {}
        for (int k = threadIdx.x; k < buffer_len; k += 32)
            if (i * buffer_len + k < N) // the last batch is not full
                __pipeline_memcpy_async(buffer + (i % 2) * buffer_len + k,
                                        in + i * buffer_len + k, sizeof(float));
        __pipeline_arrive_on(&filled[i % 2]); // bind the copies to the barrier
        __mbarrier_arrive(&filled[i % 2]);    // look here: still needed
    }
}

__device__ void consume(__mbarrier_t* ready, __mbarrier_t* filled,
                        const float* buffer, int buffer_len, float* out, int N)
{
    __mbarrier_arrive(&ready[0]); // both buffers can be filled
    __mbarrier_arrive(&ready[1]);
    for (int i = 0; i * buffer_len < N; ++i) {
        __mbarrier_token_t token = __mbarrier_arrive(&filled[i % 2]);
        while (!__mbarrier_test_wait(&filled[i % 2], token)) {}
        for (int k = threadIdx.x - 32; k < buffer_len; k += THREADS - 32)
            if (i * buffer_len + k < N)
                out[i * buffer_len + k] =
                    2.0f * buffer[(i % 2) * buffer_len + k] + 1.0f;
        __mbarrier_arrive(&ready[i % 2]); // it can be filled again
    }
}

// bar[0], bar[1]: buffer_0, buffer_1 can be filled; bar[2], bar[3]: is filled.
__global__ void producer_consumer(const float* in, float* out, int N)
{
    extern __shared__ float buffer[]; // buffer_0, buffer_1
    __shared__ __mbarrier_t bar[4];
    if (threadIdx.x < 4)
        __mbarrier_init(&bar[threadIdx.x], THREADS);
    __syncthreads();

    if (threadIdx.x < 32)
        produce(bar, bar + 2, buffer, buffer_len, in, N);
    else
        consume(bar, bar + 2, buffer, buffer_len, out, N);
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    if (n < 1)
        return 2;
    std::vector<float> in(n), out(n, -1.0f);
    for (int i = 0; i < n; ++i)
        in[i] = (float)(i % 4093);

    float *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, n * sizeof(float)));
    CHECK(cudaMalloc(&d_out, n * sizeof(float)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(float),
                     cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_out, 0xff, n * sizeof(float)));
    producer_consumer<<<1, THREADS, 2 * buffer_len * sizeof(float)>>>(d_in,
                                                                      d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float),
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));

    for (int i = 0; i < n; ++i) {
        if (out[i] != 2.0f * in[i] + 1.0f) {
            printf("wrong: element %d is %g, not %g\n", i, out[i],
                   2.0f * in[i] + 1.0f);
            return 1;
        }
    }
    printf("ok: %d elements\n", n);
    return 0;
}

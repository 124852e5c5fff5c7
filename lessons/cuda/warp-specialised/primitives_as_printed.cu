// WRONG: the note's producer with primitives (example three) as it is printed.
//
//     __pipeline_memcpy_async(buffer + i * buffer_len + threadIdx.x, /*...*/);
//     __pipeline_arrive_on(filled[i % 2]);
//     __mbarrier_arrive(filled[i % 2]);
//
// The last two lines do not compile: both take an __mbarrier_t*, and filled[0]
// is an __mbarrier_t ("argument of type "__mbarrier_t" is incompatible with
// parameter of type "__mbarrier_t *""). With the two & added it compiles, and
// the first line is wrong: there are two buffers, so from the third batch on the
// copy goes past the end of both. primitives.cu is the corrected program.
//
// It needs sm_90: on sm_80 CUDA 13's header makes a trap of __mbarrier_try_wait.
// @arch sm_90a
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
constexpr int buffer_len = 32; // one element for each thread of the producer

__device__ void produce(__mbarrier_t* ready, __mbarrier_t* filled,
                        float* buffer, int buffer_len, const float* in, int N)
{
    for (int i = 0; i < N / buffer_len; ++i) {
        // ---- as the note prints it, but for the two & and the arguments
        __mbarrier_token_t token = __mbarrier_arrive(&ready[i % 2]); // wait until it can be filled
        while (!__mbarrier_try_wait(&ready[i % 2], token, 1000)) {}
        __pipeline_memcpy_async(buffer + i * buffer_len + threadIdx.x, in + i * buffer_len + threadIdx.x, sizeof(float)); // @finding out-of-bounds
        __pipeline_arrive_on(&filled[i % 2]); // bind this copy to the barrier
        __mbarrier_arrive(&filled[i % 2]); // the buffer is filled
        // ---- end
    }
}

__device__ void consume(__mbarrier_t* ready, __mbarrier_t* filled,
                        const float* buffer, int buffer_len, float* out, int N)
{
    __mbarrier_arrive(&ready[0]);
    __mbarrier_arrive(&ready[1]);
    for (int i = 0; i < N / buffer_len; ++i) {
        __mbarrier_token_t token = __mbarrier_arrive(&filled[i % 2]);
        while (!__mbarrier_try_wait(&filled[i % 2], token, 1000)) {}
        for (int k = threadIdx.x - 32; k < buffer_len; k += THREADS - 32)
            out[i * buffer_len + k] =
                2.0f * buffer[(i % 2) * buffer_len + k] + 1.0f;
        __mbarrier_arrive(&ready[i % 2]);
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
    const int batches = argc > 1 ? atoi(argv[1]) : 4;
    if (batches < 1)
        return 2;
    const int n = batches * buffer_len;
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; ++i)
        in[i] = (float)i;

    float *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, n * sizeof(float)));
    CHECK(cudaMalloc(&d_out, n * sizeof(float)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(float),
                     cudaMemcpyHostToDevice));
    producer_consumer<<<1, THREADS, 2 * buffer_len * sizeof(float)>>>(d_in,
                                                                      d_out, n);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(error));
        return 0; // it is wrong, and that was noticed
    }
    CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float),
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    for (int b = 0; b < batches; ++b) {
        int wrong = 0;
        for (int i = b * buffer_len; i < (b + 1) * buffer_len; ++i)
            wrong += out[i] != 2.0f * in[i] + 1.0f;
        printf("batch %d: %d of %d elements are wrong\n", b, wrong, buffer_len);
    }
    return 0;
}

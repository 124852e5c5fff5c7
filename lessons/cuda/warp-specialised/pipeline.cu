// Warp specialisation (the note, example three): the first warp copies, the
// others compute. A cuda::pipeline of the block, divided into producers and
// consumers, keeps them apart: producer_acquire waits until a stage has been
// released, consumer_wait until it has been filled. There is no __syncthreads.
// produce and consume are written as the note describes them.
// @arch sm_80 sm_90a
// @stdout ok: 1000 elements
#include <cstdio>
#include <cstdlib>
#include <cooperative_groups.h>
#include <cuda/pipeline>
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

using pipeline = cuda::pipeline<cuda::thread_scope_block>;

__device__ void produce(pipeline& pipe, int num_stages, int stage,
                        int num_batches, int batch, float* buffer,
                        int buffer_len, const float* in, int N)
{
    if (batch < num_batches) {
        pipe.producer_acquire();
        for (int k = threadIdx.x; k < buffer_len; k += warpSize)
            if (batch * buffer_len + k < N) // the last batch is not full
                cuda::memcpy_async(buffer + stage * buffer_len + k,
                                   in + batch * buffer_len + k,
                                   cuda::aligned_size_t<4>(sizeof(float)),
                                   pipe);
        pipe.producer_commit();
    }
}

__device__ void consume(pipeline& pipe, int stage, int batch,
                        const float* buffer, int buffer_len, float* out, int N)
{
    pipe.consumer_wait();
    for (int k = threadIdx.x - warpSize; k < buffer_len;
         k += blockDim.x - warpSize)
        if (batch * buffer_len + k < N)
            out[batch * buffer_len + k] =
                2.0f * buffer[stage * buffer_len + k] + 1.0f;
    pipe.consumer_release(); // look here: from now on it may be filled again
}

// The barriers of a pipeline's state are set up by make_pipeline.
#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void producer_consumer(const float* in, float* out, int N)
{
    extern __shared__ float buffer[]; // buffer_0, buffer_1
    auto block = cooperative_groups::this_thread_block();
    const int num_batches = (N + buffer_len - 1) / buffer_len;

    // ---- as the note prints it
    constexpr int num_stages = 2;
    cuda::std::size_t producer_count = warpSize; // 32: number of producers
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, num_stages> shared_state;
    pipeline pipe = cuda::make_pipeline(block, &shared_state, producer_count);
    if (block.thread_rank() < producer_count) // the producer first fills both
        for (int s = 0; s < num_stages; ++s)
            produce(pipe, num_stages, s, num_batches, s, buffer, buffer_len, in, N);
    // ---- end

    int stage = 0;
    for (int b = 0; b < num_batches; ++b) {
        if (block.thread_rank() < producer_count)
            produce(pipe, num_stages, stage, num_batches, b + num_stages,
                    buffer, buffer_len, in, N);
        else
            consume(pipe, stage, b, buffer, buffer_len, out, N);
        stage = (stage + 1) % num_stages;
    }
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

// WRONG: the note's prefetch loop (example two) as it is printed. It ends after
// producer_acquire: nothing is fetched any more and nothing committed. In the
// second turn the newest batch is the one that is needed, and
// pipeline_consumer_wait_prior<num_stages - 1> leaves it in flight; from turn
// num_stages on, the place holds an old batch.
// pipeline.cu is the completed loop. What this prints is a matter of luck and
// of the input's size, so it does not fail on wrong elements.
// @arch sm_80 sm_90a
#include <cstdio>
#include <cstdlib>
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

constexpr int BLOCK = 96, GRID = 2; // a batch: one element for each thread

// Each thread computes from the element that it has copied itself.
__host__ __device__ int compute_one(int x)
{
    return 3 * x + 1;
}

constexpr int num_stages = 2;

__global__ void prefetch(int* global_out, const int* global_in, size_t batch_size)
{
    __shared__ int shared[num_stages * BLOCK];
    const int tid = threadIdx.x;
    int shared_offset[num_stages];
    for (int s = 0; s < num_stages; ++s)
        shared_offset[s] = s * BLOCK;
    auto block_batch = [&](size_t batch) {
        return (batch * GRID + blockIdx.x) * BLOCK;
    };
    auto compute = [&](size_t batch) {
        global_out[block_batch(batch) + tid] =
            compute_one(shared[shared_offset[batch % num_stages] + tid]); // @finding read-before-complete
    };

    // ---- as the note prints it (compute without its argument)
    // cuda::memcpy_async + thread-local pipeline (num_stages stages)
    cuda::pipeline<cuda::thread_scope_thread> pipeline = cuda::make_pipeline();
    // 1) fill the pipeline with the first num_stages batches
    for (int s = 0; s < num_stages; ++s) {
    pipeline.producer_acquire();
    cuda::memcpy_async(shared + shared_offset[s] + tid, // @cause
    global_in + block_batch(s) + tid,
    cuda::aligned_size_t<4>(sizeof(int)), pipeline);
    pipeline.producer_commit();
    }
    // 2) main loop: wait for the oldest stage -> compute -> release -> prefetch
    for (size_t cb = 0, fb = num_stages; cb < batch_size; ++cb, ++fb) {
    cuda::pipeline_consumer_wait_prior<num_stages - 1>(pipeline);
    __syncthreads(); // not needed if every thread uses its own copies only
    compute(cb);
    pipeline.consumer_release();
    pipeline.producer_acquire(); // to load the stage num_stages ahead
    }
    // ---- end
}

int main(int argc, char** argv)
{
    const int batches = argc > 1 ? atoi(argv[1]) : 4;
    if (batches < num_stages)
        return 2;
    const int n = batches * GRID * BLOCK;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; ++i)
        in[i] = i;

    int *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, n * sizeof(int)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    prefetch<<<GRID, BLOCK>>>(d_out, d_in, batches);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(int),
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));

    for (int b = 0; b < batches; ++b) {
        int wrong = 0;
        for (int i = b * GRID * BLOCK; i < (b + 1) * GRID * BLOCK; ++i)
            wrong += out[i] != compute_one(in[i]);
        printf("batch %d: %d of %d elements are wrong\n", b, wrong,
               GRID * BLOCK);
        if (b == 0 && wrong > 0) // only this one is waited for
            return 1;
    }
    return 0;
}

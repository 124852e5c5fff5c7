// Multi-stage prefetch with cuda::memcpy_async and a cuda::pipeline of a thread
// (the note, example two), completed: the note's loop ends after
// producer_acquire, pipeline_as_printed.cu shows what that does.
//
// Two things make it right. The producer_commit at the end of the loop stays in
// every turn, so that there always are num_stages batches to count; and where
// threads read what others copied, a second __syncthreads keeps the place from
// being filled again too early.
// @arch sm_80 sm_90a
// @stdout ok: 2496 elements in 13 batches
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

// Each thread computes from the element that the thread opposite in its block
// has copied: exact for whole numbers.
__host__ __device__ int compute_one(int x)
{
    return 3 * x + 1;
}

template <int num_stages>
__global__ void prefetch(int* global_out, const int* global_in, int batch_size)
{
    extern __shared__ int shared[]; // num_stages * BLOCK
    const int tid = threadIdx.x;
    int shared_offset[num_stages];
    for (int s = 0; s < num_stages; ++s)
        shared_offset[s] = s * BLOCK;
    // Where this block's part of a batch begins.
    auto block_batch = [&](int batch) {
        return (batch * GRID + blockIdx.x) * BLOCK;
    };
    int stage = 0; // where the current batch is
    auto compute = [&](int batch) {
        global_out[block_batch(batch) + tid] =
            compute_one(shared[shared_offset[stage] + BLOCK - 1 - tid]);
    };

    // ---- as the note prints it, with `if`: a small input has fewer batches
    cuda::pipeline<cuda::thread_scope_thread> pipeline = cuda::make_pipeline();
    // 1) fill the pipeline with the first num_stages batches
    for (int s = 0; s < num_stages; ++s) {
        pipeline.producer_acquire();
        if (s < batch_size)
            cuda::memcpy_async(shared + shared_offset[s] + tid,
                               global_in + block_batch(s) + tid,
                               cuda::aligned_size_t<4>(sizeof(int)), pipeline);
        pipeline.producer_commit();
    }
    // 2) wait for the oldest stage -> compute -> release -> prefetch
    for (int cb = 0, fb = num_stages; cb < batch_size; ++cb, ++fb) {
        cuda::pipeline_consumer_wait_prior<num_stages - 1>(pipeline);
        __syncthreads(); // not needed if every thread uses its own copies only
        compute(cb);
        pipeline.consumer_release();
        // ---- here the printed loop has one more line and ends; added:
        __syncthreads(); // all have read the stage that is filled next
        pipeline.producer_acquire();
        if (fb < batch_size)
            cuda::memcpy_async(shared + shared_offset[stage] + tid,
                               global_in + block_batch(fb) + tid,
                               cuda::aligned_size_t<4>(sizeof(int)), pipeline);
        pipeline.producer_commit(); // look here: also without a copy
        stage = (stage + 1) % num_stages;
    }
}

// Runs a kernel, and compares every element with what the host computes.
static bool check(int stages, void (*kernel)(int*, const int*, int), int* d_out,
                  const int* d_in, const std::vector<int>& in, int batches)
{
    std::vector<int> out(in.size());
    CHECK(cudaMemset(d_out, 0xff, in.size() * sizeof(int)));
    kernel<<<GRID, BLOCK, stages * BLOCK * sizeof(int)>>>(d_out, d_in, batches);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(int),
                     cudaMemcpyDeviceToHost));
    for (int i = 0; i < (int)in.size(); ++i) {
        const int opposite = i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK;
        if (out[i] != compute_one(in[opposite])) {
            printf("wrong: %d stages, element %d is %d, not %d\n", stages, i,
                   out[i], compute_one(in[opposite]));
            return false;
        }
    }
    return true;
}

int main(int argc, char** argv)
{
    const int batches = argc > 1 ? atoi(argv[1]) : 13;
    if (batches < 1)
        return 2;
    const int n = batches * GRID * BLOCK;
    std::vector<int> in(n), out(n, -1);
    for (int i = 0; i < n; ++i)
        in[i] = i;

    int *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, n * sizeof(int)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    if (!check(1, prefetch<1>, d_out, d_in, in, batches) ||
        !check(2, prefetch<2>, d_out, d_in, in, batches) ||
        !check(3, prefetch<3>, d_out, d_in, in, batches) ||
        !check(4, prefetch<4>, d_out, d_in, in, batches))
        return 1;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    printf("ok: %d elements in %d batches\n", n, batches);
    return 0;
}

// Multi-stage prefetch with cooperative_groups::memcpy_async (the note, example
// two, the second API). There is no pipeline object: every call commits at once,
// and an empty batch cannot be committed. So wait_prior counts right only while
// there is something to fetch; in the last turns everything is waited for.
// @arch sm_80 sm_90a
// @stdout ok: 2496 elements in 13 batches
#include <cstdio>
#include <cstdlib>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
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

namespace cg = cooperative_groups;

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
    auto block = cg::this_thread_block();

    for (int s = 0; s < num_stages && s < batch_size; ++s)
        cg::memcpy_async(block, shared + shared_offset[s],
                         global_in + block_batch(s), sizeof(int) * BLOCK);
    for (int cb = 0, fb = num_stages; cb < batch_size; ++cb, ++fb) {
        if (fb <= batch_size) // num_stages batches are under way
            cg::wait_prior<num_stages - 1>(block);
        else // look here: fewer are, and "all but num_stages - 1" is too little
            cg::wait(block);
        compute(cb);
        block.sync(); // all have read the stage that is filled next
        if (fb < batch_size)
            cg::memcpy_async(block, shared + shared_offset[stage],
                             global_in + block_batch(fb), sizeof(int) * BLOCK);
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

// __pipeline_arrive_on(&bar) binds the copies that the thread has issued to an
// mbarrier: the phase's pending count goes up by one now and down by one when
// they have landed. The net effect is zero: the phase cannot end before the
// copies have landed, but it does not count as the thread's own arrival. That
// takes an __mbarrier_arrive (the note, below example three).
//
// Thread 0 arrives once more than the others, for a token to ask with, and stores
// the answers. (__mbarrier_test_wait_parity would need no token; on sm_80 CUDA
// 13's header makes a trap of it.)
// @arch sm_80 sm_90a
// @stdout ok: 3 blocks; the phase ended after the plain arrivals only
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

constexpr int THREADS = 64;

__global__ void net_zero(int* out, const int* in, int* answers)
{
    __shared__ int place[THREADS];
    __shared__ __mbarrier_t bar;
    const int tid = threadIdx.x, i = blockIdx.x * THREADS + tid;
    if (tid == 0)
        __mbarrier_init(&bar, THREADS + 1); // one arrival of each, one to ask
    __syncthreads();
    __mbarrier_token_t question = 0;
    if (tid == 0)
        question = __mbarrier_arrive(&bar);

    __pipeline_memcpy_async(&place[tid], &in[i], sizeof(int));
    __pipeline_arrive_on(&bar); // up by one; down by one when it has landed
    __pipeline_commit();
    __pipeline_wait_prior(0); // the copies of this thread have landed
    __syncthreads();          // everybody's have

    // All copies are there, arrive_on has counted for nobody: the phase is open.
    if (tid == 0)
        answers[2 * blockIdx.x] = __mbarrier_test_wait(&bar, question);
    __syncthreads();

    __mbarrier_token_t token = __mbarrier_arrive(&bar); // look here
    while (!__mbarrier_test_wait(&bar, token)) {}
    if (tid == 0)
        answers[2 * blockIdx.x + 1] = __mbarrier_test_wait(&bar, question);

    out[i] = place[THREADS - 1 - tid]; // what another thread copied
}

int main(int argc, char** argv)
{
    const int blocks = argc > 1 ? atoi(argv[1]) : 3;
    if (blocks < 1)
        return 2;
    const int n = blocks * THREADS;
    std::vector<int> in(n), out(n), answers(2 * blocks, -1);
    for (int i = 0; i < n; ++i)
        in[i] = i * 3 + 1;

    int *d_in, *d_out, *d_answers;
    CHECK(cudaMalloc(&d_in, n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, n * sizeof(int)));
    CHECK(cudaMalloc(&d_answers, 2 * blocks * sizeof(int)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    net_zero<<<blocks, THREADS>>>(d_out, d_in, d_answers);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(int),
                     cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(answers.data(), d_answers, 2 * blocks * sizeof(int),
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_answers));

    for (int i = 0; i < n; ++i) {
        const int from = i / THREADS * THREADS + THREADS - 1 - i % THREADS;
        if (out[i] != in[from]) {
            printf("wrong: element %d is %d, not %d\n", i, out[i], in[from]);
            return 1;
        }
    }
    for (int b = 0; b < blocks; ++b) {
        if (answers[2 * b] != 0 || answers[2 * b + 1] != 1) {
            printf("wrong: block %d: phase over after arrive_on: %d, after "
                   "arrive: %d\n", b, answers[2 * b], answers[2 * b + 1]);
            return 1;
        }
    }
    printf("ok: %d blocks; the phase ended after the plain arrivals only\n",
           blocks);
    return 0;
}

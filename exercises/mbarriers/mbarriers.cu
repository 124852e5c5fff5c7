// Your solution: the waits and arrivals of a producer and its consumers. See
// README.md.
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int LEN = 96, PRODUCERS = 32, CONSUMERS = LEN, BUFFERS = 2, GRID = 4;

// Waits for the end of the barrier's phase of that parity.
__device__ void wait(__mbarrier_t *bar, int parity) {
    while (!__mbarrier_try_wait_parity(bar, parity, 1000)) {
    }
}

__global__ void __launch_bounds__(PRODUCERS + CONSUMERS)
    halved_kernel(float *out, const float *in, int n) {
    __shared__ float buffer[BUFFERS][LEN];
    __shared__ __mbarrier_t full[BUFFERS], empty[BUFFERS];
    const int tid = threadIdx.x;
    const int batches = (n + LEN - 1) / LEN;
    if (tid < BUFFERS) {
        __mbarrier_init(&full[tid], PRODUCERS);
        __mbarrier_init(&empty[tid], CONSUMERS);
    }
    __syncthreads();
    int turn = 0;
    if (tid < PRODUCERS) {
        for (int b = blockIdx.x; b < batches; b += GRID, ++turn) {
            const int k = turn % BUFFERS;
            // (a) Wait until the consumers are done with buffer k, if it was used.
            for (int i = tid; i < LEN && b * LEN + i < n; i += PRODUCERS) {
                __pipeline_memcpy_async(&buffer[k][i], &in[b * LEN + i], 4);
            }
            // (b) Say that buffer k is full, when the copies have landed.
        }
    } else {
        const int i = tid - PRODUCERS;
        for (int b = blockIdx.x; b < batches; b += GRID, ++turn) {
            const int k = turn % BUFFERS;
            // (c) Wait until buffer k is full.
            if (b * LEN + i < n) {
                out[b * LEN + i] = buffer[k][i] / 2;
            }
            // (d) Say that buffer k has been read.
        }
    }
}

void halved(float *out, const float *in, int n) {
    halved_kernel<<<GRID, PRODUCERS + CONSUMERS>>>(out, in, n);
}

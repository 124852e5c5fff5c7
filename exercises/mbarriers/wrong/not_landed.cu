// Wrong: the producers arrive before their copies have landed.
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
            if (turn >= BUFFERS) {
                wait(&empty[k], turn / BUFFERS - 1 & 1);
            }
            for (int i = tid; i < LEN && b * LEN + i < n; i += PRODUCERS) {
                __pipeline_memcpy_async(&buffer[k][i], &in[b * LEN + i], 4);
            }
            __mbarrier_arrive(&full[k]);
        }
    } else {
        const int i = tid - PRODUCERS;
        for (int b = blockIdx.x; b < batches; b += GRID, ++turn) {
            const int k = turn % BUFFERS;
            wait(&full[k], turn / BUFFERS & 1);
            if (b * LEN + i < n) {
                out[b * LEN + i] = buffer[k][i] / 2;
            }
            __mbarrier_arrive(&empty[k]);
        }
    }
}

void halved(float *out, const float *in, int n) {
    halved_kernel<<<GRID, PRODUCERS + CONSUMERS>>>(out, in, n);
}

// Right, and unusual: cuda::memcpy_async with a cuda::barrier of the block, each window
// from registers, launched by a graph.
#include <cuda/barrier>
#include <cuda_runtime.h>

constexpr int BLOCK = 128, EACH = 4, TILE = BLOCK * EACH, HALO = 16;
using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void pool(float *out, const float *in, int n) {
    __shared__ alignas(16) float tile[TILE + 2 * HALO];
    __shared__ barrier bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
    }
    __syncthreads();
    const long long first = (long long)blockIdx.x * TILE - HALO;
    for (int t = 4 * threadIdx.x; t < TILE + 2 * HALO; t += 4 * BLOCK) {
        const long long j = first + t;
        if (j >= 0 && j + 4 <= n) {
            cuda::memcpy_async(&tile[t], &in[j], cuda::aligned_size_t<16>(16), bar);
            continue;
        }
        for (int k = 0; k < 4; ++k) {
            if (0 <= j + k && j + k < n) {
                cuda::memcpy_async(&tile[t + k], &in[j + k], 4, bar);
            } else {
                tile[t + k] = 0;
            }
        }
    }
    bar.arrive_and_wait();
    float w[4 + 30];
    for (int k = 0; k < 34; ++k) {
        w[k] = tile[4 * threadIdx.x + 1 + k];
    }
    float core = w[3];
    for (int k = 4; k <= 30; ++k) {
        core = fmaxf(core, w[k]);
    }
    const float r[4] = {fmaxf(fmaxf(w[0], w[1]), fmaxf(w[2], core)),
                        fmaxf(fmaxf(w[1], w[2]), fmaxf(core, w[31])),
                        fmaxf(fmaxf(w[2], core), fmaxf(w[31], w[32])),
                        fmaxf(fmaxf(core, w[31]), fmaxf(w[32], w[33]))};
    const long long i = first + HALO + 4 * threadIdx.x;
    if (i + 4 <= n) {
        *(float4 *)&out[i] = {r[0], r[1], r[2], r[3]};
        return;
    }
    for (int k = 0; k < 4; ++k) {
        if (i + k < n) {
            out[i + k] = r[k];
        }
    }
}

void maxpool15(float *out, const float *in, int n) {
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    pool<<<(unsigned)(((long long)n + TILE - 1) / TILE), BLOCK, 0, s>>>(out, in, n);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(e);
    cudaGraphDestroy(g);
    cudaStreamDestroy(s);
}

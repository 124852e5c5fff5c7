// Your solution: five kernels, each with one hazard. See README.md.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int BLOCK = 128, GRID = 4;

// 1: the tile of a block, from its last element to its first.
__global__ void __launch_bounds__(BLOCK)
    reversed_kernel(float *out, const float *in, int n) {
    __shared__ float tile[BLOCK];
    const int t = threadIdx.x, first = blockIdx.x * BLOCK;
    const int last = min(BLOCK, n - first) - 1;
    if (t <= last) {
        __pipeline_memcpy_async(&tile[t], &in[first + t], 4);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (t <= last) {
        out[first + t] = tile[last - t];
    }
}

// 2: twice each element.
__global__ void __launch_bounds__(BLOCK)
    doubled_kernel(float *out, const float *in, int n) {
    __shared__ float tile[BLOCK];
    const int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    if (i < n) {
        __pipeline_memcpy_async(&tile[t], &in[i], 4);
    }
    __pipeline_commit();
    if (i < n) {
        out[i] = 2 * tile[t];
    }
}

// 3: each element minus the one at the other end of its tile; a block goes through
// tile after tile, all in the same memory.
__global__ void __launch_bounds__(BLOCK)
    mirrored_kernel(float *out, const float *in, int n) {
    __shared__ float tile[BLOCK];
    const int t = threadIdx.x;
    for (int first = blockIdx.x * BLOCK; first < n; first += GRID * BLOCK) {
        const int last = min(BLOCK, n - first) - 1;
        if (t <= last) {
            __pipeline_memcpy_async(&tile[t], &in[first + t], 4);
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        if (t <= last) {
            out[first + t] = tile[t] - tile[last - t];
        }
    }
}

// 4: the sum of the tile that an element is in.
__global__ void __launch_bounds__(BLOCK)
    summed_kernel(float *out, const float *in, int n) {
    __shared__ float sum[BLOCK];
    const int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    sum[t] = i < n ? in[i] : 0;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half) {
            sum[t] += sum[t + half];
        }
    }
    __syncthreads();
    if (i < n) {
        out[i] = sum[0];
    }
}

// 5: each element minus 1, by a pipeline of two stages.
__global__ void __launch_bounds__(BLOCK)
    less_kernel(float *out, const float *in, int n) {
    __shared__ float next[2][BLOCK];
    const int t = threadIdx.x, step = GRID * BLOCK;
    const int tid = blockIdx.x * BLOCK + t;
    if (tid < n) {
        __pipeline_memcpy_async(&next[0][t], &in[tid], 4);
    }
    __pipeline_commit();
    int stage = 0;
    for (int i = tid; i < n; i += step) {
        if (i + step < n) {
            __pipeline_memcpy_async(&next[1 - stage][t], &in[i + step], 4);
            __pipeline_commit();
        }
        __pipeline_wait_prior(1);
        out[i] = next[stage][t] - 1;
        stage = 1 - stage;
    }
}

void repaired(float *out, const float *in, int n, int kernel) {
    const int blocks = (n + BLOCK - 1) / BLOCK;
    switch (kernel) {
    case 1:
        reversed_kernel<<<blocks, BLOCK>>>(out, in, n);
        break;
    case 2:
        doubled_kernel<<<blocks, BLOCK>>>(out, in, n);
        break;
    case 3:
        mirrored_kernel<<<GRID, BLOCK>>>(out, in, n);
        break;
    case 4:
        summed_kernel<<<blocks, BLOCK>>>(out, in, n);
        break;
    case 5:
        less_kernel<<<GRID, BLOCK>>>(out, in, n);
        break;
    }
}

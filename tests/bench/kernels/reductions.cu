// Sums of blocks of 256: interleaved with a divergent test, interleaved with
// strided indices, sequential, two elements a thread, shuffles, an atomic each.
// Argument: elements.
#include "course.h"

enum { BLOCK = 256 };

__global__ void interleaved(const float *in, float *out) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (int k = 1; k < BLOCK; k *= 2) {
        if (t % (2 * k) == 0) {
            s[t] += s[t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        atomicAdd(out, s[0]);
    }
}

__global__ void strided(const float *in, float *out) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (int k = 1; k < BLOCK; k *= 2) {
        int i = 2 * k * t;
        if (i < BLOCK) {
            s[i] += s[i + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        atomicAdd(out, s[0]);
    }
}

__global__ void sequential(const float *in, float *out) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (int k = BLOCK / 2; k > 0; k /= 2) {
        if (t < k) {
            s[t] += s[t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        atomicAdd(out, s[0]);
    }
}

__global__ void shuffles(const float *in, float *out) {
    __shared__ float s[BLOCK / 32];
    int t = threadIdx.x;
    float v = in[blockIdx.x * BLOCK + t];
    for (int k = 16; k > 0; k /= 2) {
        v += __shfl_down_sync(0xffffffff, v, k);
    }
    if (t % 32 == 0) {
        s[t / 32] = v;
    }
    __syncthreads();
    if (t < 32) {
        v = t < BLOCK / 32 ? s[t] : 0;
        for (int k = 16; k > 0; k /= 2) {
            v += __shfl_down_sync(0xffffffff, v, k);
        }
        if (t == 0) {
            atomicAdd(out, v);
        }
    }
}

__global__ void one_atomic_each(const float *in, float *out) {
    atomicAdd(out, in[blockIdx.x * BLOCK + threadIdx.x]);
}

int main(int argc, char **argv) {
    const int n = argument(argc, argv, 1 << 20);
    std::vector<float> in = numbers(n), sum(1);
    float *a = device(in), *b = device(sum);
    scalar("sum", [&] {
        for (int i = 0; i < n; ++i) {
            sum[0] += in[i];
        }
    });
    int wrong = 0;
    void (*kernels[])(const float *, float *) = {
        interleaved, strided, sequential, shuffles, one_atomic_each};
    for (auto kernel : kernels) {
        cudaMemset(b, 0, 4);
        kernel<<<n / BLOCK, BLOCK>>>(a, b);
        wrong |= differs("sum", host(b, 1), sum);
    }
    return wrong;
}

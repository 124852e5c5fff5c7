// Inclusive prefix sums of blocks of 256: Hillis and Steele, Blelloch, by
// shuffles. Argument: elements.
#include "course.h"

enum { BLOCK = 256 };

__global__ void hillis_steele(const float *in, float *out) {
    __shared__ float s[2][BLOCK];
    int t = threadIdx.x, from = 0, i = blockIdx.x * BLOCK + t;
    s[0][t] = in[i];
    __syncthreads();
    for (int k = 1; k < BLOCK; k *= 2) {
        s[1 - from][t] = t >= k ? s[from][t] + s[from][t - k] : s[from][t];
        from = 1 - from;
        __syncthreads();
    }
    out[i] = s[from][t];
}

__global__ void blelloch(const float *in, float *out) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    float own = s[t] = in[i];
    for (int k = 1; k < BLOCK; k *= 2) {
        __syncthreads();
        int j = (t + 1) * 2 * k - 1;
        if (j < BLOCK) {
            s[j] += s[j - k];
        }
    }
    __syncthreads();
    if (t == 0) {
        s[BLOCK - 1] = 0;
    }
    for (int k = BLOCK / 2; k > 0; k /= 2) {
        __syncthreads();
        int j = (t + 1) * 2 * k - 1;
        if (j < BLOCK) {
            float left = s[j - k];
            s[j - k] = s[j];
            s[j] += left;
        }
    }
    __syncthreads();
    out[i] = s[t] + own;
}

__global__ void by_shuffles(const float *in, float *out) {
    __shared__ float s[BLOCK / 32];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    float v = in[i];
    for (int k = 1; k < 32; k *= 2) {
        float left = __shfl_up_sync(0xffffffff, v, k);
        v += t % 32 >= k ? left : 0;
    }
    if (t % 32 == 31) {
        s[t / 32] = v;
    }
    __syncthreads();
    for (int w = 0; w < t / 32; ++w) {
        v += s[w];
    }
    out[i] = v;
}

int main(int argc, char **argv) {
    const int n = argument(argc, argv, 1 << 20);
    std::vector<float> in = numbers(n), out(n);
    float *a = device(in), *b = device(out);
    scalar("scan", [&] {
        for (int i = 0; i < n; ++i) {
            out[i] = in[i] + (i % BLOCK ? out[i - 1] : 0);
        }
    });
    int wrong = 0;
    void (*kernels[])(const float *, float *) = {hillis_steele, blelloch,
                                                 by_shuffles};
    for (auto kernel : kernels) {
        kernel<<<n / BLOCK, BLOCK>>>(a, b);
        wrong |= differs("scan", host(b, n), out);
    }
    return wrong;
}

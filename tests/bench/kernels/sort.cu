// Bitonic sort of blocks of 512 in shared memory; odd-even sort of each
// thread's eight in local memory.
#include "course.h"
#include <algorithm>

__global__ void bitonic(int *v) {
    __shared__ int s[512];
    const int t = threadIdx.x;
    v += blockIdx.x * 512;
    s[t] = v[t];
    s[t + 256] = v[t + 256];
    for (int size = 2; size <= 512; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            const int i = 2 * t - (t & (step - 1));
            const bool up = (i & size) == 0;
            const int a = s[i], b = s[i + step];
            if (a > b == up) {
                s[i] = b;
                s[i + step] = a;
            }
        }
    }
    __syncthreads();
    v[t] = s[t];
    v[t + 256] = s[t + 256];
}

__global__ void merge_each(const int *in, int *out, int n) {
    int v[8];
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    if (i >= n) {
        return;
    }
    for (int k = 0; k < 8; k++) {
        int j = k;
        const int x = in[i + k];
        while (j > 0 && v[j - 1] > x) {
            v[j] = v[j - 1];
            j--;
        }
        v[j] = x;
    }
    for (int k = 0; k < 8; k++) {
        out[i + k] = v[k];
    }
}

int main() {
    const int n = 1 << 18;
    std::vector<int> v(n);
    for (int i = 0; i < n; i++) {
        v[i] = static_cast<int>(i * 2654435761u);
    }
    auto w = v;
    int *d = device(v), *d2 = device(v), *d3 = device(v);
    bitonic<<<n / 512, 256>>>(d);
    merge_each<<<n / 8 / 256, 256>>>(d2, d3, n);
    scalar("sort", [&] {
        for (int i = 0; i < n; i += 512) {
            std::sort(v.begin() + i, v.begin() + i + 512);
        }
        for (int i = 0; i < n; i += 8) {
            std::sort(w.begin() + i, w.begin() + i + 8);
        }
    });
    return differs("bitonic", host(d, n), v) |
           differs("merge_each", host(d3, n), w);
}

// Conversions, divisions, square roots and special functions.
#include "course.h"

__global__ void black_scholes(const float *price, const float *strike,
                              float *call, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float s = price[i], k = strike[i], t = 1.5f, r = 0.02f, v = 0.3f;
        const float q = sqrtf(t);
        const float d1 = (__logf(s / k) + (r + 0.5f * v * v) * t) / (v * q);
        const float d2 = d1 - v * q;
        const float n1 = 1.0f / (1.0f + __expf(-1.702f * d1));
        const float n2 = 1.0f / (1.0f + __expf(-1.702f * d2));
        call[i] = s * n1 - k * __expf(-r * t) * n2 + 0.001f * __sinf(s);
    }
}

__global__ void integers(const int *x, int *y, int n, int m) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const int v = x[i];
        const float f = static_cast<float>(v) / 3.0f;
        y[i] = v / m + v % m + static_cast<int>(f) + __popc(v) + __clz(v);
    }
}

int main() {
    const int n = 1 << 20, m = 37;
    std::vector<float> s(n), k(n), c(n);
    std::vector<int> x(n), y(n);
    for (int i = 0; i < n; i++) {
        s[i] = 2 + i % 251 / 16.0f;
        k[i] = 2 + i % 241 / 16.0f;
        x[i] = static_cast<int>(i * 2654435761u);
    }
    float *ds = device(s), *dk = device(k), *dc = device(c);
    int *dx = device(x), *dy = device(y);
    black_scholes<<<n / 256, 256>>>(ds, dk, dc, n);
    integers<<<n / 256, 256>>>(dx, dy, n, m);
    scalar("special", [&] {
        for (int i = 0; i < n; i++) {
            const float t = 1.5f, r = 0.02f, v = 0.3f, q = std::sqrt(t);
            const float d1 =
                (std::log(s[i] / k[i]) + (r + 0.5f * v * v) * t) / (v * q);
            const float d2 = d1 - v * q;
            const float n1 = 1.0f / (1.0f + std::exp(-1.702f * d1));
            const float n2 = 1.0f / (1.0f + std::exp(-1.702f * d2));
            c[i] = s[i] * n1 - k[i] * std::exp(-r * t) * n2 +
                   0.001f * std::sin(s[i]);
        }
        for (int i = 0; i < n; i++) {
            const float f = static_cast<float>(x[i]) / 3.0f;
            y[i] = x[i] / m + x[i] % m + static_cast<int>(f) +
                   __builtin_popcount(x[i]) + (x[i] ? __builtin_clz(x[i]) : 32);
        }
    });
    return far("black_scholes", host(dc, n), c, 1e-3) |
           differs("integers", host(dy, n), y);
}

// y = a * x + y, four elements at a time, in strides of the grid.
#include "course.h"

__global__ void saxpy(int n, float a, const float4 *x, float4 *y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4;
         i += gridDim.x * blockDim.x) {
        const float4 u = x[i], v = y[i];
        y[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z,
                           a * u.w + v.w);
    }
}

int main() {
    const int n = 1 << 23;
    const auto x = numbers(n);
    auto y = numbers(n);
    float *dx = device(x), *dy = device(y);
    saxpy<<<256, 256>>>(n, 2.5f, reinterpret_cast<float4 *>(dx),
                        reinterpret_cast<float4 *>(dy));
    scalar("saxpy", [&] {
        for (int i = 0; i < n; i++) {
            y[i] = 2.5f * x[i] + y[i];
        }
    });
    return differs("saxpy", host(dy, n), y);
}

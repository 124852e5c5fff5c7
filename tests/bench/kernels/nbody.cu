// Forces of all bodies on all, by tiles of 256 in shared memory.
#include "course.h"

__global__ void forces(const float4 *body, float4 *force, int n) {
    __shared__ float4 s[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 me = body[i];
    float fx = 0, fy = 0, fz = 0;
    for (int t = 0; t < n; t += 256) {
        s[threadIdx.x] = body[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; k++) {
            const float dx = s[k].x - me.x, dy = s[k].y - me.y,
                        dz = s[k].z - me.z;
            const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            const float w = s[k].w * r * r * r;
            fx += w * dx;
            fy += w * dy;
            fz += w * dz;
        }
        __syncthreads();
    }
    force[i] = make_float4(fx, fy, fz, 0);
}

int main() {
    const int n = 2048;
    const auto v = numbers(4 * n);
    std::vector<float4> body(n);
    for (int i = 0; i < n; i++) {
        body[i] = make_float4(v[i], v[i + n], v[i + 2 * n],
                              1 + v[i + 3 * n] / 16);
    }
    std::vector<float> f(n), g(n);
    float4 *db = device(body), *df = device(body);
    forces<<<n / 256, 256>>>(db, df, n);
    scalar("forces", [&] {
        for (int i = 0; i < n; i++) {
            float fx = 0, fy = 0, fz = 0;
            for (int k = 0; k < n; k++) {
                const float dx = body[k].x - body[i].x,
                            dy = body[k].y - body[i].y,
                            dz = body[k].z - body[i].z;
                const float r =
                    1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
                const float w = body[k].w * r * r * r;
                fx += w * dx;
                fy += w * dy;
                fz += w * dz;
            }
            f[i] = fx + fy + fz;
        }
    });
    const auto force = host(df, n);
    for (int i = 0; i < n; i++) {
        g[i] = force[i].x + force[i].y + force[i].z;
    }
    return far("forces", g, f, 1e-2);
}

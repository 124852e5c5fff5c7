/* The game of life on a torus, in managed memory, swapped on the host. */
#include <cstdio>
#include <utility>
#include <vector>

__global__ void turn(const bool *now, bool *then, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) {
        return;
    }
    int n = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            if (dx != 0 || dy != 0) {
                n += now[(y + dy + h) % h * w + (x + dx + w) % w];
            }
        }
    }
    then[y * w + x] = n == 3 || (n == 2 && now[y * w + x]);
}

int main() {
    const int w = 50, h = 41, turns = 12;
    bool *a, *b;
    cudaMallocManaged(&a, w * h);
    cudaMallocManaged(&b, w * h);
    std::vector<char> p(w * h), q(w * h);
    for (int i = 0; i < w * h; i++) {
        a[i] = p[i] = (i * 7919 >> 3) % 3 == 0;
    }
    for (int t = 0; t < turns; t++) {
        turn<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(a, b, w, h);
        std::swap(a, b);
    }
    cudaDeviceSynchronize();
    for (int t = 0; t < turns; t++) {
        for (int y = 0; y < h; y++) {
            for (int x = 0; x < w; x++) {
                int n = 0;
                for (int k = 0; k < 9; k++) {
                    n += k == 4 ? 0
                                : p[(y + k / 3 - 1 + h) % h * w +
                                    (x + k % 3 - 1 + w) % w];
                }
                q[y * w + x] = n == 3 || (n == 2 && p[y * w + x]);
            }
        }
        std::swap(p, q);
    }
    int wrong = 0, alive = 0;
    for (int i = 0; i < w * h; i++) {
        wrong += a[i] != (bool)p[i];
        alive += a[i];
    }
    cudaFree(a);
    cudaFree(b);
    printf("%d alive, %d wrong\n", alive, wrong);
    return wrong != 0;
}

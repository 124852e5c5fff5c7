// Steps until a point of the plane leaves the circle: loops of their own
// lengths.
#include "course.h"

__host__ __device__ int steps(float cx, float cy) {
    float x = 0, y = 0;
    int k = 0;
    while (k < 256 && x * x + y * y < 4) {
        const float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        k++;
    }
    return k;
}

__global__ void mandelbrot(int *out, int w, int h) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        out[y * w + x] = steps(3.0f * x / w - 2.0f, 2.0f * y / h - 1.0f);
    }
}

int main() {
    const int w = 512, h = 256;
    std::vector<int> out(w * h);
    int *d = device(out);
    mandelbrot<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(d, w, h);
    scalar("mandelbrot", [&] {
        for (int y = 0; y < h; y++) {
            for (int x = 0; x < w; x++) {
                out[y * w + x] =
                    steps(3.0f * x / w - 2.0f, 2.0f * y / h - 1.0f);
            }
        }
    });
    const auto got = host(d, w * h);
    int wrong = 0; // the two contract differently at the border
    for (int i = 0; i < w * h; i++) {
        wrong += got[i] != out[i];
    }
    return wrong > w * h / 100;
}

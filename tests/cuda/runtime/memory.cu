// Every kind of memory, and copies of boxes of it.
// @arch sm_80 sm_90a
// @stdout 0 wrong
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__device__ int counter = 3;
__constant__ float factors[3] = {1, 2, 4};
__managed__ int both[100];

__global__ void scale(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= factors[i % 3];
    }
}

__global__ void variables(int *seen) {
    both[threadIdx.x] += counter;
    if (threadIdx.x == 0) {
        *seen = both[0];
    }
}

static int wrong;

static void check(bool right, const char *what, int line) {
    if (!right) {
        printf("line %d: %s\n", line, what);
        wrong++;
    }
}
#define CHECK(x) check(x, #x, __LINE__)
#define OK(call) check((call) == cudaSuccess, #call, __LINE__)

static void scale_in(float *x) {
    scale<<<4, 32>>>(x, 100);
    OK(cudaDeviceSynchronize());
}

static void kinds() {
    float *d, *m, *h, *a, back[100];
    OK(cudaMalloc(&d, sizeof back));
    OK(cudaMallocManaged(&m, sizeof back));
    OK(cudaHostAlloc(&h, sizeof back, cudaHostAllocMapped));
    OK(cudaMallocAsync((void **)&a, sizeof back, 0));
    CHECK((uintptr_t)d % 256 == 0 && (uintptr_t)m % 256 == 0);
    for (int i = 0; i < 100; i++) {
        back[i] = m[i] = h[i] = (float)i;
    }
    OK(cudaMemcpy(d, back, sizeof back, cudaMemcpyHostToDevice));
    OK(cudaMemcpyAsync(a, d, sizeof back, cudaMemcpyDeviceToDevice));
    scale_in(d);
    scale_in(m);
    scale_in(h);
    scale_in(a);
    OK(cudaMemcpy(back, a, sizeof back, cudaMemcpyDefault));
    for (int i = 0; i < 100; i++) {
        float want = (float)(i << i % 3);
        CHECK(back[i] == want && m[i] == want && h[i] == want);
    }
    OK(cudaMemcpy(m, d, sizeof back, cudaMemcpyDeviceToDevice));
    CHECK(m[50] == 200);
    OK(cudaFree(d));
    OK(cudaFree(m));
    OK(cudaFreeHost(h));
    OK(cudaFreeAsync(a, 0));
}

static void symbols() {
    int *seen, h = 0, value = 40;
    float f[3];
    void *address;
    OK(cudaMalloc(&seen, 4));
    both[0] = 2;
    both[31] = 7;
    variables<<<1, 32>>>(seen);
    OK(cudaDeviceSynchronize());
    CHECK(both[0] == 5 && both[31] == 10 && both[32] == 0);
    OK(cudaMemcpyToSymbol(counter, &value, 4));
    variables<<<1, 32>>>(seen);
    OK(cudaMemcpy(&h, seen, 4, cudaMemcpyDeviceToHost));
    CHECK(h == 45 && both[31] == 50);
    OK(cudaMemcpyFromSymbol(f, factors, 8, 4));
    CHECK(f[0] == 2 && f[1] == 4);
    OK(cudaGetSymbolAddress(&address, counter));
    OK(cudaMemset(address, 0, 4));
    OK(cudaMemcpyFromSymbol(&value, counter, 4));
    CHECK(value == 0);
    OK(cudaFree(seen));
}

static void boxes() {
    enum { W = 100, H = 7 };
    static uint8_t in[H][W], out[H][W];
    uint8_t *d, rows[H * 256];
    size_t pitch;
    for (int i = 0; i < W * H; i++) {
        in[i / W][i % W] = (uint8_t)(i * 31 % 251);
    }
    OK(cudaMallocPitch(&d, &pitch, W, H));
    CHECK(pitch >= W);
    OK(cudaMemset2D(d, pitch, 9, W, H));
    OK(cudaMemcpy2D(d + pitch + 3, pitch, &in[1][3], W, 50, 4,
                    cudaMemcpyHostToDevice));
    OK(cudaMemset2D(d + 2 * pitch + 10, pitch, 1, 5, 2));
    OK(cudaMemcpy2D(out, W, d, pitch, W, H, cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            bool box = y >= 1 && y < 5 && x >= 3 && x < 53;
            bool one = y >= 2 && y < 4 && x >= 10 && x < 15;
            CHECK(out[y][x] == (one ? 1 : box ? in[y][x] : 9));
        }
    }
    OK(cudaMemcpy2D(rows, 256, d, pitch, W, H, cudaMemcpyDeviceToHost));
    CHECK(memcmp(rows + 256 * 3, out[3], W) == 0);
    OK(cudaFree(d));
}

int main() {
    kinds();
    symbols();
    boxes();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

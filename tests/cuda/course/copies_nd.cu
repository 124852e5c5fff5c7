/* 2D and 3D allocations, copies and sets; symbols in pieces, their addresses
 * and sizes. */
#include <cstdio>
#include <vector>

__constant__ int coefficients[8];
__device__ double results[4][4];

__global__ void twist(cudaPitchedPtr p, int w, int h, int d) {
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    char *plane = (char *)p.ptr + z * p.pitch * h;
    int *row = (int *)(plane + y * p.pitch);
    if (x < w && z < d) {
        row[x] = row[x] * 2 + coefficients[x % 8];
    }
}

__global__ void results_from(int k) {
    results[threadIdx.y][threadIdx.x] =
        k * (threadIdx.y * 4.0 + threadIdx.x) + coefficients[7];
}

int main() {
    const int w = 19, h = 7, d = 5;
    std::vector<int> a(w * h * d), r(w * h * d, -1);
    for (size_t i = 0; i < a.size(); i++) {
        a[i] = (int)i;
    }
    int c[8] = {1, 2, 3, 4, 5, 6, 7, 8}, four[4] = {50, 60, 70, 80};
    cudaMemcpyToSymbol(coefficients, c, sizeof c);
    cudaMemcpyToSymbol(coefficients, four, sizeof four, 4 * sizeof(int));
    for (int i = 0; i < 4; i++) {
        c[4 + i] = four[i];
    }
    cudaPitchedPtr p;
    cudaMalloc3D(&p, make_cudaExtent(w * sizeof(int), h, d));
    cudaMemset3D(p, 0, make_cudaExtent(w * sizeof(int), h, d));
    cudaMemcpy3DParms m = {};
    m.srcPtr = make_cudaPitchedPtr(a.data(), w * sizeof(int), w, h);
    m.dstPtr = p;
    m.extent = make_cudaExtent(w * sizeof(int), h, d);
    m.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&m);
    twist<<<dim3(h, d), 32>>>(p, w, h, d);
    m.srcPtr = p;
    m.dstPtr = make_cudaPitchedPtr(r.data(), w * sizeof(int), w, h);
    m.kind = cudaMemcpyDeviceToHost;
    if (cudaMemcpy3D(&m) != cudaSuccess) {
        return 2;
    }
    int wrong = 0;
    for (int i = 0; i < w * h * d; i++) {
        wrong += r[i] != a[i] * 2 + c[i % w % 8];
    }
    int *t;
    size_t pitch;
    cudaMallocPitch((void **)&t, &pitch, w * sizeof(int), h);
    cudaMemset2D(t, pitch, 0x11, w * sizeof(int), h);
    /* a window of 5 x 3 at (2, 1) to (4, 2) */
    cudaMemcpy2D((char *)t + 2 * pitch + 4 * sizeof(int), pitch,
                 a.data() + w + 2, w * sizeof(int), 5 * sizeof(int), 3,
                 cudaMemcpyHostToDevice);
    cudaMemcpy2D(r.data(), w * sizeof(int), t, pitch, w * sizeof(int), h,
                 cudaMemcpyDeviceToHost);
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            bool in = x >= 4 && x < 9 && y >= 2 && y < 5;
            wrong += r[y * w + x] != (in ? a[(y - 1) * w + x - 2] : 0x11111111);
        }
    }
    double back[4][4];
    results_from<<<1, dim3(4, 4)>>>(3);
    cudaMemcpyFromSymbol(back, results, sizeof back);
    for (int i = 0; i < 16; i++) {
        wrong += back[i / 4][i % 4] != 3.0 * i + 80;
    }
    void *address;
    size_t size;
    cudaGetSymbolAddress(&address, results);
    cudaGetSymbolSize(&size, results);
    double one;
    cudaMemcpy(&one, (double *)address + 6, 8, cudaMemcpyDeviceToHost);
    wrong += size != sizeof back || one != 98;
    cudaFree(p.ptr);
    cudaFree(t);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

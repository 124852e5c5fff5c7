/* Objects with virtual functions made and destroyed on the device, function
 * pointers in tables, recursion, placement new. */
#include <cmath>
#include <cstdio>
#include <new>

class shape {
  public:
    __device__ virtual ~shape() {
    }
    __device__ virtual double area() const = 0;
    __device__ virtual int corners() const {
        return 0;
    }
};
class circle : public shape {
    double r;

  public:
    __device__ explicit circle(double radius) : r(radius) {
    }
    __device__ double area() const override {
        return 3.0 * r * r;
    }
};
class box : public shape {
  protected:
    double w, h;

  public:
    __device__ box(double a, double b) : w(a), h(b) {
    }
    __device__ double area() const override {
        return w * h;
    }
    __device__ int corners() const override {
        return 4;
    }
};
class square : public box {
  public:
    __device__ explicit square(double a) : box(a, a) {
    }
    __device__ double area() const override {
        return box::area() + 0.5;
    }
};

__global__ void make(shape **all, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        switch (i % 3) {
        case 0:
            all[i] = new circle(i);
            break;
        case 1:
            all[i] = new box(i, 2);
            break;
        default:
            all[i] = new square(i);
            break;
        }
    }
}

__global__ void measure(shape *const *all, int n, double *area, int *corners) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        area[i] = all[i]->area();
        corners[i] = all[i]->corners();
    }
}

__global__ void unmake(shape **all, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        delete all[i];
    }
}

typedef int (*unary)(int);
__device__ int twice(int v) {
    return 2 * v;
}
__device__ int negate(int v) {
    return -v;
}
__device__ __noinline__ int fib(int v) {
    return v < 2 ? v : fib(v - 1) + fib(v - 2);
}
__device__ unary const table[] = {twice, negate, fib};

__global__ void apply(const int *which, int *v, int n) {
    int i = threadIdx.x;
    if (i < n) {
        v[i] = table[which[i]](v[i]);
    }
}

static int host_fib(int v) {
    return v < 2 ? v : host_fib(v - 1) + host_fib(v - 2);
}

int main() {
    const int n = 90;
    shape **all;
    double *area, a[n];
    int *corners, c[n], wrong = 0;
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 4 << 20);
    cudaDeviceSetLimit(cudaLimitStackSize, 4096);
    cudaMalloc(&all, n * sizeof *all);
    cudaMalloc(&area, sizeof a);
    cudaMalloc(&corners, sizeof c);
    make<<<3, 32>>>(all, n);
    measure<<<3, 32>>>(all, n, area, corners);
    unmake<<<3, 32>>>(all, n);
    cudaMemcpy(a, area, sizeof a, cudaMemcpyDeviceToHost);
    cudaMemcpy(c, corners, sizeof c, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        double want = i % 3 == 0   ? 3.0 * i * i
                      : i % 3 == 1 ? 2.0 * i
                                   : (double)i * i + 0.5;
        wrong += a[i] != want || c[i] != (i % 3 == 0 ? 0 : 4);
    }
    int which[32], v[32], r[32], *dw, *dv;
    for (int i = 0; i < 32; i++) {
        which[i] = i % 3;
        v[i] = i % 11;
    }
    cudaMalloc(&dw, sizeof which);
    cudaMalloc(&dv, sizeof v);
    cudaMemcpy(dw, which, sizeof which, cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v, sizeof v, cudaMemcpyHostToDevice);
    apply<<<1, 32>>>(dw, dv, 32);
    if (cudaMemcpy(r, dv, sizeof r, cudaMemcpyDeviceToHost) != cudaSuccess) {
        return 2;
    }
    for (int i = 0; i < 32; i++) {
        int want = which[i] == 0   ? 2 * v[i]
                   : which[i] == 1 ? -v[i]
                                   : host_fib(v[i]);
        wrong += r[i] != want;
    }
    cudaFree(all), cudaFree(area), cudaFree(corners), cudaFree(dw);
    cudaFree(dv);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

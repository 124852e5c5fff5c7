/* Atomics that the hardware lacks, made of compare-and-swap: a double's product
 * and a float's maximum; a spin lock with fences; atomics of every sort. */
#include <cmath>
#include <cstdio>
#include <vector>

__device__ double atomic_mul(double *address, double by) {
    unsigned long long *bits = (unsigned long long *)address;
    unsigned long long old = *bits, assumed;
    do {
        assumed = old;
        old =
            atomicCAS(bits, assumed,
                      __double_as_longlong(by * __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

__device__ float atomic_max(float *address, float value) {
    int *bits = (int *)address;
    int old = *bits;
    while (value > __int_as_float(old)) {
        int assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(value));
        if (old == assumed) {
            break;
        }
    }
    return __int_as_float(old);
}

__device__ int lock = 0;
__device__ double under_lock = 0;

__global__ void fold(const float *x, int n, double *product, float *most) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomic_mul(product, i % 2 == 0 ? 2.0 : 0.5);
        atomic_max(most, x[i]);
    }
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {
        }
        __threadfence();
        under_lock += x[blockIdx.x];
        __threadfence();
        atomicExch(&lock, 0);
    }
}

__global__ void sorts(int *v, unsigned *u, unsigned long long *w) {
    int i = threadIdx.x;
    atomicAdd(&v[0], i);
    atomicSub(&v[1], i);
    atomicMin(&v[2], i - 50);
    atomicMax(&v[3], i * 3);
    atomicOr(&u[0], 1u << (i % 32));
    atomicAnd(&u[1], ~(1u << (i % 16)));
    atomicXor(&u[2], (unsigned)i);
    atomicInc(&u[3], 9);
    atomicDec(&u[4], 9);
    atomicMax(&w[0], (unsigned long long)i << 40);
    atomicAdd(&w[1], 1ull << 33);
    atomicAdd_block(&v[4], 1);
    atomicAdd_system(&v[5], 2);
}

int main() {
    const int n = 1000, blocks = (n + 127) / 128;
    std::vector<float> x(n);
    float most = 0, want = -1e30f, zero = -1e30f;
    double product = 1, sum = 0, locked = 0, one = 1;
    for (int i = 0; i < n; i++) {
        x[i] = sinf(i) * 100;
        want = fmaxf(want, x[i]);
    }
    for (int b = 0; b < blocks; b++) {
        sum += x[b];
    }
    float *dx, *dm;
    double *dp;
    cudaMalloc(&dx, n * 4), cudaMalloc(&dm, 4), cudaMalloc(&dp, 8);
    cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dm, &zero, 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dp, &one, 8, cudaMemcpyHostToDevice);
    fold<<<blocks, 128>>>(dx, n, dp, dm);
    cudaMemcpy(&most, dm, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(&product, dp, 8, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&locked, under_lock, 8);
    int wrong = most != want || product != 1 || fabs(locked - sum) > 1e-9;
    int v[6] = {}, *dv;
    unsigned u[5] = {0, ~0u, 0, 0, 3}, *du;
    unsigned long long w[2] = {}, *dw;
    cudaMalloc(&dv, sizeof v), cudaMalloc(&du, sizeof u);
    cudaMalloc(&dw, sizeof w);
    cudaMemcpy(dv, v, sizeof v, cudaMemcpyHostToDevice);
    cudaMemcpy(du, u, sizeof u, cudaMemcpyHostToDevice);
    cudaMemcpy(dw, w, sizeof w, cudaMemcpyHostToDevice);
    sorts<<<1, 100>>>(dv, du, dw);
    cudaMemcpy(v, dv, sizeof v, cudaMemcpyDeviceToHost);
    cudaMemcpy(u, du, sizeof u, cudaMemcpyDeviceToHost);
    cudaMemcpy(w, dw, sizeof w, cudaMemcpyDeviceToHost);
    unsigned x100 = 0, inc = 0, dec = 3;
    for (unsigned i = 0; i < 100; i++) {
        x100 ^= i;
        inc = inc >= 9 ? 0 : inc + 1;
        dec = dec == 0 || dec > 9 ? 9 : dec - 1;
    }
    wrong += v[0] != 4950 || v[1] != -4950 || v[2] != -50 || v[3] != 297 ||
             v[4] != 100 || v[5] != 200;
    wrong += u[0] != ~0u || u[1] != 0xffff0000u || u[2] != x100 ||
             u[3] != inc || u[4] != dec;
    wrong += w[0] != 99ull << 40 || w[1] != 100ull << 33;
    cudaFree(dx), cudaFree(dm), cudaFree(dp), cudaFree(dv), cudaFree(du);
    cudaFree(dw);
    printf("%d wrong\n", wrong);
    return wrong;
}

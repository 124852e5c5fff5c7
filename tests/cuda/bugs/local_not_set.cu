// A local variable that a function sets on one of two ways, and that is used.
#include <cstdio>

__device__ __noinline__ bool get(int &e, int i) {
    if (i & 1) {
        e = i;
        return true;
    }
    return false;
}

__global__ void k(int *r) {
    int v;
    get(v, threadIdx.x);
    r[threadIdx.x] = v + 1; // @finding uninitialized-read
}

int main() {
    int *d;
    cudaMalloc(&d, 128);
    k<<<1, 32>>>(d);
    cudaDeviceSynchronize();
    cudaFree(d);
    return 0;
}

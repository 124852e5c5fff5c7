// A local variable that a function sets on one of two ways, and that is used on
// that way alone: the compiler loads it before it knows which.
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
    if (get(v, threadIdx.x))
        r[threadIdx.x] = v;
    else
        r[threadIdx.x] = -1;
}

int main() {
    int *d, h[32];
    cudaMalloc(&d, 128);
    k<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d);
    return h[0] == -1 && h[3] == 3 ? 0 : 1;
}

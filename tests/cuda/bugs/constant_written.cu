// A kernel stores to constant memory by a generic address, as nvcc -G has it do.
#include <cstdio>

__constant__ int table[4];

__global__ void set(int *to, int value) {
    asm("st.u32 [%0], %1;" ::"l"(to + threadIdx.x), "r"(value)); // @finding out-of-bounds
}

int main() {
    int *p;
    cudaGetSymbolAddress((void **)&p, table);
    set<<<1, 4>>>(p, 7);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    return 0;
}

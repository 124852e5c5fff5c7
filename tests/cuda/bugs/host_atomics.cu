// The host adds to what a kernel may still count in.
#include <cstdio>

__global__ void count(int *c) {
    atomicAdd_system(c, 1);
}

int main() {
    int *c;
    cudaMallocManaged(&c, sizeof *c);
    *c = 0;
    count<<<1, 32>>>(c);
    *c += 1; // @finding host-missing-sync
    cudaDeviceSynchronize();
    int sum = *c;
    printf("host_atomics: %d\n", sum);
    cudaFree(c);
    return 0; // wrong or not: see @finding
}

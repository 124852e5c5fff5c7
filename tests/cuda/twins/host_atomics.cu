// Host and kernel add to one counter at a time, both by atomics of the system.
#include <cstdio>

__global__ void count(int *c) {
    atomicAdd_system(c, 1);
}

int main() {
    int *c;
    cudaMallocManaged(&c, sizeof *c);
    *c = 0;
    count<<<1, 32>>>(c);
    __sync_fetch_and_add(c, 1);
    cudaDeviceSynchronize();
    int sum = *c;
    printf("host_atomics: %d\n", sum);
    cudaFree(c);
    return sum != 33;
}

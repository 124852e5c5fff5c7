/* All kinds of host memory: mapped, write-combined, registered; what pointers
 * are said to be. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void add(const int *a, const int *b, int *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

static cudaMemoryType kind_of(const void *p) {
    cudaPointerAttributes a;
    if (cudaPointerGetAttributes(&a, p) != cudaSuccess) {
        exit(2);
    }
    return a.type;
}

int main() {
    const int n = 3000;
    int *a, *b, *da, *db, *dc, wrong = 0;
    cudaSetDeviceFlags(cudaDeviceMapHost);
    cudaHostAlloc(&a, n * sizeof(int), cudaHostAllocMapped);
    cudaHostAlloc(&b, n * sizeof(int),
                  cudaHostAllocMapped | cudaHostAllocWriteCombined);
    std::vector<int> c(n);
    if (cudaHostRegister(c.data(), n * sizeof(int), cudaHostRegisterMapped) !=
        cudaSuccess) {
        printf("cannot register\n");
        return 2;
    }
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
    cudaHostGetDevicePointer(&da, a, 0);
    cudaHostGetDevicePointer(&db, b, 0);
    cudaHostGetDevicePointer(&dc, c.data(), 0);
    add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) {
        wrong += c[i] != 3 * i;
    }
    std::fill(c.begin(), c.end(), -1); /* and by the host's own address */
    add<<<(n + 255) / 256, 256>>>(a, a, c.data(), n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) {
        wrong += c[i] != 2 * i;
    }
    int *plain, *managed, here;
    cudaMalloc(&plain, 64);
    cudaMallocManaged(&managed, 64);
    wrong += kind_of(a) != cudaMemoryTypeHost;
    wrong += kind_of(c.data()) != cudaMemoryTypeHost;
    wrong += kind_of(plain) != cudaMemoryTypeDevice;
    wrong += kind_of(managed) != cudaMemoryTypeManaged;
    wrong += kind_of(&here) != cudaMemoryTypeUnregistered;
    cudaHostUnregister(c.data());
    wrong += kind_of(c.data()) != cudaMemoryTypeUnregistered;
    unsigned flags = 0;
    cudaHostGetFlags(&flags, a);
    wrong += (flags & cudaHostAllocMapped) == 0;
    cudaFree(plain), cudaFree(managed);
    cudaFreeHost(a), cudaFreeHost(b);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

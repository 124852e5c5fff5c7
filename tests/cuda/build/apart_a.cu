// Two sources without relocatable device code: names that both have are two.
#include <cstdio>

__device__ int counter = 1;
template <int N> __global__ void add(int *p) { *p += counter + N; }
void other(int *p);

int main() {
    int *p, v = 0;
    cudaMalloc(&p, sizeof *p);
    cudaMemcpy(p, &v, sizeof v, cudaMemcpyHostToDevice);
    add<1><<<1, 1>>>(p); // + 2
    other(p);            // + 11
    int c = 0;
    cudaMemcpyFromSymbol(&c, counter, sizeof c);
    cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost);
    cudaDeviceProp d;
    cudaGetDeviceProperties(&d, 0);
    printf("%d %d on sm_%d\n", v, c, d.major * 10 + d.minor);
    cudaFree(p);
    return v != 13 || c != 1;
}

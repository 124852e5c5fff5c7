// The host stores to constant memory; kernels read it, through a pointer too.
#include <cstdio>

__constant__ int table[4];

__global__ void get(const int *from, int *to) { to[threadIdx.x] = from[threadIdx.x] + table[0]; }

int main() {
    int *p, *to, values[4] = {7, 8, 9, 10}, out[4];
    cudaMemcpyToSymbol(table, values, sizeof values);
    cudaGetSymbolAddress((void **)&p, table);
    cudaMalloc(&to, sizeof out);
    get<<<1, 4>>>(p, to);
    cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
    cudaFree(to);
    return out[3] == 17 ? 0 : 1;
}

// Calls that CUDA 13 has no more, as older programs have them.
// @stdout 7, twice: no error
#include <cstdio>

__global__ void set(int *p) { *p = 7; }

int main() {
    int *p, v[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        cudaMalloc(&p, sizeof *p);
        set<<<1, 1>>>(p);
        cudaThreadSynchronize();
        cudaMemcpy(&v[i], p, sizeof *p, cudaMemcpyDeviceToHost);
        cudaThreadExit(); // with all that it had
    }
    printf("%d, %s: %s\n", v[0], v[1] == v[0] ? "twice" : "once",
           cudaGetErrorString(cudaGetLastError()));
}

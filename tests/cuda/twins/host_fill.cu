// The host fills memory that both may use.
#include <cstdio>

__global__ void twice(float *x) { x[threadIdx.x] *= 2; }

int main() {
    const int n = 64;
    float *x;
    cudaMallocManaged(&x, n * sizeof *x);
    for (int i = 0; i < n; i++)
        x[i] = i;
    twice<<<1, n>>>(x);
    cudaDeviceSynchronize();
    bool right = x[n - 1] == 2 * (n - 1);
    printf("%s\n", right ? "right" : "wrong");
    cudaFree(x);
    return !right;
}

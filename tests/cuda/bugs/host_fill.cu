// The host fills device memory with a plain loop.
// @exit 139
#include <cstdio>

__global__ void twice(float *x) { x[threadIdx.x] *= 2; }

int main() {
    const int n = 64;
    float *x;
    cudaMalloc(&x, n * sizeof *x);
    for (int i = 0; i < n; i++)
        x[i] = i; // @finding host-deref
    twice<<<1, n>>>(x);
    cudaDeviceSynchronize();
    bool right = x[n - 1] == 2 * (n - 1);
    printf("%s\n", right ? "right" : "wrong");
    cudaFree(x);
    return !right;
}

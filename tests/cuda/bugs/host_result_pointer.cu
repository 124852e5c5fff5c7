// The sum lies in device memory, and the host prints it from there.
// @exit 139
#include <cstdio>

struct Result {
    float sum;
    int count;
};

__global__ void add(const float *x, int n, Result *r) {
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    r->sum = sum;
    r->count = n;
}

static void report(const Result *r) {
    printf("%d: %g\n", r->count, r->sum); // @finding host-deref
}

int main() {
    const int n = 10;
    float h[n];
    for (int i = 0; i < n; i++)
        h[i] = i;
    float *x;
    Result *r;
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&r, sizeof *r);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    add<<<1, 1>>>(x, n, r);
    cudaDeviceSynchronize();
    report(r);
    cudaFree(x);
    cudaFree(r);
    return 0;
}

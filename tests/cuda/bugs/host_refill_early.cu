// The input is refilled for the next launch while this one may still read it.
#include <cstdio>

__global__ void add(float *sum, const float *x) { sum[threadIdx.x] += x[threadIdx.x]; }

int main() {
    const int n = 64;
    float *x, *sum;
    cudaEvent_t done;
    cudaEventCreate(&done);
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&sum, n * sizeof *sum);
    for (int i = 0; i < n; i++)
        sum[i] = 0;
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < n; i++)
            x[i] = turn + i; // @finding host-missing-sync
        add<<<1, n>>>(sum, x);
    }
    cudaDeviceSynchronize();
    bool right = sum[5] == 18;
    printf("%s\n", right ? "right" : "wrong");
    cudaEventDestroy(done);
    cudaFree(x);
    cudaFree(sum);
    return 0;
}

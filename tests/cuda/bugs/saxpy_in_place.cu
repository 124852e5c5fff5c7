// y is copied to shared memory, and overwritten before the copy has completed.
#include <cstdio>
#include <cuda_pipeline.h>

__global__ void saxpy(float a, const float *x, float *y) {
    __shared__ float sx[128], sy[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(sx + t, x + t, 4);
    __pipeline_commit();
    __pipeline_memcpy_async(sy + t, y + t, 4); // @cause
    __pipeline_commit();
    __pipeline_wait_prior(1);
    y[t] = a * sx[t]; // @finding overwrite-in-flight
    __pipeline_wait_prior(0);
    y[t] += sy[t];
}

int main() {
    const int n = 128, m = 128;
    static float in[n];
    static float out[m];
    for (int i = 0; i < n; i++)
        in[i] = i;
    float *d_in;
    float *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof out);
    cudaMemcpy(d_out, in, sizeof in, cudaMemcpyHostToDevice);
    saxpy<<<1, 128>>>(2, d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (3 * i);
    printf("saxpy_in_place: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

// A float3 as three copies of 4 bytes.
#include <cstdio>
#include <cuda_pipeline.h>

__global__ void points(const float3 *in, float *out) {
    __shared__ float3 s[32];
    int t = threadIdx.x;
    for (int k = 0; k < 3; k++)
        __pipeline_memcpy_async(&s[t].x + k, &in[t].x + k, sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[3 * t] = s[t].x;
    out[3 * t + 1] = s[t].y;
    out[3 * t + 2] = s[t].z;
}

int main() {
    const int n = 96, m = 96;
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
    points<<<1, 32>>>(reinterpret_cast<float3 *>(d_in), d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i);
    printf("pipeline_float3: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

// float4 loads of an array that begins four elements later: still aligned.
#include <cstdio>

__global__ void shifted(const float *in, float *out) {
    const float4 *v = reinterpret_cast<const float4 *>(in + 4);
    float4 x = v[threadIdx.x];
    out[4 * threadIdx.x] = x.x;
    out[4 * threadIdx.x + 1] = x.y;
    out[4 * threadIdx.x + 2] = x.z;
    out[4 * threadIdx.x + 3] = x.w;
}

int main() {
    const int n = 132, m = 128;
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
    shifted<<<1, 32>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i + 4);
    printf("float4_shift: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

// In the same order.
#include <cstdio>

template <int ID> __device__ void meet() {
    asm volatile("bar.sync %0, 64;" ::"n"(ID) : "memory");
}

__global__ void cross(const float *in, float *out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t < 32) {
        meet<1>();
        out[t] = s[t + 32];
        meet<2>();
    } else {
        meet<1>();
        out[t] = s[t - 32];
        meet<2>();
    }
}

int main() {
    const int n = 64, m = 64;
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
    cross<<<1, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i ^ 32);
    printf("crossed_barriers: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

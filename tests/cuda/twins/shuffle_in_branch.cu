// The mask names the lanes that take the branch.
#include <cstdio>

__global__ void half_sum(const float *in, float *out) {
    int t = threadIdx.x;
    float x = in[t];
    if (t < 16) {
        for (int d = 8; d > 0; d /= 2)
            x += __shfl_down_sync(0xffff, x, d, 16);
    }
    __syncwarp();
    out[t] = t == 0 ? x : 0;
}

int main() {
    const int n = 32, m = 32;
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
    half_sum<<<1, 32>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i == 0 ? 120 : 0);
    printf("shuffle_in_branch: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return bad != 0;
}

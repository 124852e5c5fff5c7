// A loop over tiles with one barrier: the next tile is stored while others still
// read this one.
#include <cstdio>

__global__ void smooth(const float *in, float *out, int tiles) {
    __shared__ float s[64];
    int t = threadIdx.x;
    for (int k = 0; k < tiles; k++) {
        s[t] = in[k * 64 + t]; // @finding overwrite-before-read
        __syncthreads();
        out[k * 64 + t] = s[t] + s[63 - t]; // @cause
    }
}

int main() {
    const int n = 256, m = 256;
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
    smooth<<<1, 64>>>(d_in, d_out, 4);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (2 * (i / 64) * 64 + 63);
    printf("tile_loop: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

// A spin loop on a flag that the spinning warp's own block would set later.
#include <cstdio>

__global__ void wait_for(const unsigned *in, unsigned *out) {
    __shared__ volatile unsigned ready;
    int t = threadIdx.x;
    if (t == 0)
        ready = 0;
    __syncthreads();
    if (t < 32) {
        while (atomicAdd((unsigned *)&ready, 0) == 0) { // @finding deadlock
        }
    }
    __syncthreads();
    if (t == 32)
        atomicExch((unsigned *)&ready, 1);
    out[t] = in[t];
}

int main() {
    const int n = 64, m = 64;
    static unsigned in[n];
    static unsigned out[m];
    for (int i = 0; i < n; i++)
        in[i] = i;
    unsigned *d_in;
    unsigned *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof out);
    wait_for<<<1, 64>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != ((unsigned)i);
    printf("spin_never: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

// Warp-specialised: the producer waits for a full slot where it should wait
// until the consumers have emptied it.
#include <cstdio>
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void consume(const float *in, float *out, int tiles) {
    __shared__ float slot[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier full, empty;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, blockDim.x);
        init(&empty, blockDim.x);
    }
    __syncthreads();
    if (t < 32) { // producer
        for (int k = 0; k < tiles; k++) {
            if (k > 0)
                (void)empty.arrive();
            slot[t] = in[k * 64 + t]; // @finding overwrite-before-read
            slot[t + 32] = in[k * 64 + t + 32];
            (void)full.arrive();
        }
    } else { // consumers
        for (int k = 0; k < tiles; k++) {
            full.arrive_and_wait();
            out[k * 64 + t - 32] = 2 * slot[95 - t]; // @cause
            if (k + 1 < tiles)
                (void)empty.arrive();
        }
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
    consume<<<1, 96>>>(d_in, d_out, 4);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (2 * (i / 64 * 64 + 63 - i % 64));
    printf("empty_early: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

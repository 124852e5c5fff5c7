// A block's cuda::pipeline whose consumers never release a stage: the second
// wait is for the first stage again, and the third acquire never returns.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
constexpr int STAGES = 2, B = 64, BATCHES = 8;

__global__ void stream(const float *in, float *out) {
    __shared__ float s[STAGES][B];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = block.thread_rank();
    for (int i = 0; i < BATCHES; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, s[i % STAGES], in + i * B, cuda::aligned_size_t<4>(sizeof s[0]), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        out[i * B + t] = 2 * s[i % STAGES][B - 1 - t]; // @finding read-before-complete
    }
}

int main() {
    const int n = 512, m = 512;
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
    stream<<<1, B>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (2 * (i / 64 * 64 + 63 - i % 64));
    printf("never_released: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

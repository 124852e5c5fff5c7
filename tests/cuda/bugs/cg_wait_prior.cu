// Two batches under way, and wait_prior<1>() in the last turn, too, where only
// one is left.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>

namespace cg = cooperative_groups;
constexpr int B = 64, TURNS = 8;

__global__ void batches(const float *in, float *out) {
    __shared__ float s[2][B];
    cg::thread_block block = cg::this_thread_block();
    int t = block.thread_rank();
    cg::memcpy_async(block, s[0], in, sizeof s[0]);
    for (int i = 0; i < TURNS; i++) {
        if (i + 1 < TURNS)
            cg::memcpy_async(block, s[(i + 1) % 2], in + (i + 1) * B, sizeof s[0]);
        cg::wait_prior<1>(block);
        out[i * B + t] = s[i % 2][B - 1 - t]; // @finding read-before-complete
        block.sync();
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
    batches<<<1, B>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i / 64 * 64 + 63 - i % 64);
    printf("cg_wait_prior: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

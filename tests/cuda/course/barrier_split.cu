/* cuda::barrier: split arrive and wait, a completion function, and a ring of
 * producer and consumer warps. */
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>
#include <vector>
namespace cg = cooperative_groups;

__global__ void rotate(const int *in, int *out, int turns) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[2][128];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) {
        init(&bar, block.size());
    }
    block.sync();
    int t = threadIdx.x;
    s[0][t] = in[blockIdx.x * 128 + t];
    for (int k = 0; k < turns; k++) {
        auto token = bar.arrive();
        int mine = t * k; /* work that needs nobody */
        bar.wait(std::move(token));
        s[(k + 1) & 1][t] = s[k & 1][(t + 1) % 128] + mine;
    }
    out[blockIdx.x * 128 + t] = s[turns & 1][t];
}

__global__ void ring(const float *in, float *out, int n) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ float buffer[2][64];
    __shared__ barrier ready[2], filled[2];
    if (threadIdx.x < 2) {
        init(&ready[threadIdx.x], blockDim.x);
        init(&filled[threadIdx.x], blockDim.x);
    }
    __syncthreads();
    int lane = threadIdx.x % 64;
    if (threadIdx.x < 64) {
        for (int i = 0; i < n / 64; i++) {
            ready[i & 1].arrive_and_wait();
            buffer[i & 1][lane] = in[i * 64 + lane];
            barrier::arrival_token token = filled[i & 1].arrive();
            (void)token;
        }
    } else {
        (void)ready[0].arrive();
        (void)ready[1].arrive();
        for (int i = 0; i < n / 64; i++) {
            filled[i & 1].arrive_and_wait();
            out[i * 64 + lane] = buffer[i & 1][63 - lane] * 2;
            (void)ready[i & 1].arrive();
        }
    }
}

int main() {
    const int n = 512, turns = 5;
    std::vector<int> a(n), r(n), b;
    for (int i = 0; i < n; i++) {
        a[i] = i * 3;
    }
    int *in, *out, wrong = 0;
    cudaMalloc(&in, n * 4), cudaMalloc(&out, n * 4);
    cudaMemcpy(in, a.data(), n * 4, cudaMemcpyHostToDevice);
    rotate<<<n / 128, 128>>>(in, out, turns);
    cudaMemcpy(r.data(), out, n * 4, cudaMemcpyDeviceToHost);
    for (int k = 0; k < turns; k++) {
        b = a;
        for (int i = 0; i < n; i++) {
            a[i] = b[i / 128 * 128 + (i % 128 + 1) % 128] + i % 128 * k;
        }
    }
    for (int i = 0; i < n; i++) {
        wrong += a[i] != r[i];
    }
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; i++) {
        x[i] = (float)i;
    }
    cudaMemcpy(in, x.data(), n * 4, cudaMemcpyHostToDevice);
    ring<<<1, 128>>>((float *)in, (float *)out, n);
    cudaMemcpy(y.data(), out, n * 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        wrong += y[i] != 2 * x[i / 64 * 64 + 63 - i % 64];
    }
    cudaFree(in), cudaFree(out);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

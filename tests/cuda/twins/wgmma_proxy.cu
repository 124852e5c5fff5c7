// Whoever wrote the tiles shows them to the async proxy before the barrier.
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>

// Blocks of 8 rows of 16 bytes, one after the other: eight rows of A on, 256
// bytes; eight of K on, 128. Of B (8 columns), eight of K on, 128.
__device__ uint64_t matrix(const half *p) {
    uint64_t at = __cvta_generic_to_shared(p);
    return at >> 4 | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32;
}

__global__ void multiply(const half *a, const half *b, float *c) {
    __shared__ __align__(128) half sa[64 * 16], sb[8 * 16];
    int t = threadIdx.x;
    for (int i = t; i < 64 * 16; i += 128) {
        int row = i / 16, k = i % 16;
        sa[row / 8 * 128 + k / 8 * 64 + row % 8 * 8 + k % 8] = a[i];
    }
    if (t < 8 * 16) {
        int col = t / 16, k = t % 16;
        sb[k / 8 * 64 + col * 8 + k % 8] = b[t];
    }
    float d[4] = {};
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                 "{%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(matrix(sa)), "l"(matrix(sb)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < 4; i++)
        c[(t / 32 * 16 + t % 32 / 4 + i / 2 * 8) * 8 + t % 4 * 2 + i % 2] = d[i];
}

int main() {
    static half a[64 * 16], b[8 * 16]; // b by columns
    static float c[64 * 8];
    for (int i = 0; i < 64 * 16; i++)
        a[i] = __float2half((float)(i % 7 - 3));
    for (int i = 0; i < 8 * 16; i++)
        b[i] = __float2half((float)(i % 5 - 2));
    half *d_a, *d_b;
    float *d_c;
    cudaMalloc(&d_a, sizeof a);
    cudaMalloc(&d_b, sizeof b);
    cudaMalloc(&d_c, sizeof c);
    cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, sizeof b, cudaMemcpyHostToDevice);
    multiply<<<1, 128>>>(d_a, d_b, d_c);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(c, d_c, sizeof c, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < 64 * 8; i++) {
        float sum = 0;
        for (int k = 0; k < 16; k++)
            sum += (float)((i / 8 * 16 + k) % 7 - 3) *
                   (float)((i % 8 * 16 + k) % 5 - 2);
        bad += c[i] != sum;
    }
    printf("wgmma_proxy: %d wrong\n", bad);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    return bad != 0;
}

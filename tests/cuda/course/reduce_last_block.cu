/* One launch: the last block to finish, told by a counter behind a fence, adds
 * up the blocks' sums. */
#include <cstdio>
#include <vector>

__device__ unsigned int finished = 0;

__device__ float block_sum(float v) {
    __shared__ float s[128];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) {
            s[threadIdx.x] += s[threadIdx.x + d];
        }
        __syncthreads();
    }
    float all = s[0];
    __syncthreads();
    return all;
}

__global__ void sum(const float *in, int n, volatile float *part, float *out) {
    __shared__ bool last;
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        v += in[i];
    }
    v = block_sum(v);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = v;
        __threadfence();
        unsigned ticket = atomicInc(&finished, gridDim.x);
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float w = 0;
        for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
            w += part[i];
        }
        w = block_sum(w);
        if (threadIdx.x == 0) {
            *out = w;
            finished = 0;
        }
    }
}

int main() {
    const int n = 12345, blocks = 24;
    std::vector<float> a(n);
    float want = 0, got[2];
    for (int i = 0; i < n; i++) {
        a[i] = (float)(i % 9 - 3);
        want += a[i];
    }
    float *in, *part, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&part, blocks * sizeof(float));
    cudaMalloc(&out, 2 * sizeof(float));
    cudaMemcpy(in, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    sum<<<blocks, 128>>>(in, n, part, out);
    sum<<<blocks, 128>>>(in, n, part, out + 1); /* the counter was put back */
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(part);
    cudaFree(out);
    printf("%g %g, want %g\n", got[0], got[1], want);
    return got[0] != want || got[1] != want;
}

// Three stages are under way and the consumer leaves three.
#include <cstdio>
#include <cuda/pipeline>

constexpr int STAGES = 3, B = 64, BATCHES = 8;

__global__ void stages(const int *in, int *out) {
    __shared__ int s[STAGES][B];
    int t = threadIdx.x;
    auto pipe = cuda::make_pipeline();
    for (int i = 0; i < STAGES; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&s[i][t], in + i * B + t, cuda::aligned_size_t<4>(4), pipe);
        pipe.producer_commit();
    }
    for (int i = 0; i < BATCHES; i++) {
        cuda::pipeline_consumer_wait_prior<STAGES>(pipe);
        out[i * B + t] = s[i % STAGES][t] + 1; // @finding read-before-complete
        pipe.consumer_release();
        pipe.producer_acquire();
        if (i + STAGES < BATCHES)
            cuda::memcpy_async(&s[i % STAGES][t], in + (i + STAGES) * B + t, cuda::aligned_size_t<4>(4), pipe);
        pipe.producer_commit();
    }
}

int main() {
    const int n = 512, m = 512;
    static int in[n];
    static int out[m];
    for (int i = 0; i < n; i++)
        in[i] = i;
    int *d_in;
    int *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof out);
    stages<<<1, B>>>(d_in, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (i + 1);
    printf("consumer_wait_prior: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}

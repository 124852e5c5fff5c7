// WRONG: the last loop of chapter 4.3 as it is printed. It commits inside the
// `if`. In the last turn of a thread nothing is committed, so the newest batch
// is the one that is needed now, and wait_prior(1) does not wait for it.
// wait_prior.cu is the corrected loop. What this prints is a matter of luck, so
// it does not fail on wrong elements.
// @arch sm_80 sm_90a
#include <cstdio>
#include <cstdlib>
#include <cuda_pipeline.h>
#include <vector>

#define CHECK(call)                                              \
    do {                                                         \
        cudaError_t error = (call);                              \
        if (error != cudaSuccess) {                              \
            fprintf(stderr, "%s: %s\n", #call,                   \
                    cudaGetErrorString(error));                  \
            exit(1);                                             \
        }                                                        \
    } while (0)

constexpr int BLOCK = 128;

// What is computed from each element: exact for small whole numbers.
__host__ __device__ float f(float x)
{
    return 2.0f * x + 1.0f;
}

__global__ void one_block(float* out, const float* in, int N)
{
    const int tid = threadIdx.x;
    const int G = BLOCK;

    // ---- as the chapter prints it (what is above the loop: as in two_buffers)
    int idx = tid;
    int stage = 0;
    __shared__ float next[2 * BLOCK];
    if(idx < N) {
        __pipeline_memcpy_async(next + tid, in + idx, 4);
        __pipeline_commit();
    }

    for(int idx = tid; idx < N; idx += G) {
        if(idx + G < N) {
            int s = (stage + 1) % 2;
            __pipeline_memcpy_async(next + tid + BLOCK * s, in + idx + G, 4); // @cause
            __pipeline_commit();
        }
        __pipeline_wait_prior(1);
        out[idx] =  f(next[tid + stage * BLOCK]); // @finding read-before-complete
        stage = (stage + 1) % 2;
    }
    // ---- end
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    if (n < 1)
        return 2;
    std::vector<float> in(n), out(n, -1.0f);
    for (int i = 0; i < n; ++i)
        in[i] = (float)(i % 1000);

    float *d_in, *d_out;
    const size_t bytes = n * sizeof(float);
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
    one_block<<<1, BLOCK>>>(d_out, d_in, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));

    int wrong = 0, late = 0;
    for (int i = 0; i < n; ++i)
        if (out[i] != f(in[i]))
            ++(i + BLOCK < n ? wrong : late);
    printf("%d of the last turns' elements are wrong, %d of the others\n", late,
           wrong);
    return wrong > 0; // only the last turn is a matter of luck
}

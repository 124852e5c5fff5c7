// __pipeline_wait_prior(N), every form: "wait for all transfers except the last
// N" (chapter 4.3). Nine batches are committed; wait_prior(8) leaves eight of
// them in flight and so guarantees the first, wait_prior(7) the first two, ...
// wait_prior(0) all.
//
// The header makes one cp.async.wait_group of it, and knows 0 to 8. A larger
// number becomes 8: it then waits for more than was asked, never for less.
// @arch sm_80 sm_90a
// @stdout ok: 1000 elements in 9 batches
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

constexpr int BLOCK = 64, BATCHES = 9;

// Each thread copies one element of each batch into a place of its own.
__device__ void commit_all(float (*place)[BLOCK], const float* in, int i, int G,
                           int n)
{
    for (int k = 0; k < BATCHES; ++k) {
        if (i + k * G < n)
            __pipeline_memcpy_async(&place[k][threadIdx.x], in + i + k * G, 4);
        __pipeline_commit();
    }
}

// N as a constant: how it is nearly always used.
__global__ void constants(float* out, const float* in, int n)
{
    __shared__ float place[BATCHES][BLOCK];
    const int i = blockIdx.x * BLOCK + threadIdx.x, G = gridDim.x * BLOCK;
    commit_all(place, in, i, G, n);
    auto use = [&](int k) { // reads the place of batch k
        if (i + k * G < n)
            out[i + k * G] = place[k][threadIdx.x];
    };
    __pipeline_wait_prior(8);
    use(0); // look here: eight batches may be in flight now
    __pipeline_wait_prior(7);
    use(1);
    __pipeline_wait_prior(6);
    use(2);
    __pipeline_wait_prior(5);
    use(3);
    __pipeline_wait_prior(4);
    use(4);
    __pipeline_wait_prior(3);
    use(5);
    __pipeline_wait_prior(2);
    use(6);
    __pipeline_wait_prior(1);
    use(7);
    __pipeline_wait_prior(0);
    use(8);
}

// N known only when it runs: the header's switch chooses the instruction.
__global__ void variables(float* out, const float* in, int n, int most)
{
    __shared__ float place[BATCHES][BLOCK];
    const int i = blockIdx.x * BLOCK + threadIdx.x, G = gridDim.x * BLOCK;
    commit_all(place, in, i, G, n);
    int used = 0;
    for (int prior = most; prior >= 0; --prior) {
        __pipeline_wait_prior(prior); // a prior above 8 is taken as 8
        for (; used < BATCHES - min(prior, 8); ++used)
            if (i + used * G < n)
                out[i + used * G] = place[used][threadIdx.x];
    }
}

static bool same(const char* what, const std::vector<float>& in, float* d_out)
{
    std::vector<float> out(in.size());
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, in.size() * sizeof(float),
                     cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < in.size(); ++i) {
        if (out[i] != in[i]) {
            printf("wrong: %s, element %zu is %g, not %g\n", what, i, out[i],
                   in[i]);
            return false;
        }
    }
    CHECK(cudaMemset(d_out, 0xff, in.size() * sizeof(float)));
    return true;
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    if (n < 1)
        return 2;
    const int grid = (n + BATCHES * BLOCK - 1) / (BATCHES * BLOCK);
    std::vector<float> in(n);
    for (int i = 0; i < n; ++i)
        in[i] = (float)i;
    float *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, n * sizeof(float)));
    CHECK(cudaMalloc(&d_out, n * sizeof(float)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(float),
                     cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_out, 0xff, n * sizeof(float)));

    constants<<<grid, BLOCK>>>(d_out, d_in, n);
    if (!same("constants", in, d_out))
        return 1;
    for (int most = 0; most <= 12; most += 4) {
        variables<<<grid, BLOCK>>>(d_out, d_in, n, most);
        if (!same("variables", in, d_out))
            return 1;
    }
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    printf("ok: %d elements in %d batches\n", n, BATCHES);
    return 0;
}

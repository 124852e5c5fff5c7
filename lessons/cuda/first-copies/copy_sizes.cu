// Copies of 4, 8 and 16 bytes, each with its natural alignment (chapter 4.2),
// and the fourth argument of __pipeline_memcpy_async: the last `zfill` bytes of
// the place are set to zero and not read from global memory.
// @arch sm_80 sm_90a
// @stdout ok: 1001 floats in pieces of 4, 8 and 16 bytes
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

// Every thread moves one piece of BYTES bytes. The last piece of the array may
// reach past its end: what is past it is filled with zeros.
template <int BYTES>
__global__ void copy_pieces(float* out, const float* in, int n)
{
    constexpr int FLOATS = BYTES / 4;
    __shared__ alignas(16) float place[BLOCK * FLOATS];
    const int tid = threadIdx.x;
    const int i = (blockIdx.x * BLOCK + tid) * FLOATS; // first of my piece
    if (i >= n)
        return;
    const int inside = min(FLOATS, n - i); // floats of it that exist

    // as the chapter prints it (with 16), here with any size and zfill
    __pipeline_memcpy_async(place + tid * FLOATS, in + i, BYTES,
                            BYTES - inside * 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);

    for (int k = 0; k < FLOATS; ++k) // out has room for whole pieces
        out[i + k] = place[tid * FLOATS + k];
}

template <int BYTES> static bool check(int n)
{
    constexpr int FLOATS = BYTES / 4;
    const int pieces = (n + FLOATS - 1) / FLOATS;
    std::vector<float> in(n), out(pieces * FLOATS, -1.0f);
    for (int i = 0; i < n; ++i)
        in[i] = (float)(1 + i % 999);

    float *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, n * sizeof(float))); // not a float more
    CHECK(cudaMalloc(&d_out, out.size() * sizeof(float)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(float),
                     cudaMemcpyHostToDevice));
    copy_pieces<BYTES><<<(pieces + BLOCK - 1) / BLOCK, BLOCK>>>(d_out, d_in, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(float),
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));

    for (int i = 0; i < (int)out.size(); ++i) {
        const float expected = i < n ? in[i] : 0.0f;
        if (out[i] != expected) {
            printf("wrong: pieces of %d, element %d is %g, not %g\n", BYTES, i,
                   out[i], expected);
            return false;
        }
    }
    return true;
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1001; // not a multiple of 4
    if (n < 1)
        return 2;
    if (!check<4>(n) || !check<8>(n) || !check<16>(n))
        return 1;
    printf("ok: %d floats in pieces of 4, 8 and 16 bytes\n", n);
    return 0;
}

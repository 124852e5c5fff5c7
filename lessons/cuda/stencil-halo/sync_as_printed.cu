// WRONG in blocks wider than a warp: the note's synchronous loads (example one)
// as they are printed. `else if (tid >= 32 - 8)` also holds for threads 32, 33,
// ...: thread 32 writes buffer[48], and the buffer ends at 48.
//
// A second slip shows when it is put beside the note's other forms: threads 24
// to 31 read right[24] to right[31], so that `right` would have to point 24
// elements before the right halo, but the other forms copy from right[0]. Here
// `right` points there, and a block of 32 threads is right.
// sync.cu is the corrected form.
// @arch sm_80 sm_90a
// @stdout 32 threads a block: 0 of 1000 elements are wrong
#include <cstdio>
#include <cstdlib>
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

constexpr int HALO = 8, CENTER = 32;

// in points at the left halo of the first tile.
__global__ void stencil(float* sums, const float* in, int n)
{
    __shared__ float buffer[HALO + CENTER + HALO];
    const int tid = threadIdx.x;
    const float* left = in + blockIdx.x * CENTER;
    const float* center = left + HALO;
    const float* right = center + CENTER - 24; // see above

    // ---- as the note prints it
    if (tid < 8) buffer[tid] = left[tid]; // Left halo
    else if (tid >= 32 - 8) buffer[tid + 16] = right[tid]; // @finding out-of-bounds
    if (tid < 32) buffer[tid + 8] = center[tid]; // Center
    __syncthreads();
    // ---- end

    const int i = blockIdx.x * CENTER + tid;
    if (tid >= 32 || i >= n)
        return;
    float sum = 0;
    for (int k = 0; k <= 2 * HALO; ++k)
        sum += buffer[tid + k];
    sums[i] = sum;
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    if (n < 1)
        return 2;
    const int tiles = (n + CENTER - 1) / CENTER;
    // Room for what threads 32 to 63 read: that is not the point here.
    const int padded = tiles * CENTER + 2 * HALO + 32;
    std::vector<float> in(padded, 0.0f), sums(n);
    for (int i = 0; i < n; ++i)
        in[HALO + i] = (float)(i * 37 % 1001);

    float *d_in, *d_sums;
    CHECK(cudaMalloc(&d_in, padded * sizeof(float)));
    CHECK(cudaMalloc(&d_sums, n * sizeof(float)));
    CHECK(cudaMemcpy(d_in, in.data(), padded * sizeof(float),
                     cudaMemcpyHostToDevice));

    for (int threads = 32; threads <= 64; threads += 32) {
        CHECK(cudaMemset(d_sums, 0xff, n * sizeof(float)));
        stencil<<<tiles, threads>>>(d_sums, d_in, n);
        const cudaError_t error = cudaDeviceSynchronize();
        if (error != cudaSuccess) {
            printf("%d threads a block: %s\n", threads,
                   cudaGetErrorString(error));
            return 0; // it is wrong, and that was noticed
        }
        CHECK(cudaMemcpy(sums.data(), d_sums, n * sizeof(float),
                         cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int i = 0; i < n; ++i) {
            float sum = 0;
            for (int k = 0; k <= 2 * HALO; ++k)
                sum += in[i + k];
            wrong += sums[i] != sum;
        }
        printf("%d threads a block: %d of %d elements are wrong\n", threads,
               wrong, n);
        if (threads == 32 && wrong > 0)
            return 1;
    }
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_sums));
    return 0;
}

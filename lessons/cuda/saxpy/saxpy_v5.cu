// y = alpha * x + y with float4, the "V5" of chapter 4.4's table.
//
// RECONSTRUCTED: the seed does not hold the chapter in which V5 is printed. Its
// table counts 524,288 loads and 262,144 stores for arrays of 128 MiB, that is,
// two loads and one store of a float4 a thread, and 22 instructions a warp: a
// kernel without a loop. So it is written here.
// @arch sm_80 sm_90a
// @stdout ok: 5000 float4
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

__global__ void saxpy_v5(int n, float alpha,
                         const float4* __restrict__ x,
                               float4* __restrict__ y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float4 vx = x[i]; // look here: two loads of 16 bytes, both under
        const float4 vy = y[i]; // way before the first of them is needed
        y[i] = make_float4(alpha * vx.x + vy.x,
                           alpha * vx.y + vy.y,
                           alpha * vx.z + vy.z,
                           alpha * vx.w + vy.w);
    }
}

int main(int argc, char** argv)
{
    // elements of 16 bytes
    const int n = argc > 1 ? atoi(argv[1]) : 5000;
    const int block = 256;
    if (n < 1)
        return 2;
    const float alpha = 3.0f;
    std::vector<float> x(4 * (size_t)n), y(x.size()), result(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
        x[i] = (float)(i % 1009); // small whole numbers: the result is exact
        y[i] = (float)(i * 13 % 911);
    }

    float4 *d_x, *d_y;
    const size_t bytes = n * sizeof(float4);
    CHECK(cudaMalloc(&d_x, bytes));
    CHECK(cudaMalloc(&d_y, bytes));
    CHECK(cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_y, y.data(), bytes, cudaMemcpyHostToDevice));
    saxpy_v5<<<(n + block - 1) / block, block>>>(n, alpha, d_x, d_y);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result.data(), d_y, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));

    for (size_t i = 0; i < x.size(); ++i) {
        const float expected = alpha * x[i] + y[i];
        if (result[i] != expected) {
            printf("wrong: element %zu is %g, not %g\n", i, result[i],
                   expected);
            return 1;
        }
    }
    printf("ok: %d float4\n", n);
    return 0;
}

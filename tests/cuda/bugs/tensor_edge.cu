// A tensor map's box over the edge of its array: the whole box counts, and only
// what lies inside was announced.
#include <cstdio>
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;
constexpr int W = 40, H = 24, BOX = 16;

__global__ void corner(const __grid_constant__ CUtensorMap map, float *out) {
    __shared__ alignas(128) float s[BOX][BOX];
    __shared__ uint64_t bar;
    int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (t == 0) {
        const int at[2] = {W - 8, H - 8};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 8 * 8 * sizeof(float)); // @cause
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s, &map, at, &bar);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) { // @finding tx-count
    }
    for (int i = t; i < BOX * BOX; i += blockDim.x)
        out[i] = s[i / BOX][i % BOX];
}

int main() {
    static float in[H][W], out[BOX * BOX];
    for (int i = 0; i < H * W; i++)
        in[i / W][i % W] = i + 1;
    float *d_in, *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found);
    if (found != cudaDriverEntryPointSuccess)
        return 1;
    CUtensorMap map;
    cuuint64_t dims[2] = {W, H}, strides[1] = {W * sizeof(float)};
    cuuint32_t box[2] = {BOX, BOX}, steps[2] = {1, 1};
    if (reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, d_in, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        return 1;
    corner<<<1, 64>>>(map, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int y = 0; y < BOX; y++)
        for (int x = 0; x < BOX; x++)
            bad += out[y * BOX + x] != (y < 8 && x < 8 ? in[H - 8 + y][W - 8 + x] : 0);
    printf("tensor_edge: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}

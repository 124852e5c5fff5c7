// @arch sm_90a
/* TMA: a tensor map from cuTensorMapEncodeTiled (found through the runtime),
 * tiles of a matrix into shared memory with zero fill, and out again. */
#include <cstdio>
#include <cuda.h>
#include <cuda/barrier>
#include <vector>
using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;

constexpr int H = 16, W = 32;

__global__ void increment(const __grid_constant__ CUtensorMap from,
                          const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(128) int tile[H][W];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    int x = blockIdx.x * W, y = blockIdx.y * H;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &from, x, y, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < H * W; i += blockDim.x) {
        tile[i / W][i % W] += i;
    }
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(&to, x, y, &tile);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
        (&bar)->~barrier();
    }
}

typedef CUresult (*encode_fn)(CUtensorMap *, CUtensorMapDataType, cuuint32_t,
                              void *, const cuuint64_t *, const cuuint64_t *,
                              const cuuint32_t *, const cuuint32_t *,
                              CUtensorMapInterleave, CUtensorMapSwizzle,
                              CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static encode_fn encoder() {
    cudaDriverEntryPointQueryResult status;
    void *f = nullptr;
    cudaError_t e = cudaGetDriverEntryPointByVersion(
        "cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &status);
    return e == cudaSuccess && status == cudaDriverEntryPointSuccess
               ? (encode_fn)f
               : nullptr;
}

int main() {
    const int w = 100, h = 50; /* the last tiles stick out */
    std::vector<int> a(w * h), r(w * h);
    for (int i = 0; i < w * h; i++) {
        a[i] = i * 10;
    }
    int *in, *out;
    cudaMalloc(&in, w * h * 4), cudaMalloc(&out, w * h * 4);
    cudaMemcpy(in, a.data(), w * h * 4, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, w * h * 4);
    encode_fn encode = encoder();
    if (encode == nullptr) {
        return 2;
    }
    CUtensorMap map[2];
    for (int i = 0; i < 2; i++) {
        cuuint64_t size[2] = {w, h}, stride[1] = {w * sizeof(int)};
        cuuint32_t box[2] = {W, H}, step[2] = {1, 1};
        CUresult e =
            encode(&map[i], CU_TENSOR_MAP_DATA_TYPE_INT32, 2, i == 0 ? in : out,
                   size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                   CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        if (e != CUDA_SUCCESS) {
            return 3;
        }
    }
    increment<<<dim3((w + W - 1) / W, (h + H - 1) / H), 128>>>(map[0], map[1]);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        return 4;
    }
    cudaMemcpy(r.data(), out, w * h * 4, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < w * h; i++) {
        int x = i % w, y = i / w;
        wrong += r[i] != a[i] + y % H * W + x % W;
    }
    cudaFree(in), cudaFree(out);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

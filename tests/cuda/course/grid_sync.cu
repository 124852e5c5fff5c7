/* Cooperative groups over the whole grid: a reduction and a normalisation in
 * one cooperative launch. */
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;

__global__ void normalise(float *x, int n, float *sums) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    __shared__ float per_warp[8];
    float v = 0;
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) {
        v += x[i] * x[i];
    }
    v = cg::reduce(warp, v, cg::plus<float>());
    if (warp.thread_rank() == 0) {
        per_warp[warp.meta_group_rank()] = v;
    }
    block.sync();
    if (block.thread_rank() == 0) {
        float s = 0;
        for (unsigned w = 0; w < warp.meta_group_size(); w++) {
            s += per_warp[w];
        }
        sums[blockIdx.x] = s;
    }
    grid.sync();
    float all = 0;
    for (unsigned b = 0; b < gridDim.x; b++) {
        all += sums[b];
    }
    float scale = rsqrtf(all);
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) {
        x[i] *= scale;
    }
}

int main() {
    int n = 10000, device = 0, ok = 0;
    cudaDeviceGetAttribute(&ok, cudaDevAttrCooperativeLaunch, device);
    if (!ok) {
        return 2;
    }
    std::vector<float> a(n), r(n);
    double all = 0;
    for (int i = 0; i < n; i++) {
        a[i] = (float)(i % 17) - 8;
        all += (double)a[i] * a[i];
    }
    int per_sm = 0;
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, normalise, 256, 0);
    int blocks = prop.multiProcessorCount * per_sm;
    blocks = blocks < 16 ? blocks : 16;
    float *x, *sums;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&sums, blocks * sizeof(float));
    cudaMemcpy(x, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    void *args[] = {&x, &n, &sums};
    cudaError_t e = cudaLaunchCooperativeKernel((void *)normalise, dim3(blocks),
                                                dim3(256), args, 0, 0);
    if (e != cudaSuccess) {
        printf("%s\n", cudaGetErrorName(e));
        return 1;
    }
    cudaMemcpy(r.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        wrong += std::fabs(r[i] - a[i] / std::sqrt(all)) > 1e-6;
    }
    cudaFree(x);
    cudaFree(sums);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

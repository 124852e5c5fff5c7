// Launches of every form: cooperative, with clusters, with attributes, with
// structures for arguments; what the runtime says of kernels and the device.
// @stdout 0 wrong
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

static int wrong;

static void check(bool right, const char *what, int line) {
    if (!right) {
        printf("line %d: %s\n", line, what);
        wrong++;
    }
}
#define CHECK(x) check(x, #x, __LINE__)
#define OK(call) check((call) == cudaSuccess, #call, __LINE__)

__global__ void grid_sum(int *data, int *out) {
    cg::grid_group g = cg::this_grid();
    int i = (int)g.thread_rank();
    data[i] = i;
    g.sync();
    if (i == 0) {
        *out = 0;
        for (int k = 0; k < (int)g.size(); k++) {
            *out += data[k];
        }
    }
}

__global__ void __cluster_dims__(2, 1, 1) pairs(int *o) {
    cg::cluster_group c = cg::this_cluster();
    if (threadIdx.x == 0) {
        o[blockIdx.x] = (int)(c.block_rank() + 10 * c.num_blocks());
    }
}

__global__ void ranks(int *o, int more) {
    cg::cluster_group c = cg::this_cluster();
    if (threadIdx.x == 0) {
        o[blockIdx.x] = (int)(c.block_rank() + 10 * c.num_blocks()) + more;
    }
}

struct Arguments {
    int a;
    double b;
    char c[20];
};

__global__ void structures(Arguments a, int *o, short s, char3 t) {
    *o = a.a + (int)a.b + a.c[3] + s + t.z;
}

__global__ void __launch_bounds__(128) bounded(int *o) {
    __shared__ int s[1000];
    s[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    o[threadIdx.x] = s[127 - threadIdx.x];
}

template <typename T> __global__ void fill(T *p, T v, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += blockDim.x * gridDim.x) {
        p[i] = v;
    }
}

static int first(const int *d, int i) {
    int h = -1;
    OK(cudaMemcpy(&h, d + i, sizeof h, cudaMemcpyDeviceToHost));
    return h;
}

static void clusters(int *o) {
    pairs<<<4, 32>>>(o);
    OK(cudaGetLastError());
    CHECK(first(o, 0) == 20 && first(o, 3) == 21);
    pairs<<<3, 32>>>(o); // not a multiple of the cluster
    CHECK(cudaGetLastError() == cudaErrorInvalidClusterSize);

    cudaLaunchAttribute attribute[2];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 4;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    attribute[1].id = cudaLaunchAttributePriority;
    attribute[1].val.priority = 0;
    cudaLaunchConfig_t config = {};
    config.gridDim = 8;
    config.blockDim = 32;
    config.attrs = attribute;
    config.numAttrs = 2;
    OK(cudaLaunchKernelEx(&config, ranks, o, 100));
    CHECK(first(o, 0) == 140 && first(o, 7) == 143);
    int n = 0;
    OK(cudaOccupancyMaxActiveClusters(&n, ranks, &config));
    CHECK(n > 0);
    OK(cudaOccupancyMaxPotentialClusterSize(&n, ranks, &config));
    CHECK(n == 8);
}

static void others(int *d, int *o) {
    void *arguments[] = {&d, &o};
    OK(cudaLaunchCooperativeKernel((void *)grid_sum, dim3(4), dim3(64),
                                   arguments, 0, 0));
    CHECK(first(o, 0) == 255 * 256 / 2);
    CHECK(cudaLaunchCooperativeKernel(grid_sum, dim3(100000), dim3(64),
                                      arguments, 0, 0) ==
          cudaErrorCooperativeLaunchTooLarge);
    CHECK(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
    Arguments a = {1, 2.5, {0, 0, 0, 4}};
    structures<<<1, 1>>>(a, o, 5, make_char3(1, 2, 30));
    CHECK(first(o, 0) == 1 + 2 + 4 + 5 + 30);
    fill<<<2, 32>>>(d, 7, 100);
    CHECK(first(d, 99) == 7);
    void (*pointer)(int *) = bounded;
    pointer<<<1, 128>>>(o);
    CHECK(first(o, 1) == 126);
    void *one[] = {&o};
    OK(cudaLaunchKernel((void *)bounded, dim3(1), dim3(128), one, 0, 0));
}

static void questions() {
    cudaFuncAttributes f;
    OK(cudaFuncGetAttributes(&f, bounded));
    CHECK(f.maxThreadsPerBlock == 128 && f.sharedSizeBytes == 4000);
    CHECK(f.numRegs > 0 && f.ptxVersion == 90);
    CHECK(f.maxDynamicSharedSizeBytes == 49152 - 4000);
    int blocks = 0, block = 0, sm = 0, major = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 128, 0));
    CHECK(blocks == 16);
    OK(cudaOccupancyMaxPotentialBlockSize(&blocks, &block, bounded, 0, 0));
    CHECK(block == 128);
    OK(cudaDeviceGetAttribute(&sm, cudaDevAttrMultiProcessorCount, 0));
    OK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(major == 9 && blocks == sm * 16);
    cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    CHECK(p.major == 9 && p.multiProcessorCount == sm && p.warpSize == 32);
    CHECK(p.sharedMemPerBlock == 49152 && p.sharedMemPerBlockOptin == 232448);
    CHECK(p.maxThreadsPerMultiProcessor == 2048 && p.clusterLaunch == 1);
    size_t room = 0;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, bounded, 2, 128));
    CHECK(room == 49152 - 4000);
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, bounded, 16, 128));
    CHECK(room == 233472 / 16 - 4000);
    OK(cudaProfilerStart());
    OK(cudaProfilerStop());
}

int main() {
    int *d, *o, count = 0;
    OK(cudaGetDeviceCount(&count));
    CHECK(count >= 1);
    OK(cudaSetDevice(0));
    OK(cudaMalloc(&d, 1024));
    OK(cudaMalloc(&o, 1024));
    clusters(o);
    others(d, o);
    questions();
    OK(cudaFree(d));
    OK(cudaFree(o));
    OK(cudaDeviceReset());
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

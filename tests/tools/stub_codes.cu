// Error codes of wrong calls and launches. `codes`: all that do not stick;
// `codes NAME`: one that does (oob misaligned trap assert shared local badsize
// null).
#include <cassert>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#define SAY(name, x)                                                           \
    do {                                                                       \
        cudaGetLastError();                                                    \
        cudaError_t e_ = (x);                                                  \
        printf("%-34s %d\n", name, (int)e_);                                   \
    } while (0)
__global__ void plain(int *o) {
    extern __shared__ int s[];
    if (o)
        o[0] = (int)(size_t)s;
}
__global__ void big_static(int *o) {
    __shared__ int s[12000];
    s[threadIdx.x] = 1;
    __syncthreads();
    o[threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ __launch_bounds__(64) void bounded(int *o) {
    o[0] = 1;
}
__global__ void __cluster_dims__(2, 1, 1) pair(int *o) {
    o[blockIdx.x] = 1;
}
__global__ void coop(int *o) {
    cooperative_groups::this_grid().sync();
    o[0] = 1;
}
__global__ void put(int *p, long long at) {
    p[at] = 1;
}
__global__ void odd(char *p) {
    *(int *)(p + 2) = 1;
}
__global__ void trap() {
    __trap();
}
__global__ void asserts(int *p) {
    assert(p == nullptr);
}
__global__ void shared_oob(int n, int *o) {
    __shared__ int s[32];
    s[threadIdx.x] = 1;
    s[n + threadIdx.x] = 2;
    o[threadIdx.x] = s[threadIdx.x];
}
__global__ void misaligned_shared(int n, int *o) {
    __shared__ int s[32];
    *(int *)((char *)s + n) = 2;
    o[threadIdx.x] = s[threadIdx.x];
}
__global__ void bad_size(int *p, int n) {
    __shared__ alignas(128) int s[64];
    __shared__ alignas(8) unsigned long long bar;
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar),
             d = (unsigned)__cvta_generic_to_shared(s);
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [%0], [%1], %2, [%3];" ::"r"(d),
                 "l"(p), "r"(n), "r"(b)
                 : "memory");
    p[0] = s[0];
}
__device__ int var;
__constant__ int con[4];
static cudaError_t last() {
    cudaError_t e = cudaGetLastError();
    return e;
}
template <class K> cudaError_t cluster(K k, int grid, int size, int *d) {
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(grid);
    c.blockDim = dim3(32);
    cudaLaunchAttribute a[1];
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = size;
    a[0].val.clusterDim.y = 1;
    a[0].val.clusterDim.z = 1;
    c.attrs = a;
    c.numAttrs = 1;
    cudaError_t e = cudaLaunchKernelEx(&c, k, d);
    cudaError_t f = cudaDeviceSynchronize();
    return e ? e : f;
}
#define LAUNCH(name, ...)                                                      \
    do {                                                                       \
        cudaGetLastError();                                                    \
        __VA_ARGS__;                                                           \
        printf("%-34s %d", name, (int)last());                                 \
        printf(" then sync %d\n", (int)cudaDeviceSynchronize());               \
    } while (0)
static void sticky(const char *w, int *d) {
    if (!strcmp(w, "oob"))
        put<<<1, 1>>>(d, 1ll << 34);
    if (!strcmp(w, "null"))
        put<<<1, 1>>>(nullptr, 0);
    if (!strcmp(w, "misaligned"))
        odd<<<1, 1>>>((char *)d);
    if (!strcmp(w, "trap"))
        trap<<<1, 1>>>();
    if (!strcmp(w, "assert"))
        asserts<<<1, 1>>>(d);
    if (!strcmp(w, "shared"))
        shared_oob<<<1, 32>>>(1 << 20, d);
    if (!strcmp(w, "misaligned_shared"))
        misaligned_shared<<<1, 32>>>(2, d);
    if (!strcmp(w, "badsize"))
        bad_size<<<1, 1>>>(d, 24);
    printf("%s: launch %d sync %d", w, (int)cudaGetLastError(),
           (int)cudaDeviceSynchronize());
    printf(" last %d again %d", (int)cudaGetLastError(),
           (int)cudaGetLastError());
    int *e;
    printf(" malloc %d", (int)cudaMalloc(&e, 4));
    printf(" free %d", (int)cudaFree(d));
    cudaFuncAttributes fa;
    printf(" attributes %d", (int)cudaFuncGetAttributes(&fa, put));
    int n;
    printf(" count %d", (int)cudaGetDeviceCount(&n));
    cudaDeviceProp p;
    printf(" properties %d", (int)cudaGetDeviceProperties(&p, 0));
    cudaEvent_t ev;
    printf(" event %d", (int)cudaEventCreate(&ev));
    void *h;
    printf(" mallocHost %d", (int)cudaMallocHost(&h, 4));
    printf(" reset %d", (int)cudaDeviceReset());
    printf(" malloc after reset %d\n", (int)cudaMalloc(&e, 4));
}
int main(int argc, char **argv) {
    int *d, h[64];
    cudaMalloc(&d, 4096);
    if (argc > 1) {
        sticky(argv[1], d);
        return 0;
    }
    LAUNCH("block of 1025", (plain<<<1, 1025>>>(d)));
    LAUNCH("block of 0", (plain<<<1, 0>>>(d)));
    LAUNCH("grid of 0", (plain<<<0, 1>>>(d)));
    LAUNCH("block z 65", (plain<<<1, dim3(1, 1, 65)>>>(d)));
    LAUNCH("grid y 65536", (plain<<<dim3(1, 65536), 1>>>(nullptr)));
    LAUNCH("dynamic 49152", (plain<<<1, 1, 49152>>>(d)));
    LAUNCH("dynamic 49153", (plain<<<1, 1, 49153>>>(d)));
    LAUNCH("dynamic 232449", (plain<<<1, 1, 232449>>>(d)));
    LAUNCH("48000 static + 1153 dynamic", (big_static<<<1, 64, 1153>>>(d)));
    SAY("attribute 232448",
        cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             232448));
    SAY("attribute 232449",
        cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             232449));
    SAY("attribute -1",
        cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             -1));
    LAUNCH("dynamic 232448 allowed", (plain<<<1, 1, 232448>>>(d)));
    LAUNCH("launch bounds 64, block 65", (bounded<<<1, 65>>>(d)));
    LAUNCH("cluster dims 2, grid 3", (pair<<<3, 1>>>(d)));
    SAY("cluster 3, grid 4", cluster(plain, 4, 3, d));
    SAY("cluster 9, not allowed", cluster(plain, 9, 9, d));
    SAY("cluster 17", cluster(plain, 17, 17, d));
    SAY("cluster 4 of cluster dims 2", cluster(pair, 4, 4, d));
    SAY("non-portable allowed",
        cudaFuncSetAttribute(
            plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    SAY("cluster 9, allowed", cluster(plain, 9, 9, d));
    SAY("cluster 16, allowed", cluster(plain, 16, 16, d));
    SAY("cluster 17, allowed", cluster(plain, 17, 17, d));
    void *args[] = {&d};
    SAY("cooperative too large",
        cudaLaunchCooperativeKernel((void *)coop, dim3(100000), dim3(64), args,
                                    0, 0));
    SAY("cooperative, block 1025",
        cudaLaunchCooperativeKernel((void *)coop, dim3(1), dim3(1025), args, 0,
                                    0));
    SAY("last after refused", cudaGetLastError());
    SAY("free twice", (cudaFree(d), cudaFree(d)));
    cudaMalloc(&d, 4096);
    SAY("free host pointer", cudaFree(h));
    SAY("free inside", cudaFree(d + 1));
    SAY("freeHost of device", cudaFreeHost(d));
    SAY("malloc 0", cudaMalloc((void **)&args[0], 0));
    SAY("malloc 1 TB", cudaMalloc((void **)&args[0], 1ull << 40));
    SAY("mallocManaged 0", cudaMallocManaged(&args[0], 0));
    SAY("mallocHost 0", cudaMallocHost(&args[0], 0));
    static char big[3 << 20];
    SAY("memcpy past the end",
        cudaMemcpy(d, big, 3 << 20, cudaMemcpyHostToDevice));
    SAY("memcpy from past the end",
        cudaMemcpy(big, d, 3 << 20, cudaMemcpyDeviceToHost));
    SAY("memcpy a little past",
        cudaMemcpy(d, big, 4097, cudaMemcpyHostToDevice));
    SAY("memcpy 0", cudaMemcpy(d, h, 0, cudaMemcpyHostToDevice));
    SAY("memcpy to a null", cudaMemcpy(nullptr, h, 4, cudaMemcpyHostToDevice));
    SAY("memcpy wrong way", cudaMemcpy(d, h, 4, cudaMemcpyDeviceToHost));
    SAY("memcpy kind 9", cudaMemcpy(d, h, 4, (cudaMemcpyKind)9));
    SAY("memset past the end", cudaMemset(d, 0, 3 << 20));
    SAY("memset host", cudaMemset(h, 0, 4));
    SAY("memset 0", cudaMemset(d, 0, 0));
    SAY("memcpy2D pitch 4 width 8",
        cudaMemcpy2D(d, 4, h, 8, 8, 2, cudaMemcpyHostToDevice));
    SAY("memcpy2D width 0",
        cudaMemcpy2D(d, 4, h, 8, 0, 2, cudaMemcpyHostToDevice));
    SAY("memcpyToSymbol past", cudaMemcpyToSymbol(con, h, 20));
    SAY("memcpyToSymbol offset", cudaMemcpyToSymbol(con, h, 8, 12));
    SAY("memcpyToSymbol of no symbol",
        cudaMemcpyToSymbol((const void *)h, h, 4));
    for (int b : {1, 64, 1024, 1025})
        for (size_t s : {(size_t)0, (size_t)49152, (size_t)49153,
                         (size_t)100000, (size_t)232448, (size_t)232449}) {
            int n = -1, m = -1;
            cudaError_t e =
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, put, b, s);
            cudaGetLastError();
            cudaError_t f =
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&m, plain, b, s);
            cudaGetLastError();
            printf("occupancy block %d shared %zu: %d %d, allowed %d %d\n", b,
                   s, (int)e, n, (int)f, m);
        }
    {
        int n = -1;
        cudaError_t e =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, bounded, 128, 0);
        printf("occupancy over launch bounds %d %d\n", (int)e, n);
        cudaGetLastError();
    }
    {
        int n = -1;
        cudaError_t e =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, put, 0, 0);
        printf("occupancy block 0 %d %d\n", (int)e, n);
        cudaGetLastError();
    }
    for (int cs : {2, 8, 16}) {
        cudaLaunchConfig_t c = {};
        c.gridDim = dim3(16);
        c.blockDim = dim3(128);
        cudaLaunchAttribute a[1];
        a[0].id = cudaLaunchAttributeClusterDimension;
        a[0].val.clusterDim = {(unsigned)cs, 1, 1};
        c.attrs = a;
        c.numAttrs = 1;
        int n = -1;
        cudaError_t e = cudaOccupancyMaxActiveClusters(&n, plain, &c);
        printf("clusters of %d: %d %d\n", cs, (int)e, n);
        cudaGetLastError();
    }
    cudaFuncAttributes fa;
    cudaFuncGetAttributes(&fa, plain);
    printf("plain: regs %d maxThreads %d shared %zu const %zu local %zu "
           "maxDynamic %d carveout %d ptx %d binary %d\n",
           fa.numRegs, fa.maxThreadsPerBlock, fa.sharedSizeBytes,
           fa.constSizeBytes, fa.localSizeBytes, fa.maxDynamicSharedSizeBytes,
           fa.preferredShmemCarveout, fa.ptxVersion, fa.binaryVersion);
    cudaFuncGetAttributes(&fa, bounded);
    printf("bounded: maxThreads %d maxDynamic %d\n", fa.maxThreadsPerBlock,
           fa.maxDynamicSharedSizeBytes);
    cudaFuncGetAttributes(&fa, big_static);
    printf("big_static: shared %zu maxDynamic %d\n", fa.sharedSizeBytes,
           fa.maxDynamicSharedSizeBytes);
    int *a1, *a2;
    cudaMalloc(&a1, 1);
    cudaMalloc(&a2, 1);
    printf("alignment %d %d distance %lld\n", (int)((uintptr_t)a1 % 512),
           (int)((uintptr_t)a2 % 512), (long long)((char *)a2 - (char *)a1));
    return 0;
}

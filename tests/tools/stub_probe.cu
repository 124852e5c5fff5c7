// stub_probe.cu - what the runtime answers in corners, a line each: to be run
// natively on a GPU and through exec, and the two outputs compared.
//     nvcc -std=c++17 -arch=sm_90a stub_probe.cu -o probe && ./probe > gpu.txt
//     tilecopy-repl exec stub_probe.cu > ours.txt; diff gpu.txt ours.txt
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what, cudaError_t e) {
    cudaError_t last = cudaGetLastError();
    printf("%s: %s, last %s\n", what, cudaGetErrorName(e),
           cudaGetErrorName(last));
}
#define SAY(call)      say(#call, call)
#define SHOW(x)        printf("%s: %lld\n", #x, (long long)(x))
#define LAUNCHED(what) say(what, cudaPeekAtLastError())

__device__ int variable[16];
__global__ void nothing() {
}
__global__ void slow(int *p) {
    for (int i = 0; i < 20000; i++) {
        *p = *p * 3 + i;
    }
}
__global__ void __launch_bounds__(64) bounded(int *p) {
    *p = 1;
}
__global__ void __cluster_dims__(2, 1, 1) pairs(int *p) {
    *p = 1;
}
__global__ void with_static(int *p) {
    __shared__ int s[2000];
    extern __shared__ int more[];
    s[threadIdx.x] = 1;
    more[threadIdx.x] = 1;
    *p = s[threadIdx.x] + more[threadIdx.x];
}
__global__ void bad(int *p) {
    p[1L << 36] = 1;
}

static void allocations() {
    void *p = &p, *q = nullptr;
    size_t pitch = 7;
    int host;
    SAY(cudaMalloc(&p, 0));
    SHOW(p == nullptr);
    p = &p;
    SAY(cudaMallocAsync(&p, 0, 0));
    SHOW(p == nullptr);
    SAY(cudaMallocManaged(&p, 0));
    SAY(cudaMallocManaged(&p, 4, 0));
    SAY(cudaMallocManaged(&p, 4, cudaMemAttachSingle));
    p = &p;
    SAY(cudaMallocHost(&p, 0));
    SHOW(p == nullptr);
    SAY(cudaHostAlloc(&p, 4, 64));
    SAY(cudaMallocPitch(&p, &pitch, 0, 4));
    SHOW(pitch);
    SAY(cudaMalloc(&p, (size_t)1 << 50));
    SAY(cudaFreeAsync(nullptr, 0));
    SAY(cudaFreeHost(nullptr));
    SAY(cudaFree(&host));
    SAY(cudaFreeHost(&host));
    SAY(cudaMallocHost(&p, 64));
    SAY(cudaFree(p));
    SAY(cudaFreeHost(p));
    SAY(cudaFreeHost(p));
    SAY(cudaMalloc(&q, 64));
    SAY(cudaFreeHost(q));
    SAY(cudaFree((char *)q + 4));
    SAY(cudaFree(q));
    SAY(cudaFree(q));
    SAY(cudaMallocAsync(&q, 64, 0));
    SAY(cudaFree(q));
    SAY(cudaMalloc(&q, 64));
    SAY(cudaFreeAsync(q, 0));
    SAY(cudaHostGetDevicePointer(&p, &host, 0));
    SAY(cudaHostUnregister(&host));
    void *page = aligned_alloc(4096, 8192);
    SAY(cudaHostRegister(page, 8192, 0));
    SAY(cudaHostRegister(page, 8192, 0));
    SAY(cudaHostUnregister((char *)page + 8));
    SAY(cudaHostUnregister(page));
}

static void attributes(const char *what, const void *p) {
    cudaPointerAttributes a;
    cudaError_t e = cudaPointerGetAttributes(&a, p);
    printf("pointer %s: %s type %d device %d devicePointer %d host %d\n", what,
           cudaGetErrorName(e), a.type, a.device, a.devicePointer == p,
           a.hostPointer == p);
}

static void copies() {
    static char h[4096];
    char *d, *m, *pin;
    void *address;
    cudaMalloc(&d, 1024);
    cudaMallocManaged(&m, 1024);
    cudaMallocHost(&pin, 1024);
    SAY(cudaMemcpy(h, d, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(d, h, 4, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(h, h + 64, 4, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(h, h + 64, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(h, h + 64, 4, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy(d, d + 64, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(d, d + 64, 4, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(m, pin, 4, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy(m, pin, 4, cudaMemcpyHostToHost));
    SAY(cudaMemcpy(d, pin, 4, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(h, d, 4, (cudaMemcpyKind)7));
    SAY(cudaMemcpy(d, nullptr, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(nullptr, h, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(d, h, 4 << 20, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(d, 8, h, 8, 9, 2, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(d, 8, h, 8, 8, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemset(h, 0, 4));
    SAY(cudaMemset(d, 0, 4 << 20));
    SAY(cudaMemset(pin, 0, 4));
    SAY(cudaMemset2D(d, 4, 0, 8, 2));
    SAY(cudaMemcpyToSymbol(variable, h, 65));
    SAY(cudaMemcpyToSymbol(variable, h, 4, 0, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpyToSymbol(h, h, 4));
    SAY(cudaGetSymbolAddress(&address, variable));
    SAY(cudaMemPrefetchAsync(d, 4, {cudaMemLocationTypeDevice, 0}, 0, 0));
    SAY(cudaMemAdvise(m, 0, cudaMemAdviseSetReadMostly,
                      {cudaMemLocationTypeDevice, 0}));
    attributes("host", h);
    attributes("device", d + 4);
    attributes("managed", m);
    attributes("pinned", pin);
    attributes("symbol", address);
    cudaFree(d);
    attributes("freed", d);
}

static void launches() {
    int *d, n = 0;
    cudaMalloc(&d, 1024);
    nothing<<<1, 1025>>>();
    LAUNCHED("1025 threads");
    nothing<<<0, 1>>>();
    LAUNCHED("no blocks");
    nothing<<<1, 0>>>();
    LAUNCHED("no threads");
    nothing<<<1, 1, 49153>>>();
    LAUNCHED("shared 49153");
    bounded<<<1, 65>>>(d);
    LAUNCHED("past launch bounds");
    pairs<<<3, 1>>>(d);
    LAUNCHED("half a cluster");
    with_static<<<1, 1, 49152 - 8000 + 1>>>(d);
    LAUNCHED("static and dynamic past 48 KiB");
    cudaLaunchAttribute a[1];
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = 16;
    a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = 32;
    c.blockDim = 32;
    c.attrs = a;
    c.numAttrs = 1;
    SAY(cudaLaunchKernelEx(&c, bounded, d));
    SAY(cudaOccupancyMaxActiveClusters(&n, bounded, &c));
    SHOW(n);
    a[0].val.clusterDim.x = 4;
    SAY(cudaOccupancyMaxActiveClusters(&n, bounded, &c));
    SHOW(n);
    SAY(cudaOccupancyMaxPotentialClusterSize(&n, bounded, &c));
    SHOW(n);
    a[0].val.clusterDim.x = 0;
    SAY(cudaLaunchKernelEx(&c, bounded, d));
    c.numAttrs = 0;
    SAY(cudaLaunchKernelEx(&c, pairs, d));
    void *args[] = {&d};
    SAY(cudaLaunchCooperativeKernel(bounded, 100000, 32, args, 0, 0));
    SAY(cudaFuncSetAttribute(bounded,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    SAY(cudaFuncSetAttribute(
        with_static, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
    SAY(cudaFuncSetAttribute(
        bounded, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    cudaFuncAttributes f;
    SAY(cudaFuncGetAttributes(&f, pairs));
    SHOW(f.preferredShmemCarveout);
    SHOW(f.clusterDimMustBeSet);
    SHOW(f.requiredClusterWidth);
    SHOW(f.maxDynamicSharedSizeBytes);
    SHOW(f.constSizeBytes);
    SHOW(f.maxThreadsPerBlock);
    SAY(cudaFuncGetAttributes(&f, with_static));
    SHOW(f.maxDynamicSharedSizeBytes);
    size_t room;
    for (int k = 1; k <= 32; k *= 4) {
        SAY(cudaOccupancyAvailableDynamicSMemPerBlock(&room, with_static, k,
                                                      32));
        SHOW(room);
    }
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, bounded, 65, 0));
    SHOW(n);
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 2000, 0));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 32,
                                                      1 << 20));
    SHOW(n);
}

static void waiting() {
    cudaEvent_t a, b;
    cudaStream_t s;
    int *d, least, greatest;
    float ms = -1;
    size_t limit;
    cudaMalloc(&d, 4);
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    cudaStreamCreate(&s);
    SAY(cudaEventElapsedTime(&ms, a, b));
    SAY(cudaEventSynchronize(a));
    SAY(cudaEventQuery(a));
    SAY(cudaStreamWaitEvent(s, a));
    cudaEventRecord(a);
    slow<<<1, 1>>>(d);
    cudaEventRecord(b);
    SAY(cudaEventElapsedTime(&ms, a, b));
    SAY(cudaDeviceSynchronize());
    SAY(cudaEventElapsedTime(&ms, a, b));
    SAY(cudaStreamDestroy(0));
    SAY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    SHOW(least);
    SHOW(greatest);
    for (int l = 0; l <= 6; l++) {
        cudaError_t e = cudaDeviceGetLimit(&limit, (cudaLimit)l);
        printf("limit %d: %s %zu\n", l, cudaGetErrorName(e),
               e == cudaSuccess ? limit : 0);
    }
    cudaGetLastError();
    SAY(cudaSetDevice(99));
    int can = 7;
    SAY(cudaDeviceCanAccessPeer(&can, 0, 0));
    void *f;
    cudaDriverEntryPointQueryResult q;
    SAY(cudaGetDriverEntryPointByVersion("cuNone", &f, 12000, cudaEnableDefault,
                                         &q));
    SHOW(q);
    SAY(cudaGetDriverEntryPointByVersion("cuNone", &f, 12000,
                                         cudaEnableDefault));
}

static void after_a_fault() {
    int *d, n = 0;
    cudaMalloc(&d, 4);
    bad<<<1, 1>>>(d);
    LAUNCHED("a launch that will fault");
    cudaError_t e = cudaDeviceSynchronize();
    printf("synchronize: %s\n", cudaGetErrorName(e));
    printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("last again: %s\n", cudaGetErrorName(cudaGetLastError()));
    SAY(cudaMalloc(&d, 4));
    SAY(cudaGetDeviceCount(&n));
    SAY(cudaGetDevice(&n));
    SAY(cudaSetDevice(0));
    SAY(cudaFree(d));
    nothing<<<1, 1>>>();
    LAUNCHED("another launch");
    SAY(cudaDeviceReset());
    SAY(cudaMalloc(&d, 4));
    SAY(cudaDeviceSynchronize());
}

int main() {
    allocations();
    copies();
    launches();
    waiting();
    after_a_fault();
    return 0;
}

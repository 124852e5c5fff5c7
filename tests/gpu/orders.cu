// orders.cu - microbenchmark figures whose order tells one machine from
// another: prints "name value" a line. Values are cycles of one warp's clock64
// (c), or microseconds of a kernel between two events (us), the least of five,
// or of as many as the argument says. Build: nvcc -O2 -std=c++17 -arch=sm_90a
// -o orders orders.cu
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

#define CHECK(x)                                                               \
    do {                                                                       \
        cudaError_t e_ = (x);                                                  \
        if (e_ != cudaSuccess) {                                               \
            printf("error: %s at line %d\n", cudaGetErrorString(e_),           \
                   __LINE__);                                                  \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

__device__ __forceinline__ long long now() {
    long long c;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(c)::"memory");
    return c;
}
__device__ __forceinline__ uint32_t sa(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

static cudaEvent_t a, b;
static long long *out; // of kernels that time themselves
static float *in, *res;
enum { N = 1 << 22 };
static int times = 5; // the argument

template <class F> static void us(const char *name, F f) {
    float least = 1e30f;
    for (int i = 0; i < times; i++) {
        float ms;
        CHECK(cudaEventRecord(a));
        f();
        CHECK(cudaEventRecord(b));
        CHECK(cudaEventSynchronize(b));
        CHECK(cudaGetLastError());
        CHECK(cudaEventElapsedTime(&ms, a, b));
        least = ms < least ? ms : least;
    }
    printf("%s %.3f\n", name, least * 1000);
    fflush(stdout);
}
template <class F> static void c(const char *name, F f) {
    long long least = 1ll << 60, h;
    for (int i = 0; i < times; i++) {
        f();
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(&h, out, 8, cudaMemcpyDeviceToHost));
        least = h < least ? h : least;
    }
    printf("%s %lld\n", name, least);
    fflush(stdout);
}

// ---- global memory
__global__ void stride(float *o, const float *x, int s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float y = x[i * s % n];
    if (y == 12345) {
        o[0] = y;
    }
}
__global__ void stridew(float *o, int s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i * s % n] = 1;
}
__global__ void copy1(float *o, const float *x, int off) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i + off];
}
__global__ void copy4(float4 *o, const float4 *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = x[i];
}
template <int CG>
__global__ void chase(long long *o, const uint32_t *p, int n, int turns) {
    uint32_t j = 0;
    for (int i = 0; i < n; i++) { // warm
        j = CG ? __ldcg(p + j) : p[j];
    }
    long long t0 = now();
    for (int i = 0; i < turns; i++) {
        j = CG ? __ldcg(p + j) : p[j];
    }
    long long t1 = now();
    if (threadIdx.x == 0) {
        o[0] = (t1 - t0) / turns;
        o[1] = j;
    }
}
__global__ void ring(uint32_t *p, int n, int step) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        p[i] = (i + step) % n;
    }
}
__global__ void wipe(float *p, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        p[i] = 0;
    }
}
// ---- shared memory
__global__ void banks(long long *o, int s) {
    __shared__ uint32_t m[32 * 33];
    for (int i = threadIdx.x; i < 32 * 33; i += 32) {
        m[i] = 0;
    }
    __syncwarp();
    uint32_t j = threadIdx.x * s;
    long long t0 = now();
#pragma unroll 16
    for (int i = 0; i < 64; i++) {
        j += m[j];
    }
    long long t1 = now();
    if (threadIdx.x == 0) {
        o[0] = t1 - t0;
        o[1] = j;
    }
}
__global__ void dsmem(long long *o, int remote) {
#if __CUDA_ARCH__ >= 900
    __shared__ uint32_t m[64];
    auto cl = cg::this_cluster();
    m[threadIdx.x] = 0;
    cl.sync();
    uint32_t *p = remote ? cl.map_shared_rank(m, cl.block_rank() ^ 1) : m;
    uint32_t j = threadIdx.x;
    long long t0 = now();
    for (int i = 0; i < 32; i++) {
        j += ((volatile uint32_t *)p)[j];
    }
    long long t1 = now();
    cl.sync();
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        o[0] = (t1 - t0) / 32;
        o[1] = j;
    }
#endif
}
// ---- atomics
__global__ void atoms(int *p, int mask) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(p + (i & mask), 1);
}
__global__ void atomr(int *p, int mask) { // one a warp, no aggregation
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 == 0) {
        atomicExch(p + (i & mask), i);
    }
}
__global__ void atoms_shared(long long *o, int mask) {
    __shared__ int m[1024];
    m[threadIdx.x] = 0;
    __syncthreads();
    long long t0 = now();
    for (int i = 0; i < 16; i++) {
        atomicAdd(&m[threadIdx.x & mask], i);
    }
    __syncthreads();
    long long t1 = now();
    if (threadIdx.x == 0) {
        o[0] = t1 - t0;
        o[1] = m[0];
    }
}
// ---- arithmetic, branches, barriers
__global__ void diverge(long long *o, int ways) {
    float x = threadIdx.x;
    long long t0 = now();
    for (int w = 0; w < ways; w++) {
        if ((int)threadIdx.x % ways == w) {
            for (int i = 0; i < 64; i++) {
                asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
            }
        }
    }
    __syncwarp();
    long long t1 = now();
    if (threadIdx.x == 0) {
        o[0] = t1 - t0;
    }
    if (x == 12345) {
        o[1] = 1;
    }
}
#define OPS(name, T, text, cons)                                               \
    __global__ void name(long long *o) {                                       \
        T x = threadIdx.x + 1;                                                 \
        long long t0 = now();                                                  \
        _Pragma("unroll") for (int i = 0; i < 64;                              \
                               i++) asm volatile(text : "+" cons(x));          \
        long long t1 = now();                                                  \
        if (threadIdx.x == 0) {                                                \
            o[0] = t1 - t0;                                                    \
        }                                                                      \
        if (x == 12345) {                                                      \
            o[1] = 1;                                                          \
        }                                                                      \
    }
OPS(op_fma, float, "fma.rn.f32 %0, %0, %0, %0;", "f")
OPS(op_dfma, double, "fma.rn.f64 %0, %0, %0, %0;", "d")
OPS(op_ex2, float, "ex2.approx.ftz.f32 %0, %0;", "f")
OPS(op_sqrt, float, "sqrt.rn.f32 %0, %0;", "f")
OPS(op_div, float, "div.rn.f32 %0, %0, 0f40490fdb;", "f")
OPS(op_idiv, uint32_t, "div.u32 %0, %0, 7;", "r")
OPS(op_rem, uint32_t,
    "{.reg .u32 t; add.u32 t, %0, 3; rem.u32 %0, %0, t; add.u32 %0, %0, 99;}",
    "r")
OPS(op_ddiv, double, "div.rn.f64 %0, %0, 0d400921fb54442d18;", "d")
OPS(op_shfl, uint32_t, "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;", "r")
OPS(op_mad, uint32_t, "mad.lo.u32 %0, %0, %0, %0;", "r")
OPS(op_mul64, uint64_t, "mul.lo.u64 %0, %0, %0;", "l")
__global__ void bars(long long *o) {
    __syncthreads();
    long long t0 = now();
    for (int i = 0; i < 16; i++) {
        __syncthreads();
    }
    long long t1 = now();
    if (threadIdx.x == 0) {
        o[0] = t1 - t0;
    }
}
__global__ void fences(long long *o, int which, int *p) {
    long long t0 = now();
    for (int i = 0; i < 8; i++) {
        p[threadIdx.x + 32 * i] = i;
        if (which == 0) {
            __threadfence_block();
        } else if (which == 1) {
            __threadfence();
        }
    }
    long long t1 = now();
    if (threadIdx.x == 0) {
        o[0] = t1 - t0;
    }
}
__constant__ int table[1024];
__global__ void consts(long long *o, int s) {
    int j = threadIdx.x * s;
    for (int i = 0; i < 4; i++) {
        j += table[j & 1023];
    }
    long long t0 = now();
    for (int i = 0; i < 16; i++) {
        j += table[j & 1023];
    }
    long long t1 = now();
    if (threadIdx.x == 0) {
        o[0] = t1 - t0;
        o[1] = j;
    }
}
// ---- hiding latency: the same work a thread, more warps or CTAs a SM
__global__ void hide(float *o, const float *x, int turns) {
    extern __shared__ float dyn[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < turns; k++) {
        s += x[(i + (int)s + k * gridDim.x * blockDim.x) % N];
    }
    if (s == 12345) {
        o[0] = s;
    }
}
template <int MIN>
__global__ void __launch_bounds__(256, MIN) regs(float *o, const float *x) {
    float v[24];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < 4; k++) {
#pragma unroll
        for (int j = 0; j < 24; j++) {
            v[j] = x[(i + j * 131072 + k * 1310720) % N];
        }
#pragma unroll
        for (int j = 0; j < 24; j++) {
            s = s * v[j] + v[(j * 5) % 24];
        }
    }
    if (s == 12345) {
        o[0] = s;
    }
}
// ---- tiles: load, then compute on it; stages of cp.async
template <int STAGES>
__global__ void tiles(float *o, const float4 *x, int n, int work) {
    extern __shared__ float4 buf[];
    int t = threadIdx.x, w = blockDim.x;
    const float4 *p = x + (size_t)blockIdx.x * n * w;
    float s = 0;
    for (int k = 0; k < STAGES - 1; k++) {
        if (k < n) {
            __pipeline_memcpy_async(&buf[k * w + t], &p[k * w + t], 16);
        }
        __pipeline_commit();
    }
    for (int k = 0; k < n; k++) {
        int next = k + STAGES - 1;
        if (next < n) {
            __pipeline_memcpy_async(&buf[next % STAGES * w + t],
                                    &p[next * w + t], 16);
        }
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
        float4 v = buf[k % STAGES * w + (t ^ 1)];
        for (int i = 0; i < work; i++) {
            s = s * v.x + v.y;
        }
        __syncthreads();
    }
    if (s == 12345) {
        o[0] = s;
    }
}
__global__ void tiles_sync(float *o, const float4 *x, int n, int work) {
    extern __shared__ float4 buf[];
    int t = threadIdx.x, w = blockDim.x;
    const float4 *p = x + (size_t)blockIdx.x * n * w;
    float s = 0;
    for (int k = 0; k < n; k++) {
        buf[t] = p[k * w + t];
        __syncthreads();
        float4 v = buf[t ^ 1];
        for (int i = 0; i < work; i++) {
            s = s * v.x + v.y;
        }
        __syncthreads();
    }
    if (s == 12345) {
        o[0] = s;
    }
}
// one tile of `bytes` into shared memory, three ways
__global__ void tile_in(long long *o, const char *x, int bytes, int how) {
    extern __shared__ __align__(128) char sm[];
#if __CUDA_ARCH__ >= 900
    __shared__ __align__(8) uint64_t bar;
#endif
    int t = threadIdx.x;
#if __CUDA_ARCH__ >= 900
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sa(&bar)));
        asm volatile("fence.proxy.async;");
    }
#endif
    __syncthreads();
    x += (size_t)blockIdx.x * bytes;
    long long t0 = now();
    if (how == 0) {
        for (int i = t * 16; i < bytes; i += blockDim.x * 16) {
            *(float4 *)(sm + i) = *(const float4 *)(x + i);
        }
    } else if (how == 1) {
        for (int i = t * 16; i < bytes; i += blockDim.x * 16) {
            __pipeline_memcpy_async(sm + i, x + i, 16);
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
    } else {
#if __CUDA_ARCH__ >= 900
        if (t == 0) {
            asm volatile(
                "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                    sa(&bar)),
                "r"(bytes));
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::"
                "complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(sa(sm)),
                "l"(x), "r"(bytes), "r"(sa(&bar))
                : "memory");
        }
        asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared::cta."
                     "b64 p, [%0], 0; @!p bra W;}" ::"r"(sa(&bar))
                     : "memory");
#endif
    }
    __syncthreads();
    long long t1 = now();
    if (t == 0 && blockIdx.x == 0) {
        o[0] = t1 - t0;
        o[1] = sm[5];
    }
}
__global__ void timers(long long *o) {
    long long g0, g1, t0 = now();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g0)::"memory");
    for (int i = 0; i < 20; i++) {
        __nanosleep(10000);
    }
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g1)::"memory");
    long long t1 = now();
    o[0] = t1 - t0;
    o[1] = g1 - g0;
}
__global__ void nothing() {
}

static void flush() {
    static float *big;
    if (!big) {
        CHECK(cudaMalloc(&big, 160 << 20));
    }
    wipe<<<264, 1024>>>(big, 40 << 20);
}

int main(int argc, char **argv) {
    int v, cluster;
    times = argc > 1 ? atoi(argv[1]) : times;
    CHECK(cudaMalloc(&out, 64));
    CHECK(cudaMalloc(&in, (N + 64) * 4));
    CHECK(cudaMalloc(&res, (N + 64) * 4));
    CHECK(cudaMemset(in, 0, (N + 64) * 4));
    CHECK(cudaMemset(res, 0, (N + 64) * 4));
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    CHECK(
        cudaDeviceGetAttribute(&cluster, cudaDevAttrComputeCapabilityMajor, 0));
    char name[64];
    for (int s : {1, 2, 4, 8, 16}) {
        sprintf(name, "us.load.stride%d", s);
        us(name, [&] { stride<<<1024, 256>>>(res, in, s, N); });
    }
    for (int s : {1, 2, 8, 16}) {
        sprintf(name, "us.store.stride%d", s);
        us(name, [&] { stridew<<<1024, 256>>>(res, s, N); });
    }
    us("us.copy.aligned", [&] { copy1<<<4096, 256>>>(res, in, 0); });
    us("us.copy.off1", [&] { copy1<<<4096, 256>>>(res, in, 1); });
    us("us.copy.float4",
       [&] { copy4<<<1024, 256>>>((float4 *)res, (const float4 *)in); });
    uint32_t *p = (uint32_t *)in;
    ring<<<1, 1024>>>(p, 1024, 32);
    c("c.chase.l1", [&] { chase<0><<<1, 1>>>(out, p, 64, 256); });
    c("c.chase.l2", [&] { chase<1><<<1, 1>>>(out, p, 64, 256); });
    ring<<<1, 1024>>>(p, 1 << 20, 32);
    c("c.chase.dram", [&] {
        flush();
        chase<1><<<1, 1>>>(out, p, 0, 256);
    });
    CHECK(cudaMemset(in, 0, (N + 64) * 4));
    for (int s : {0, 1, 2, 4, 8, 16, 32, 33}) {
        sprintf(name, "c.banks.stride%d", s);
        c(name, [&] { banks<<<1, 32>>>(out, s); });
    }
    if (cluster >= 9) {
        for (int r : {0, 1}) {
            sprintf(name, "c.dsmem.%s", r ? "remote" : "local");
            c(name, [&] {
                cudaLaunchConfig_t l = {dim3(2), dim3(32), 0, 0, 0, 0};
                cudaLaunchAttribute at;
                at.id = cudaLaunchAttributeClusterDimension;
                at.val.clusterDim.x = 2;
                at.val.clusterDim.y = at.val.clusterDim.z = 1;
                l.attrs = &at;
                l.numAttrs = 1;
                CHECK(cudaLaunchKernelEx(&l, dsmem, out, r));
            });
        }
    }
    int *ip = (int *)res;
    us("us.atom.one", [&] { atomr<<<512, 256>>>(ip, 0); });
    us("us.atom.spread", [&] { atomr<<<512, 256>>>(ip, (1 << 20) - 1); });
    us("us.add.one", [&] { atoms<<<512, 256>>>(ip, 0); });
    us("us.add.32", [&] { atoms<<<512, 256>>>(ip, 31); });
    us("us.add.spread", [&] { atoms<<<512, 256>>>(ip, (1 << 20) - 1); });
    for (int m : {0, 31, 1023}) {
        sprintf(name, "c.add.shared.mask%d", m);
        c(name, [&] { atoms_shared<<<1, 256>>>(out, m); });
    }
    for (int w : {1, 2, 4, 8, 32}) {
        sprintf(name, "c.diverge.%d", w);
        c(name, [&] { diverge<<<1, 32>>>(out, w); });
    }
#define OP(n) c("c." #n, [&] { n<<<1, 32>>>(out); })
    OP(op_fma), OP(op_mad), OP(op_dfma), OP(op_ex2), OP(op_shfl), OP(op_mul64);
    OP(op_div), OP(op_sqrt), OP(op_idiv), OP(op_rem), OP(op_ddiv);
    for (int n : {32, 128, 512, 1024}) {
        sprintf(name, "c.bar.%d", n);
        c(name, [&] { bars<<<1, n>>>(out); });
    }
    for (int w : {2, 0, 1}) {
        sprintf(name, "c.fence.%s", w == 2 ? "none" : w ? "gpu" : "cta");
        c(name, [&] { fences<<<1, 32>>>(out, w, ip); });
    }
    c("c.const.same", [&] { consts<<<1, 32>>>(out, 0); });
    c("c.const.each", [&] { consts<<<1, 32>>>(out, 1); });
    CHECK(cudaFuncSetAttribute(
        hide, cudaFuncAttributeMaxDynamicSharedMemorySize, 120000));
    for (int k : {120000, 72000, 36000, 18000, 0}) { // CTAs a SM: 1, 2-3, ...
        sprintf(name, "us.hide.smem%d", k);
        us(name, [&] { hide<<<1056, 128, k>>>(res, in, 16); });
    }
    us("us.regs.min1", [&] { regs<1><<<132 * 3, 256>>>(res, in); });
    us("us.regs.min8", [&] { regs<8><<<132 * 3, 256>>>(res, in); });
    for (int w : {0, 64, 512}) {
        sprintf(name, "us.tiles.work%d.sync", w);
        us(name,
           [&] { tiles_sync<<<132, 128, 2048>>>(res, (float4 *)in, 32, w); });
#define TILES(S)                                                               \
    sprintf(name, "us.tiles.work%d.stages" #S, w);                             \
    us(name,                                                                   \
       [&] { tiles<S><<<132, 128, S * 2048>>>(res, (float4 *)in, 32, w); });
        TILES(1) TILES(2) TILES(3) TILES(4) TILES(8) TILES(16)
    }
    CHECK(cudaFuncSetAttribute(
        tile_in, cudaFuncAttributeMaxDynamicSharedMemorySize, 120000));
    for (int k : {512, 8192, 65536}) {
        int ctas = (1 << 24) / k < 2048 ? (1 << 24) / k : 2048;
        for (int h = 0; h < (cluster >= 9 ? 3 : 2); h++) {
            const char *how[] = {"ldst", "cpasync", "bulk"};
            sprintf(name, "c.tile%d.%s", k, how[h]);
            c(name, [&] { tile_in<<<1, 128, k>>>(out, (char *)in, k, h); });
            sprintf(name, "us.tile%d.%s", k, how[h]);
            us(name, [&] { tile_in<<<ctas, 128, k>>>(out, (char *)in, k, h); });
        }
    }
    const char *waves[] = {"", "full", "one_more", "double"};
    CHECK(cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0));
    for (int g : {1, 2, 3}) {
        int ctas = g == 1 ? v : g == 2 ? v + 1 : 2 * v;
        sprintf(name, "us.wave.%s", waves[g]);
        us(name, [&] { hide<<<ctas, 128, 120000>>>(res, in, 16); });
    }
    us("us.empty.1", [&] { nothing<<<1, 32>>>(); });
    us("us.empty.1000", [&] { nothing<<<1000, 32>>>(); });
    us("us.empty.100000", [&] { nothing<<<100000, 32>>>(); });
    c("c.timers.clock", [&] { timers<<<1, 1>>>(out); });
    long long h[2];
    CHECK(cudaMemcpy(h, out, 16, cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceGetAttribute(&v, cudaDevAttrClockRate, 0));
    printf("c.timers.globaltimer %lld\nkhz %d\n", h[1], v);
}

// micro.cu - latencies and throughputs of one GPU, as src/sim/timing/units.def and
// arch.def cite them. Prints one JSON object a line.
// Build: nvcc -O2 -arch=sm_90a -o micro tests/gpu/micro.cu; run on the GPU.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>

#define CHECK(x)                                                               \
    do {                                                                       \
        cudaError_t e_ = (x);                                                  \
        if (e_ != cudaSuccess) {                                               \
            printf("{\"error\":\"%s\",\"at\":%d}\n", cudaGetErrorString(e_),   \
                   __LINE__);                                                  \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

__device__ __forceinline__ uint32_t now() {
    uint32_t c;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
    return c;
}
__device__ __forceinline__ uint32_t sa(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

// ---- dependent chains: out[0] = cycles per op x 256 / 256
#define CHAIN(name, decl, init, ins, ...)                                      \
    __global__ void name(uint32_t *out, uint32_t seed) {                       \
        decl x = init;                                                         \
        uint32_t t0 = 0, t1 = 0;                                               \
        for (int rep = 0; rep < 3; rep++) {                                    \
            t0 = now();                                                        \
            _Pragma("unroll") for (int i = 0; i < 256; i++)                    \
                asm volatile(ins : "+" __VA_ARGS__);                           \
            t1 = now();                                                        \
        }                                                                      \
        if (threadIdx.x == 0) {                                                \
            out[0] = t1 - t0;                                                  \
        }                                                                      \
        if (x == (decl)12345) {                                                \
            out[1] = 1;                                                        \
        }                                                                      \
    }
CHAIN(c_add, uint32_t, seed, "add.s32 %0, %0, %0;", "r"(x))
CHAIN(c_mad, uint32_t, seed, "mad.lo.s32 %0, %0, %0, %0;", "r"(x))
CHAIN(c_lop, uint32_t, seed, "xor.b32 %0, %0, 7;", "r"(x))
CHAIN(c_shf, uint32_t, seed, "shf.l.wrap.b32 %0, %0, %0, 3;", "r"(x))
CHAIN(c_fma, float, seed, "fma.rn.f32 %0, %0, %0, %0;", "f"(x))
CHAIN(c_fadd, float, seed, "add.f32 %0, %0, %0;", "f"(x))
CHAIN(c_max, float, seed, "max.f32 %0, %0, 0f3F800000;", "f"(x))
CHAIN(c_dfma, double, seed, "fma.rn.f64 %0, %0, %0, %0;", "d"(x))
CHAIN(c_ex2, float, seed, "ex2.approx.ftz.f32 %0, %0;", "f"(x))
CHAIN(c_rcp, float, seed, "rcp.approx.ftz.f32 %0, %0;", "f"(x))
CHAIN(c_popc, uint32_t, seed, "popc.b32 %0, %0;", "r"(x))
CHAIN(c_add64, uint64_t, seed, "add.s64 %0, %0, %0;", "l"(x))
CHAIN(c_shfl, uint32_t, seed, "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;", "r"(x))
CHAIN(c_cvt, float, seed, "cvt.rni.f32.f32 %0, %0;", "f"(x))

// ---- independent streams: 8 chains a thread, all warps of one SM
#define STREAM(name, decl, ins, con)                                           \
    __global__ void name(uint32_t *out, uint32_t seed) {                       \
        decl x[8];                                                             \
        for (int k = 0; k < 8; k++) {                                          \
            x[k] = (decl)(seed + k);                                           \
        }                                                                      \
        uint32_t t0 = 0, t1 = 0;                                               \
        for (int rep = 0; rep < 2; rep++) {                                    \
            __syncthreads();                                                   \
            t0 = now();                                                        \
            for (int i = 0; i < 64; i++) {                                     \
                _Pragma("unroll") for (int k = 0; k < 8; k++)                  \
                    asm volatile(ins : "+" con(x[k]));                         \
            }                                                                  \
            __syncthreads();                                                   \
            t1 = now();                                                        \
        }                                                                      \
        decl s = 0;                                                            \
        for (int k = 0; k < 8; k++) {                                          \
            s += x[k];                                                         \
        }                                                                      \
        if (threadIdx.x == 0) {                                                \
            out[0] = t1 - t0;                                                  \
        }                                                                      \
        if (s == (decl)12345) {                                                \
            out[1] = 1;                                                        \
        }                                                                      \
    }
STREAM(s_add, uint32_t, "add.s32 %0, %0, %0;", "r")
STREAM(s_mad, uint32_t, "mad.lo.s32 %0, %0, %0, %0;", "r")
STREAM(s_lop, uint32_t, "xor.b32 %0, %0, 7;", "r")
STREAM(s_fma, float, "fma.rn.f32 %0, %0, %0, %0;", "f")
STREAM(s_dfma, double, "fma.rn.f64 %0, %0, %0, %0;", "d")
STREAM(s_ex2, float, "ex2.approx.ftz.f32 %0, %0;", "f")
STREAM(s_popc, uint32_t, "popc.b32 %0, %0;", "r")
STREAM(s_shfl, uint32_t, "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;", "r")

// ---- memory latency: pointer chase
__global__ void chase_shared(uint32_t *out) {
    __shared__ uint32_t s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        s[i] = sa(&s[(i + 33) % 1024]);
    }
    __syncthreads();
    uint32_t p = sa(&s[0]), t0 = now();
    for (int i = 0; i < 256; i++) {
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");
    }
    uint32_t t1 = now();
    out[0] = t1 - t0;
    out[1] = p;
}
// mode 0: .ca, 1: .cg
__global__ void chase_global(uint64_t *p0, uint32_t *out, int n, int mode) {
    uint64_t p = (uint64_t)p0;
    uint32_t t0 = now();
    if (mode == 0) {
        for (int i = 0; i < n; i++) {
            asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory");
        }
    } else {
        for (int i = 0; i < n; i++) {
            asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
        }
    }
    uint32_t t1 = now();
    out[0] = t1 - t0;
    out[1] = (uint32_t)p;
}
// ---- shared: one warp, stride in words: conflicts
__global__ void conflicts(uint32_t *out, int stride) {
    __shared__ uint32_t s[32 * 33 + 32];
    for (int i = threadIdx.x; i < 32 * 33; i += 32) {
        s[i] = 0;
    }
    __syncwarp();
    uint32_t a = sa(&s[(threadIdx.x * stride) % 1056]), x = 0;
    uint32_t t0 = now();
    for (int i = 0; i < 64; i++) {
        asm volatile("{.reg .u32 t; ld.shared.u32 t, [%1]; add.u32 %0, %0, t;"
                     " add.u32 %1, %1, t;}"
                     : "+r"(x), "+r"(a)::"memory");
    }
    uint32_t t1 = now();
    if (threadIdx.x == 0) {
        out[0] = t1 - t0;
    }
    out[1] = x;
}
// all warps load conflict-free: bandwidth
__global__ void shared_bw(uint32_t *out, int bytes) {
    __shared__ __align__(16) uint32_t s[4096];
    uint32_t a = sa(&s[threadIdx.x * (bytes / 4) % 4096]), x = 0;
    __syncthreads();
    uint32_t t0 = now();
    for (int i = 0; i < 64; i++) {
        if (bytes == 4) {
            uint32_t t;
            asm volatile("ld.shared.u32 %0, [%1];" : "=r"(t) : "r"(a));
            x += t;
        } else {
            uint32_t t, u, v, w;
            asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                         : "=r"(t), "=r"(u), "=r"(v), "=r"(w)
                         : "r"(a));
            x += t + u + v + w;
        }
    }
    __syncthreads();
    uint32_t t1 = now();
    if (threadIdx.x == 0) {
        out[0] = t1 - t0;
    }
    if (x == 12345) {
        out[1] = x;
    }
}
__global__ void barrier_lat(uint32_t *out) {
    __syncthreads();
    uint32_t t0 = now();
    for (int i = 0; i < 64; i++) {
        asm volatile("bar.sync 0;" ::: "memory");
    }
    uint32_t t1 = now();
    if (threadIdx.x == 0) {
        out[0] = t1 - t0;
    }
}
__global__ void warpsync_lat(uint32_t *out) {
    uint32_t t0 = now();
    for (int i = 0; i < 64; i++) {
        asm volatile("bar.warp.sync -1;" ::: "memory");
    }
    uint32_t t1 = now();
    out[0] = t1 - t0;
}
// cp.async: n copies a thread, commit, wait: cycles of issue and of all
template <int SIZE, bool CG>
__global__ void cpasync(uint32_t *out, const char *g, int n) {
    extern __shared__ __align__(128) char s[];
    for (int rep = 0; rep < 2; rep++) {
        __syncthreads();
        const char *src = g + (size_t)rep * 0 + threadIdx.x * SIZE;
        uint32_t d = sa(s) + threadIdx.x * SIZE;
        uint32_t t0 = now();
        for (int i = 0; i < n; i++) {
            if (CG) {
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                                 d + i * SIZE * blockDim.x),
                             "l"(src + (size_t)i * SIZE * blockDim.x)
                             : "memory");
            } else {
                asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                                 d + i * SIZE * blockDim.x),
                             "l"(src + (size_t)i * SIZE * blockDim.x),
                             "n"(SIZE)
                             : "memory");
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        uint32_t t1 = now();
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        uint32_t t2 = now();
        if (threadIdx.x == 0) {
            out[rep * 2] = t1 - t0;
            out[rep * 2 + 1] = t2 - t0;
        }
    }
}
__device__ void wait_parity(uint32_t b, uint32_t parity) {
    asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p,"
                 " [%0], %1; @p bra D; bra W; D:}" ::"r"(b),
                 "r"(parity)
                 : "memory");
}
__global__ void mbar_lat(uint32_t *out) {
    __shared__ __align__(8) uint64_t bar;
    uint32_t b = sa(&bar);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
    uint32_t t0 = now();
    for (int i = 0; i < 64; i++) {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b)
                     : "memory");
        asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared::cta."
                     "b64 p, [%0], %1; @p bra D; bra W; D:}" ::"r"(b),
                     "r"(i & 1)
                     : "memory");
    }
    uint32_t t1 = now();
    out[0] = t1 - t0;
}
__global__ void bulk_lat(uint32_t *out, const char *g, uint32_t bytes) {
    extern __shared__ __align__(128) char s[];
    __shared__ __align__(8) uint64_t bar;
    uint32_t b = sa(&bar), d = sa(s);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
    asm volatile("fence.mbarrier_init.release.cluster;");
    for (int rep = 0; rep < 4; rep++) {
        uint32_t t0 = now();
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::
                         "r"(b),
                     "r"(bytes)
                     : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_"
                     "tx::bytes [%0], [%1], %2, [%3];" ::"r"(d),
                     "l"(g), "r"(bytes), "r"(b)
                     : "memory");
        uint32_t t1 = now();
        wait_parity(b, rep & 1);
        uint32_t t2 = now();
        out[rep * 2] = t1 - t0;
        out[rep * 2 + 1] = t2 - t0;
    }
}
__global__ void bulk_store(uint32_t *out, char *g, uint32_t bytes) {
    extern __shared__ __align__(128) char s[];
    uint32_t d = sa(s);
    for (int rep = 0; rep < 2; rep++) {
        uint32_t t0 = now();
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], "
                     "%2;" ::"l"(g),
                     "r"(d), "r"(bytes)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        uint32_t t1 = now();
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        uint32_t t2 = now();
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        uint32_t t3 = now();
        out[rep * 3] = t1 - t0;
        out[rep * 3 + 1] = t2 - t0;
        out[rep * 3 + 2] = t3 - t0;
    }
}
__global__ void __cluster_dims__(2, 1, 1) cluster_lat(uint32_t *out) {
    __shared__ uint32_t s[64];
    s[threadIdx.x] = 0;
    uint32_t rank, remote, x = 0;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(remote)
                 : "r"(sa(&s[threadIdx.x])), "r"(rank ^ 1));
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait."
                 "aligned;" ::: "memory");
    uint32_t t0 = now();
    for (int i = 0; i < 64; i++) {
        asm volatile("{.reg .u32 t; ld.shared::cluster.u32 t, [%0]; add.u32 "
                     "%0, %0, t; add.u32 %1, %1, t;}"
                     : "+r"(remote), "+r"(x)::"memory");
    }
    uint32_t t1 = now();
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait."
                 "aligned;" ::: "memory");
    uint32_t t2 = now();
    for (int i = 0; i < 16; i++) {
        asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait."
                     "aligned;" ::: "memory");
    }
    uint32_t t3 = now();
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        out[0] = t1 - t0;
        out[1] = t3 - t2;
        out[2] = x;
    }
}
__global__ void atom_lat(uint32_t *out, uint32_t *g) {
    __shared__ uint32_t s;
    s = 0;
    uint32_t v = 0, t0 = now();
    for (int i = 0; i < 64; i++) {
        asm volatile("atom.shared.add.u32 %0, [%1], %0;"
                     : "+r"(v)
                     : "r"(sa(&s))
                     : "memory");
    }
    uint32_t t1 = now();
    for (int i = 0; i < 64; i++) {
        asm volatile("atom.global.add.u32 %0, [%1], %0;"
                     : "+r"(v)
                     : "l"(g)
                     : "memory");
    }
    uint32_t t2 = now();
    out[0] = t1 - t0;
    out[1] = t2 - t1;
    out[2] = v;
}
__global__ void copy_bw(const float4 *a, float4 *b, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (; i < n; i += (size_t)gridDim.x * blockDim.x) {
        b[i] = a[i];
    }
}
__global__ void read_l2(const float4 *a, float *out, size_t n, int reps) {
    float s = 0;
    for (int r = 0; r < reps; r++) {
        for (size_t i = threadIdx.x + blockIdx.x * blockDim.x; i < n;
             i += (size_t)blockDim.x * gridDim.x) {
            float4 v;
            asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];"
                         : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                         : "l"(a + i));
            s += v.x + v.y + v.z + v.w;
        }
    }
    if (s == 12345.f) {
        out[0] = s;
    }
}
__global__ void read_l1(const float4 *a, uint32_t *out, int per, int reps) {
    float s = 0;
    uint32_t t0 = 0, t1 = 0;
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        t0 = now();
        for (int r = 0; r < reps; r++) {
            for (int i = 0; i < per; i++) {
                float4 v;
                asm volatile("ld.global.ca.v4.f32 {%0,%1,%2,%3}, [%4];"
                             : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                             : "l"(a + i * blockDim.x + threadIdx.x));
                s += v.x + v.y + v.z + v.w;
            }
        }
        __syncthreads();
        t1 = now();
    }
    if (threadIdx.x == 0) {
        out[0] = t1 - t0;
    }
    if (s == 12345.f) {
        out[1] = 1;
    }
}

static uint32_t *out;
static void row(const char *name, double v) {
    printf("{\"name\":\"%s\",\"value\":%.3f}\n", name, v);
}
#define CH(k, n) k<<<1, 32>>>(out, 3); CHECK(cudaDeviceSynchronize()); row("latency " n, out[0] / 256.0);
#define ST(k, n) k<<<1, 1024>>>(out, 3); CHECK(cudaDeviceSynchronize()); row("cycles a warp-op and scheduler " n, out[0] / (64.0 * 8 * 8));

static uint64_t *make_chase(size_t bytes, size_t stride) {
    uint64_t *g;
    size_t n = bytes / stride, w = stride / 8;
    CHECK(cudaMalloc(&g, bytes));
    uint64_t *h = (uint64_t *)calloc(1, bytes);
    for (size_t i = 0; i < n; i++) { // a permutation cycle: i -> i + odd
        size_t next = (i + (n / 2 | 1)) % n;
        h[i * w] = (uint64_t)(g + next * w);
    }
    CHECK(cudaMemcpy(g, h, bytes, cudaMemcpyHostToDevice));
    free(h);
    return g;
}

int main() {
    CHECK(cudaMallocManaged(&out, 4096));
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    int khz = 0, mkhz = 0;
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    cudaDeviceGetAttribute(&mkhz, cudaDevAttrMemoryClockRate, 0);
    printf("{\"name\":\"device\",\"text\":\"%s\",\"sms\":%d,\"l2\":%d,\"clock_"
           "khz\":%d,\"mem_khz\":%d,\"bus\":%d}\n",
           p.name, p.multiProcessorCount, p.l2CacheSize, khz, mkhz,
           p.memoryBusWidth);
    CH(c_add, "add.s32") CH(c_mad, "mad.lo.s32") CH(c_lop, "xor.b32")
    CH(c_shf, "shf") CH(c_fma, "fma.f32") CH(c_fadd, "add.f32") CH(c_max, "max.f32")
    CH(c_dfma, "fma.f64") CH(c_ex2, "ex2.approx") CH(c_rcp, "rcp.approx")
    CH(c_popc, "popc") CH(c_add64, "add.s64") CH(c_shfl, "shfl") CH(c_cvt, "cvt.rni.f32")
    ST(s_add, "add.s32") ST(s_mad, "mad.lo.s32") ST(s_lop, "xor.b32") ST(s_fma, "fma.f32")
    ST(s_dfma, "fma.f64") ST(s_ex2, "ex2.approx") ST(s_popc, "popc") ST(s_shfl, "shfl")
    chase_shared<<<1, 1>>>(out); CHECK(cudaDeviceSynchronize());
    row("latency ld.shared", out[0] / 256.0);
    {
        uint64_t *g = make_chase(16 << 10, 128);
        for (int k = 0; k < 2; k++) chase_global<<<1, 1>>>(g, out, 512, 0);
        CHECK(cudaDeviceSynchronize()); row("latency ld.global.ca L1 hit", out[0] / 512.0);
        for (int k = 0; k < 2; k++) chase_global<<<1, 1>>>(g, out, 512, 1);
        CHECK(cudaDeviceSynchronize()); row("latency ld.global.cg L2 hit 16 KiB", out[0] / 512.0);
        g = make_chase(8 << 20, 4096);
        for (int k = 0; k < 2; k++) chase_global<<<1, 1>>>(g, out, 2048, 1);
        CHECK(cudaDeviceSynchronize()); row("latency ld.global.cg L2 hit 8 MiB", out[0] / 2048.0);
        g = make_chase((size_t)1 << 30, 1 << 16);
        char *flush; CHECK(cudaMalloc(&flush, 512 << 20)); CHECK(cudaMemset(flush, 1, 512 << 20));
        chase_global<<<1, 1>>>(g, out, 8192, 1);
        CHECK(cudaDeviceSynchronize()); row("latency ld.global DRAM", out[0] / 8192.0);
        cudaFree(flush);
    }
    int strides[] = {1, 2, 4, 8, 16, 32, 33, 0};
    for (int s : strides) {
        char n[64]; sprintf(n, "latency ld.shared+2 adds stride %d words", s);
        conflicts<<<1, 32>>>(out, s); CHECK(cudaDeviceSynchronize()); row(n, out[0] / 64.0);
    }
    shared_bw<<<1, 1024>>>(out, 4); CHECK(cudaDeviceSynchronize());
    row("bytes a cycle ld.shared.u32", 1024.0 * 4 * 64 / out[0]);
    shared_bw<<<1, 1024>>>(out, 16); CHECK(cudaDeviceSynchronize());
    row("bytes a cycle ld.shared.v4", 1024.0 * 16 * 64 / out[0]);
    for (int t = 32; t <= 1024; t *= 2) {
        char n[64]; sprintf(n, "bar.sync of %d threads", t);
        barrier_lat<<<1, t>>>(out); CHECK(cudaDeviceSynchronize()); row(n, out[0] / 64.0);
    }
    warpsync_lat<<<1, 32>>>(out); CHECK(cudaDeviceSynchronize()); row("bar.warp.sync", out[0] / 64.0);
    char *g; CHECK(cudaMalloc(&g, 64 << 20));
    int counts[] = {1, 4, 16};
    for (int c : counts) for (int t = 32; t <= 512; t *= 4) {
        char n[96];
        if (c * t * 16 > 200 * 1024) continue;
#define CP(S, C, what) \
        CHECK(cudaFuncSetAttribute(cpasync<S, C>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024)); \
        CHECK(cudaMemset(g, 0, 64 << 20)); \
        cpasync<S, C><<<1, t, c * t * S>>>(out, g, c); CHECK(cudaDeviceSynchronize()); \
        sprintf(n, "cp.async." what " x%d of %d threads, issue, first", c, t); row(n, out[0]); \
        sprintf(n, "cp.async." what " x%d of %d threads, complete, first", c, t); row(n, out[1]); \
        sprintf(n, "cp.async." what " x%d of %d threads, issue, again", c, t); row(n, out[2]); \
        sprintf(n, "cp.async." what " x%d of %d threads, complete, again", c, t); row(n, out[3]);
        CP(16, true, "cg 16") CP(16, false, "ca 16") CP(4, false, "ca 4")
    }
    mbar_lat<<<1, 1>>>(out); CHECK(cudaDeviceSynchronize()); row("mbarrier arrive + try_wait", out[0] / 64.0);
    CHECK(cudaFuncSetAttribute(bulk_lat, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    CHECK(cudaFuncSetAttribute(bulk_store, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    for (uint32_t b = 16; b <= 131072; b *= 8) {
        char n[96];
        CHECK(cudaMemset(g, 0, 64 << 20));
        bulk_lat<<<1, 1, b>>>(out, g, b); CHECK(cudaDeviceSynchronize());
        sprintf(n, "cp.async.bulk %u B, issue", b); row(n, out[6]);
        sprintf(n, "cp.async.bulk %u B, complete, first", b); row(n, out[1]);
        sprintf(n, "cp.async.bulk %u B, complete, again", b); row(n, out[7]);
        bulk_store<<<1, 1, b>>>(out, g, b); CHECK(cudaDeviceSynchronize());
        sprintf(n, "cp.async.bulk store %u B, issue", b); row(n, out[3]);
        sprintf(n, "cp.async.bulk store %u B, read", b); row(n, out[4]);
        sprintf(n, "cp.async.bulk store %u B, complete", b); row(n, out[5]);
    }
    cluster_lat<<<2, 32>>>(out); CHECK(cudaDeviceSynchronize());
    row("latency ld.shared::cluster + 2 adds", out[0] / 64.0); row("barrier.cluster arrive + wait", out[1] / 16.0);
    atom_lat<<<1, 1>>>(out, (uint32_t *)g); CHECK(cudaDeviceSynchronize());
    row("latency atom.shared.add", out[0] / 64.0); row("latency atom.global.add", out[1] / 64.0);
    cudaEvent_t e0, e1; cudaEventCreate(&e0); cudaEventCreate(&e1);
    float ms;
    float4 *a, *b; size_t n = (size_t)1 << 26; CHECK(cudaMalloc(&a, n * 16)); CHECK(cudaMalloc(&b, n * 16));
    for (int k = 0; k < 3; k++) { cudaEventRecord(e0); copy_bw<<<132 * 16, 512>>>(a, b, n); cudaEventRecord(e1); CHECK(cudaDeviceSynchronize()); }
    cudaEventElapsedTime(&ms, e0, e1); row("DRAM copy GB/s", 2.0 * n * 16 / ms / 1e6);
    for (int k = 0; k < 3; k++) { cudaEventRecord(e0); read_l2<<<132 * 2, 1024>>>(a, (float *)out, (16 << 20) / 16, 50); cudaEventRecord(e1); CHECK(cudaDeviceSynchronize()); }
    cudaEventElapsedTime(&ms, e0, e1); row("L2 read GB/s 16 MiB", 50.0 * (16 << 20) / ms / 1e6);
    for (int k = 0; k < 2; k++) read_l1<<<1, 1024>>>(a, out, 4, 16);
    CHECK(cudaDeviceSynchronize()); row("bytes a cycle and SM L1 hit", 1024.0 * 16 * 4 * 16 / out[0]);
    CHECK(cudaFuncSetAttribute(read_l2, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    for (int k = 0; k < 2; k++) { cudaEventRecord(e0); read_l2<<<1, 1024>>>(a, (float *)out, (1 << 20) / 16, 50); cudaEventRecord(e1); CHECK(cudaDeviceSynchronize()); }
    cudaEventElapsedTime(&ms, e0, e1); row("L2 read GB/s one SM 1 MiB", 50.0 * (1 << 20) / ms / 1e6);
    return 0;
}

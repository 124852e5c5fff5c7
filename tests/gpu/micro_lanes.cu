// micro_lanes.cu - what one GPU takes for the instructions in which the lanes
// of a warp meet (votes, reductions, matches, shuffles), and for controls, as
// src/sim's cost rows cite them. Prints rows in the form of micro.cu's.
// Most ops twice: a chain in which every op needs the result of the one before
// ("latency"), and 32 warps of an SM with eight chains a thread ("cycles a
// warp-op and scheduler"). Where a row's name has a +, both ops are in the
// chain.
// Build: nvcc -O2 -arch=sm_90a -o micro tests/gpu/micro_lanes.cu
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CHECK(x)                                                               \
    do {                                                                       \
        cudaError_t e_ = (x);                                                  \
        if (e_ != cudaSuccess) {                                               \
            printf("{\"error\":\"%s\",\"at\":%d}\n", cudaGetErrorString(e_),   \
                   __LINE__);                                                  \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

enum { CHAIN = 256, TURNS = 16, STREAMS = 8 };

__device__ __forceinline__ uint32_t now() {
    uint32_t c;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
    return c;
}

// What the host passes, so that ptxas cannot compute with it: x of lane i is
// first + spread * i, or spread << i where shift is set; mask is -1.
struct args {
    uint32_t first, spread, shift, y, z, u, v, mask;
};

__device__ __forceinline__ uint32_t start(args a) {
    uint32_t i = threadIdx.x % 32;
    return a.first + (a.shift ? a.spread << i : a.spread * i);
}

// %0 is the chain's value; %1 to %5: y, z, u, v, mask; %6: the lane. vp is a
// predicate of the whole kernel, true where x is first.
#define ONE(x, ins)                                                            \
    asm volatile("{.reg .pred p, q; .reg .b64 d; .reg .b32 t;\n\t" ins "}"     \
                 : "+r"(x)                                                     \
                 : "r"(a.y), "r"(a.z), "r"(a.u), "r"(a.v), "r"(a.mask),        \
                   "r"(lane)                                                   \
                 : "memory")

#define KERNELS(id, ins)                                                       \
    __global__ void chain_##id(uint32_t *out, args a) {                        \
        uint32_t x = start(a), t0 = 0, t1 = 0, lane = threadIdx.x % 32;        \
        asm volatile(".reg .pred vp;\n\tsetp.eq.u32 vp, %0, %1;" ::"r"(x),     \
                     "r"(a.first));                                            \
        for (int rep = 0; rep < 3; rep++) {                                    \
            t0 = now();                                                        \
            _Pragma("unroll") for (int i = 0; i < CHAIN; i++) {                \
                ONE(x, ins);                                                   \
            }                                                                  \
            t1 = now();                                                        \
        }                                                                      \
        asm volatile("@vp add.u32 %0, %0, 1;" : "+r"(x));                      \
        if (lane == 0) {                                                       \
            out[0] = t1 - t0;                                                  \
        }                                                                      \
        out[32 + lane] = x;                                                    \
    }                                                                          \
    __global__ void stream_##id(uint32_t *out, args a) {                       \
        uint32_t x[STREAMS], s = 0, t0 = 0, t1 = 0, lane = threadIdx.x % 32;   \
        asm volatile(".reg .pred vp;\n\tsetp.eq.u32 vp, %0, %1;" ::"r"(        \
                         start(a)),                                            \
                     "r"(a.first));                                            \
        _Pragma("unroll") for (int k = 0; k < STREAMS; k++) {                  \
            x[k] = start(a) << (a.shift ? 0 : k * a.spread);                   \
        }                                                                      \
        for (int rep = 0; rep < 2; rep++) {                                    \
            __syncthreads();                                                   \
            t0 = now();                                                        \
            for (int i = 0; i < TURNS; i++) {                                  \
                _Pragma("unroll") for (int k = 0; k < 4 * STREAMS; k++) {      \
                    ONE(x[k % STREAMS], ins);                                  \
                }                                                              \
            }                                                                  \
            __syncthreads();                                                   \
            t1 = now();                                                        \
        }                                                                      \
        for (int k = 0; k < STREAMS; k++) {                                    \
            s += x[k];                                                         \
        }                                                                      \
        asm volatile("@vp add.u32 %0, %0, 1;" : "+r"(s));                      \
        if (threadIdx.x == 0) {                                                \
            out[0] = t1 - t0;                                                  \
        }                                                                      \
        out[32 + lane] = s;                                                    \
    }

// ---- controls
KERNELS(prmt, "prmt.b32 %0, %0, %1, %2;")
KERNELS(lop3, "lop3.b32 %0, %0, %1, %2, 0x6a; lop3.b32 %0, %0, %3, %4, 0x6a;")
KERNELS(setp_selp, "setp.ne.u32 p, %0, %1; selp.b32 %0, %2, %3, p;")
KERNELS(setp_setp, "setp.ne.xor.u32 vp, %6, %1, vp;")
// ---- votes: of a predicate; the same with a mask that only the host knows
KERNELS(any, "vote.sync.any.pred vp, !vp, -1;")
KERNELS(all, "vote.sync.all.pred vp, !vp, -1;")
KERNELS(uni, "vote.sync.uni.pred p, vp, -1; setp.eq.xor.u32 vp, %6, %1, p;")
KERNELS(any_mask, "vote.sync.any.pred vp, !vp, %5;")
KERNELS(ballot, "setp.ne.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1;")
KERNELS(ballot_mask, "setp.ne.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, %5;")
// ---- reductions
KERNELS(redux_add, "redux.sync.add.s32 %0, %0, -1;")
KERNELS(redux_add_u, "redux.sync.add.u32 %0, %0, -1;")
KERNELS(redux_min, "redux.sync.min.s32 %0, %0, -1;")
KERNELS(redux_min_u, "redux.sync.min.u32 %0, %0, -1;")
KERNELS(redux_max, "redux.sync.max.s32 %0, %0, -1;")
KERNELS(redux_and, "redux.sync.and.b32 %0, %0, -1;")
KERNELS(redux_or, "redux.sync.or.b32 %0, %0, -1;")
KERNELS(redux_xor, "redux.sync.xor.b32 %0, %0, -1;")
KERNELS(redux_add_lane, "redux.sync.add.s32 %0, %0, -1; add.s32 %0, %0, %6;")
KERNELS(redux_mask, "redux.sync.add.s32 %0, %0, %5;")
// ---- matches
KERNELS(match_any, "match.any.sync.b32 %0, %0, -1;")
KERNELS(match_any64, "mov.b64 d, {%0, %0}; match.any.sync.b64 %0, d, -1;")
KERNELS(match_all, "match.all.sync.b32 %0|vp, %0, -1;")
KERNELS(match_all64, "mov.b64 d, {%0, %0}; match.all.sync.b64 %0|vp, d, -1;")
// ---- shuffles and movmatrix
KERNELS(shfl_idx, "shfl.sync.idx.b32 %0, %0, %0, 31, -1;")
KERNELS(shfl_up, "shfl.sync.up.b32 %0, %0, 1, 0, -1;")
KERNELS(shfl_down, "shfl.sync.down.b32 %0, %0, 1, 31, -1;")
KERNELS(shfl_bfly, "shfl.sync.bfly.b32 %0, %0, %0, 31, -1;")
KERNELS(shfl_p, "shfl.sync.idx.b32 %0|vp, %0, %0, 31, -1;")
KERNELS(shfl_mask, "shfl.sync.idx.b32 %0, %0, %0, 31, %5;")
KERNELS(movmatrix, "movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;")
// ---- the warp's barrier
KERNELS(warpsync, "bar.warp.sync -1;")
KERNELS(warpsync_mask, "bar.warp.sync %5;")

// ---- what takes no operand of which one could make a chain: one between two
// readings of the clock, the second behind an add that needs its result
#define ONCE(id, ins)                                                          \
    __global__ void once_##id(uint32_t *out, args a) {                         \
        uint32_t x = start(a), t0 = 0, t1 = 0, lane = threadIdx.x % 32;        \
        _Pragma("unroll 1") for (int rep = 0; rep < 4; rep++) {                \
            __syncthreads();                                                   \
            t0 = now();                                                        \
            ONE(x, "mov.b32 t, %6;" ins "add.u32 %0, %0, t;");                 \
            t1 = now();                                                        \
        }                                                                      \
        if (lane == 0) {                                                       \
            out[0] = t1 - t0;                                                  \
        }                                                                      \
        out[32 + lane] = x;                                                    \
    }
ONCE(none, "")
ONCE(elect, "elect.sync t|p, -1;")
ONCE(activemask, "activemask.b32 t;")
ONCE(ballot, "setp.ne.u32 p, %0, %1; vote.sync.ballot.b32 t, p, -1;")

static uint32_t *out;

static void row(const char *what, const char *name, double v) {
    printf("{\"name\":\"%s %s\",\"value\":%.3f}\n", what, name, v);
}

typedef void (*kernel)(uint32_t *, args);

// distinct: each lane has its own value (a bit of its own, so that matches
// keep them apart); else all have the same one.
static void measure(kernel chain, kernel stream, const char *name,
                    bool distinct) {
    args a = {1, distinct, distinct, 0x3210, 0x2103, 5, 6, 0xffffffffu};
    a.first = distinct ? 0 : 1;
    chain<<<1, 32>>>(out, a);
    CHECK(cudaDeviceSynchronize());
    row("latency", name, out[0] / (double)CHAIN);
    stream<<<1, 1024>>>(out, a);
    CHECK(cudaDeviceSynchronize());
    row("cycles a warp-op and scheduler", name,
        out[0] / (TURNS * 4.0 * STREAMS * 8));
}
static void measure_once(kernel once, const char *name) {
    args a = {1, 0, 0, 0x3210, 0x2103, 5, 6, 0xffffffffu};
    once<<<1, 32>>>(out, a);
    CHECK(cudaDeviceSynchronize());
    row("between two clocks", name, out[0]);
}
#define O(id, name) measure_once(once_##id, name)
#define M(id, name) measure(chain_##id, stream_##id, name, false)
#define D(id, name) measure(chain_##id, stream_##id, name, true)

int main() {
    CHECK(cudaMallocManaged(&out, 4096));
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    printf("{\"name\":\"device\",\"text\":\"%s\",\"sms\":%d}\n", p.name,
           p.multiProcessorCount);
    M(prmt, "prmt");
    M(lop3, "lop3 + lop3");
    M(setp_selp, "setp + selp");
    M(setp_setp, "setp of a predicate");
    M(any, "vote.sync.any");
    M(all, "vote.sync.all");
    M(uni, "vote.sync.uni + setp");
    M(any_mask, "vote.sync.any, mask in a register");
    M(ballot, "setp + vote.sync.ballot");
    M(ballot_mask, "setp + vote.sync.ballot, mask in a register");
    M(redux_add, "redux.sync.add.s32");
    M(redux_add_u, "redux.sync.add.u32");
    M(redux_min, "redux.sync.min.s32");
    M(redux_min_u, "redux.sync.min.u32");
    M(redux_max, "redux.sync.max.s32");
    M(redux_and, "redux.sync.and.b32");
    M(redux_or, "redux.sync.or.b32");
    M(redux_xor, "redux.sync.xor.b32");
    D(redux_add_lane, "redux.sync.add.s32 + add of distinct values");
    M(redux_mask, "redux.sync.add.s32, mask in a register");
    M(match_any, "match.any.sync.b32 of one value");
    D(match_any, "match.any.sync.b32 of 32 values");
    M(match_any64, "mov + match.any.sync.b64 of one value");
    D(match_any64, "mov + match.any.sync.b64 of 32 values");
    M(match_all, "match.all.sync.b32 of one value");
    D(match_all, "match.all.sync.b32 of 32 values");
    M(match_all64, "mov + match.all.sync.b64 of one value");
    O(none, "add");
    O(elect, "elect.sync + add");
    O(activemask, "activemask + add");
    O(ballot, "setp + vote.sync.ballot + add");
    D(shfl_idx, "shfl.sync.idx");
    D(shfl_up, "shfl.sync.up");
    D(shfl_down, "shfl.sync.down");
    D(shfl_bfly, "shfl.sync.bfly");
    D(shfl_p, "shfl.sync.idx with a predicate");
    D(shfl_mask, "shfl.sync.idx, mask in a register");
    D(movmatrix, "movmatrix");
    M(warpsync, "bar.warp.sync");
    M(warpsync_mask, "bar.warp.sync, mask in a register");
    return 0;
}

// ops.cu - one instruction at a time: how long until its result can be used, and
// how often a scheduler can begin one. n: rounds of 32 instructions.
#include "stamps.cuh"

// A chain: each waits for the one before. One warp.
#define CHAIN(name, type, start, text, con)                                    \
    KERNEL latency_##name(type *out, int n, STAMPS) {                          \
        type x = start;                                                        \
        BEGIN;                                                                 \
        _Pragma("unroll 1") for (int i = 0; i < n; ++i) {                      \
            _Pragma("unroll") for (int k = 0; k < 32; ++k) {                   \
                asm volatile(text : "+" con(x));                               \
            }                                                                  \
        }                                                                      \
        END;                                                                   \
        out[threadIdx.x] = x;                                                  \
    }
// Eight chains a thread, 32 warps: as often as the units allow.
#define STREAM(name, type, start, text, con)                                   \
    KERNEL rate_##name(type *out, int n, STAMPS) {                             \
        type x[8];                                                             \
        for (int k = 0; k < 8; ++k) {                                          \
            x[k] = start;                                                      \
        }                                                                      \
        BEGIN;                                                                 \
        _Pragma("unroll 1") for (int i = 0; i < n; ++i) {                      \
            _Pragma("unroll") for (int k = 0; k < 32; ++k) {                   \
                asm volatile(text : "+" con(x[k % 8]));                        \
            }                                                                  \
        }                                                                      \
        END;                                                                   \
        type s = x[0];                                                         \
        for (int k = 1; k < 8; ++k) {                                          \
            s += x[k];                                                         \
        }                                                                      \
        out[threadIdx.x] = s;                                                  \
    }
#define OP(name, type, start, text, con)                                       \
    CHAIN(name, type, start, text, con)                                        \
    STREAM(name, type, start, text, con)

#define SEED (threadIdx.x * 5 + n)
#define FSEED (1.0f + threadIdx.x * 0.125f + n)
OP(imad, unsigned, SEED, "mad.lo.u32 %0, %0, %0, %0;", "r")
OP(lop3, unsigned, SEED, "lop3.b32 %0, %0, 0x5a5a5a5a, %0, 0x96;", "r")
OP(shift, unsigned, SEED, "shf.l.wrap.b32 %0, %0, %0, 3;", "r")
OP(prmt, unsigned, SEED, "prmt.b32 %0, %0, %0, 0x2103;", "r")
OP(popc, unsigned, SEED, "popc.b32 %0, %0;", "r")
OP(fadd, float, FSEED, "add.f32 %0, %0, 0f3FC00000;", "f")
OP(fma, float, FSEED, "fma.rn.f32 %0, %0, 0f3F000000, %0;", "f")
OP(fmnmx, float, FSEED, "max.f32 %0, %0, 0f3F800000;", "f")
OP(dadd, double, (double)FSEED, "add.f64 %0, %0, %0;", "d")
OP(dfma, double, (double)FSEED, "fma.rn.f64 %0, %0, %0, %0;", "d")
OP(hfma2, unsigned, SEED, "fma.rn.f16x2 %0, %0, %0, %0;", "r")
OP(ex2, float, FSEED, "ex2.approx.ftz.f32 %0, %0;", "f")
OP(rsqrt, float, FSEED, "rsqrt.approx.ftz.f32 %0, %0;", "f")
OP(sin, float, FSEED, "sin.approx.ftz.f32 %0, %0;", "f")
OP(i2f, float, FSEED,
   "{.reg .s32 t; mov.b32 t, %0; cvt.rn.f32.s32 %0, t;}", "f")
OP(f2i, unsigned, SEED,
   "{.reg .f32 t; mov.b32 t, %0; cvt.rni.s32.f32 %0, t;}", "r")
OP(shfl, unsigned, SEED, "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;", "r")
OP(redux, unsigned, SEED, "redux.sync.add.u32 %0, %0, -1;", "r")
OP(vote, unsigned, SEED,
   "{.reg .pred p; setp.ne.u32 p, %0, 7; vote.sync.ballot.b32 %0, p, -1;}", "r")
OP(select, unsigned, SEED,
   "{.reg .pred p; setp.lt.u32 p, %0, 9; selp.b32 %0, 5, 11, p;}", "r")

KERNEL latency_mma(unsigned *out, int n, STAMPS) {
    float d[4] = {0, 0, 0, 0};
    unsigned a = threadIdx.x, b = threadIdx.x;
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
#pragma unroll
        for (int k = 0; k < 32; ++k) {
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                         "{%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, "
                         "{%0,%1,%2,%3};"
                         : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                         : "r"(a), "r"(b));
        }
    }
    END;
    out[threadIdx.x] = (unsigned)d[0];
}

KERNEL rate_mma(unsigned *out, int n, STAMPS) {
    float d[4][4] = {};
    unsigned a = threadIdx.x, b = threadIdx.x;
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
#pragma unroll
        for (int k = 0; k < 32; ++k) {
            float *e = d[k % 4];
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                         "{%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, "
                         "{%0,%1,%2,%3};"
                         : "+f"(e[0]), "+f"(e[1]), "+f"(e[2]), "+f"(e[3])
                         : "r"(a), "r"(b));
        }
    }
    END;
    out[threadIdx.x] = (unsigned)(d[0][0] + d[1][0] + d[2][0] + d[3][0]);
}

// Lanes that part for `ways` arms of a few instructions each.
KERNEL branch_ways(unsigned *out, int ways, int n, STAMPS) {
    unsigned x = threadIdx.x;
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        unsigned arm = threadIdx.x & (ways - 1);
        for (int k = 0; k < ways; ++k) {
            if (arm == k) {
                asm volatile("{.reg .pred p; mad.lo.u32 %0, %0, %0, 3;"
                             "mad.lo.u32 %0, %0, %0, 5;}"
                             : "+r"(x));
            }
        }
    }
    END;
    out[threadIdx.x] = x;
}

// stamps: nanoseconds and cycles of a wait of so many cycles.
KERNEL clock_rate(unsigned cycles, STAMPS) {
    ull t0, t1, begin = tick();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0)::"memory");
    while (tick() - begin < cycles) {
    }
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1)::"memory");
    ull end = tick();
    if (threadIdx.x == 0) {
        stamps[0] = t1 - t0;
        stamps[1] = end - begin;
    }
}

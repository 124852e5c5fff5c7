// pipelines.cu - tiles that arrive while others are worked on: loads, cp.async
// in 1 to 4 stages, rings of bulk copies, producers and consumers; V5 and V6.
#include <cuda_pipeline.h>
#include "../../../src/calibrate/kernels/stamps.cuh"

enum { TILE = 1024 }; // floats a tile; 256 threads, 16 bytes each

__device__ __forceinline__ float work(float v, int rounds) {
    for (int k = 0; k < rounds; ++k) {
        v = v * 0.75f + 0.5f;
    }
    return v;
}

__device__ __forceinline__ void use(const float *s, float *out, int rounds) {
    int t = threadIdx.x;
    for (int k = 0; k < 4; ++k) {
        out[t + 256 * k] = work(s[(t + 256 * k + 1) % TILE], rounds);
    }
}

// No copy under way while there is work: load, store, barrier.
KERNEL tiles_plain(const float *in, float *out, int tiles, int rounds,
                   STAMPS) {
    __shared__ alignas(16) float s[TILE];
    BEGIN;
    int t = threadIdx.x, base = blockIdx.x * tiles * TILE;
    for (int i = 0; i < tiles; ++i) {
        *(float4 *)&s[t * 4] = *(const float4 *)&in[base + i * TILE + t * 4];
        __syncthreads();
        use(s, out + base + i * TILE, rounds);
        __syncthreads();
    }
    END;
}

template <int STAGES, int BYTES>
__device__ void staged(const float *in, float *out, int tiles, int rounds) {
    __shared__ alignas(16) float s[STAGES][TILE];
    int t = threadIdx.x, base = blockIdx.x * tiles * TILE;
    auto fetch = [&](int i) {
        if (i < tiles) {
            for (int k = 0; k < 16 / BYTES; ++k) {
                int at = (t + 256 * k) * BYTES / 4;
                __pipeline_memcpy_async(&s[i % STAGES][at],
                                        &in[base + i * TILE + at], BYTES);
            }
        }
        __pipeline_commit();
    };
    for (int i = 0; i < STAGES - 1; ++i) {
        fetch(i);
    }
    for (int i = 0; i < tiles; ++i) {
        fetch(i + STAGES - 1);
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
        use(s[i % STAGES], out + base + i * TILE, rounds);
        __syncthreads();
    }
}
#define STAGED(stages, bytes)                                                  \
    KERNEL tiles_##stages##_of_##bytes(const float *in, float *out, int tiles, \
                                       int rounds, STAMPS) {                   \
        BEGIN;                                                                 \
        staged<stages, bytes>(in, out, tiles, rounds);                         \
        END;                                                                   \
    }
STAGED(1, 16)
STAGED(2, 16)
STAGED(3, 16)
STAGED(4, 16)
STAGED(1, 4)
STAGED(2, 4)
STAGED(2, 8)

__device__ __forceinline__ void wait_parity(uint64_t *bar, int parity) {
    asm volatile("{\n.reg .pred p;\nW%=:\n"
                 "mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
                 "@!p bra W%=;\n}" ::"r"(shared_at(bar)),
                 "r"(parity)
                 : "memory");
}

__device__ __forceinline__ void bulk_in(void *to, const void *from, int bytes,
                                        uint64_t *bar) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(
                     shared_at(bar)),
                 "r"(bytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1], %2, [%3];" ::"r"(shared_at(to)),
        "l"(from), "r"(bytes), "r"(shared_at(bar))
        : "memory");
}

template <int STAGES>
__device__ void ring(const float *in, float *out, int tiles, int rounds) {
    __shared__ alignas(128) float s[STAGES][TILE];
    __shared__ alignas(8) uint64_t full[STAGES];
    int t = threadIdx.x, base = blockIdx.x * tiles * TILE;
    if (t == 0) {
        for (int b = 0; b < STAGES; ++b) {
            asm volatile(
                "mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_at(&full[b])));
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    for (int i = 0; t == 0 && i < STAGES && i < tiles; ++i) {
        bulk_in(s[i], in + base + i * TILE, TILE * 4, &full[i]);
    }
    for (int i = 0; i < tiles; ++i) {
        int b = i % STAGES;
        wait_parity(&full[b], i / STAGES % 2);
        use(s[b], out + base + i * TILE, rounds);
        __syncthreads();
        if (t == 0 && i + STAGES < tiles) {
            bulk_in(s[b], in + base + (i + STAGES) * TILE, TILE * 4, &full[b]);
        }
    }
}
#define RING(stages)                                                           \
    KERNEL ring_##stages(const float *in, float *out, int tiles, int rounds,   \
                         STAMPS) {                                             \
        BEGIN;                                                                 \
        ring<stages>(in, out, tiles, rounds);                                  \
        END;                                                                   \
    }
RING(1)
RING(2)
RING(4)

// Warps 0 to 3 fill two buffers in turn, warps 4 to 7 empty them.
KERNEL halves(const float *in, float *out, int tiles, STAMPS) {
    __shared__ float s[2][128];
    BEGIN;
    bool produces = threadIdx.x < 128;
    int t = threadIdx.x % 128, base = blockIdx.x * tiles * 128;
    for (int i = 0; i < tiles; ++i) {
        int b = i % 2;
        if (produces) {
            if (i >= 2) {
                asm volatile("bar.sync %0, 256;" ::"r"(3 + b) : "memory");
            }
            s[b][t] = in[base + i * 128 + t] * 2;
            asm volatile("bar.arrive %0, 256;" ::"r"(1 + b) : "memory");
        } else {
            asm volatile("bar.sync %0, 256;" ::"r"(1 + b) : "memory");
            out[base + i * 128 + t] = s[b][127 - t] + 1;
            if (i + 2 < tiles) {
                asm volatile("bar.arrive %0, 256;" ::"r"(3 + b) : "memory");
            }
        }
    }
    END;
}

// Tiles that go in by one bulk copy and out by another.
KERNEL bulk_copy(const float *in, float *out, int tiles, STAMPS) {
    __shared__ alignas(128) float s[4 * TILE];
    __shared__ alignas(8) uint64_t full;
    BEGIN;
    int t = threadIdx.x;
    if (t == 0) {
        asm volatile(
            "mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_at(&full)));
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    for (int i = 0; i < tiles; ++i) {
        int at = (blockIdx.x * tiles + i) * 4 * TILE;
        if (t == 0) {
            bulk_in(s, in + at, 16 * TILE, &full);
        }
        wait_parity(&full, i % 2);
        if (t == 0) {
            asm volatile(
                "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::
                    "l"(out + at),
                "r"(shared_at(s)), "r"(16 * TILE)
                : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        }
        __syncthreads();
    }
    END;
}

// A pair of CTAs: each sums its own values, then reads the other's sums.
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_exchange(const float *in, float *out, int rounds, STAMPS) {
    __shared__ float s[256];
    BEGIN;
    int t = threadIdx.x;
    uint32_t rank, other;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(other)
                 : "r"(shared_at(&s[t])), "r"(rank ^ 1));
    float v = in[blockIdx.x * 256 + t];
    for (int k = 0; k < rounds; ++k) {
        s[t] = v;
        asm volatile("barrier.cluster.arrive.release;\n"
                     "barrier.cluster.wait.acquire;" ::
                         : "memory");
        float u;
        asm volatile("ld.shared::cluster.f32 %0, [%1];"
                     : "=f"(u)
                     : "r"(other)
                     : "memory");
        v = 0.5f * (v + u);
        asm volatile("barrier.cluster.arrive.release;\n"
                     "barrier.cluster.wait.acquire;" ::
                         : "memory");
    }
    out[blockIdx.x * 256 + t] = v;
    END;
}

KERNEL saxpy_v5(int n, float alpha, const float4 *__restrict__ x,
                float4 *__restrict__ y, STAMPS) {
    BEGIN;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float4 vx = x[i];
        const float4 vy = y[i];
        y[i] = make_float4(alpha * vx.x + vy.x, alpha * vx.y + vy.y,
                           alpha * vx.z + vy.z, alpha * vx.w + vy.w);
    }
    END;
}

extern "C" __global__ void __launch_bounds__(256, 4)
    saxpy_v6(int n, float alpha, const float4 *__restrict__ x,
             float4 *__restrict__ y, STAMPS) {
    constexpr int BLOCK = 256, STEP = 3, WIDE = BLOCK * STEP;
    __shared__ float4 sx[2][WIDE];
    __shared__ float4 sy[2][WIDE];
    BEGIN;
    const int tid = threadIdx.x, grid_tile = gridDim.x * WIDE;
    float4 *my_sx = &sx[0][tid], *my_sy = &sy[0][tid];
    int base = blockIdx.x * WIDE;
    for (int s = 0; s < STEP; ++s) {
        const int gi = base + s * BLOCK + tid;
        if (gi < n) {
            __pipeline_memcpy_async(my_sx + s * BLOCK, &x[gi], sizeof(float4));
            __pipeline_memcpy_async(my_sy + s * BLOCK, &y[gi], sizeof(float4));
        }
    }
    __pipeline_commit();
    int cur = 0;
#pragma unroll 2
    for (; base < n; base += grid_tile) {
        const int next = cur ^ 1, next_base = base + grid_tile;
        for (int s = 0; s < STEP; ++s) {
            const int gi = next_base + s * BLOCK + tid;
            if (gi < n) {
                __pipeline_memcpy_async(my_sx + next * WIDE + s * BLOCK, &x[gi],
                                        sizeof(float4));
                __pipeline_memcpy_async(my_sy + next * WIDE + s * BLOCK, &y[gi],
                                        sizeof(float4));
            }
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        for (int s = 0; s < STEP; ++s) {
            const int gi = base + s * BLOCK + tid;
            if (gi < n) {
                const float4 vx = my_sx[cur * WIDE + s * BLOCK];
                const float4 vy = my_sy[cur * WIDE + s * BLOCK];
                y[gi] = {alpha * vx.x + vy.x, alpha * vx.y + vy.y,
                         alpha * vx.z + vy.z, alpha * vx.w + vy.w};
            }
        }
        cur = next;
    }
    END;
}

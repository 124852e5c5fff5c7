// async.cu - mbarriers, bulk copies, clusters: what sm_90 brought. n: how often.
#include "stamps.cuh"

#define ROUNDS _Pragma("unroll 1") for (int i = 0; i < n; ++i)

extern __shared__ __align__(128) char s[];

__device__ __forceinline__ void init(uint64_t *bar, int count) {
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(
                         shared_at(bar)),
                     "r"(count)
                     : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
}
__device__ __forceinline__ void wait_parity(uint64_t *bar, int parity) {
    asm volatile("{\n.reg .pred p;\nW%=:\n"
                 "mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
                 "@!p bra W%=;\n}" ::"r"(shared_at(bar)),
                 "r"(parity)
                 : "memory");
}

// All arrive and all wait: a phase an i.
KERNEL mbarrier_phase(unsigned *out, int n, STAMPS) {
    __shared__ alignas(8) uint64_t bar;
    init(&bar, blockDim.x);
    BEGIN;
    ROUNDS {
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(
                         shared_at(&bar))
                     : "memory");
        wait_parity(&bar, i & 1);
    }
    END;
    out[threadIdx.x] = n;
}
// Arrivals alone: the phase never ends.
KERNEL mbarrier_arrive(unsigned *out, int n, STAMPS) {
    __shared__ alignas(8) uint64_t bar;
    init(&bar, 1 << 19);
    BEGIN;
    ROUNDS {
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(
                         shared_at(&bar))
                     : "memory");
    }
    END;
    out[threadIdx.x] = n;
}
// A phase that has ended: asking alone.
KERNEL mbarrier_try_wait(unsigned *out, int n, STAMPS) {
    __shared__ alignas(8) uint64_t bar;
    init(&bar, blockDim.x);
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_at(&bar))
                 : "memory");
    __syncthreads();
    BEGIN;
    ROUNDS {
        wait_parity(&bar, 0);
    }
    END;
    out[threadIdx.x] = n;
}

// One bulk copy of `bytes` after the other, each waited for.
KERNEL bulk_load(const char *in, int bytes, int way, int n, STAMPS) {
    __shared__ alignas(8) uint64_t bar;
    init(&bar, 1);
    BEGIN;
    ROUNDS {
        if (threadIdx.x == 0) {
            asm volatile(
                "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(
                    shared_at(&bar)),
                "r"(bytes)
                : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::"
                         "complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                             shared_at(s)),
                         "l"(in + (size_t)(i & (way - 1)) * bytes), "r"(bytes),
                         "r"(shared_at(&bar))
                         : "memory");
        }
        wait_parity(&bar, i & 1);
    }
    END;
}
template <bool READ> __device__ void store(char *out, int bytes, int n) {
    ROUNDS {
        asm volatile(
            "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                out),
            "r"(shared_at(s)), "r"(bytes)
            : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        if (READ) {
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        } else {
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        }
    }
}
KERNEL bulk_store(char *out, int bytes, int n, STAMPS) {
    BEGIN;
    if (threadIdx.x == 0) {
        store<false>(out, bytes, n);
    }
    END;
}
KERNEL bulk_store_read(char *out, int bytes, int n, STAMPS) {
    BEGIN;
    if (threadIdx.x == 0) {
        store<true>(out, bytes, n);
    }
    END;
}

// --- a cluster of two
#define PAIR extern "C" __global__ void __cluster_dims__(2, 1, 1)
__device__ __forceinline__ uint32_t other_cta(const void *p) {
    uint32_t rank, at;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(at)
                 : "r"(shared_at(p)), "r"(rank ^ 1));
    return at;
}
__device__ __forceinline__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release;\n"
                 "barrier.cluster.wait.acquire;" ::
                     : "memory");
}
PAIR cluster_barrier(unsigned *out, int n, STAMPS) {
    BEGIN;
    ROUNDS {
        cluster_sync();
    }
    END;
    out[threadIdx.x] = n;
}
PAIR dsmem_chase(unsigned *out, int n, STAMPS) {
    __shared__ unsigned s[64];
    if (threadIdx.x < 64) {
        s[threadIdx.x] = 0;
    }
    cluster_sync();
    unsigned at = other_cta(&s[threadIdx.x % 32]), x = 0;
    BEGIN;
    ROUNDS {
        asm volatile("ld.shared::cluster.u32 %0, [%1];"
                     : "=r"(x)
                     : "r"(at + x)
                     : "memory");
    }
    END;
    cluster_sync();
    out[threadIdx.x] = x;
}
PAIR dsmem_copy(unsigned *out, int bytes, int n, STAMPS) {
    __shared__ alignas(8) uint64_t bar;
    init(&bar, 1);
    cluster_sync();
    unsigned to = other_cta(s), at = other_cta(&bar);
    BEGIN;
    ROUNDS {
        if (threadIdx.x == 0) {
            asm volatile(
                "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(
                    shared_at(&bar)),
                "r"(bytes)
                : "memory");
        }
        cluster_sync();
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::"
                         "complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                         "r"(shared_at(s)), "r"(bytes), "r"(at)
                         : "memory");
        }
        wait_parity(&bar, i & 1);
    }
    END;
    cluster_sync();
    out[threadIdx.x] = n;
}

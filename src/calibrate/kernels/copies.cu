// copies.cu - cp.async and the barriers of a CTA. n: how often.
#include "stamps.cuh"

#define ROUNDS _Pragma("unroll 1") for (int i = 0; i < n; ++i)

template <int BYTES, int DEPTH>
__device__ void copies(const char *in, int way, int n) {
    __shared__ alignas(16) char s[DEPTH][1024 * BYTES];
    int t = threadIdx.x;
    ROUNDS {
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            const char *p =
                in + (size_t)((i * DEPTH + k) & (way - 1)) * 1024 * BYTES +
                t * BYTES;
            if (BYTES == 16) {
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                                 shared_at(&s[k][t * BYTES])),
                             "l"(p)
                             : "memory");
            } else {
                asm volatile(
                    "cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                        shared_at(&s[k][t * BYTES])),
                    "l"(p), "n"(BYTES)
                    : "memory");
            }
        }
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" :::
                         "memory");
    }
}
#define COPIES(bytes, depth)                                                   \
    KERNEL cp_async_##bytes##_##depth(const char *in, int way, int n,          \
                                      STAMPS) {                                \
        BEGIN;                                                                 \
        copies<bytes, depth>(in, way, n);                                      \
        END;                                                                   \
    }
COPIES(4, 1)
COPIES(8, 1)
COPIES(16, 1)
COPIES(4, 2)
COPIES(8, 2)
COPIES(16, 2)

KERNEL cp_async_nothing(unsigned *out, int n, STAMPS) {
    BEGIN;
    ROUNDS {
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" :::
                         "memory");
    }
    END;
    out[threadIdx.x] = n;
}

KERNEL barrier_cta(unsigned *out, int n, STAMPS) {
    BEGIN;
    ROUNDS {
        __syncthreads();
    }
    END;
    out[threadIdx.x] = n;
}
KERNEL barrier_warp(unsigned *out, int n, STAMPS) {
    BEGIN;
    ROUNDS {
        asm volatile("bar.warp.sync -1;" ::: "memory");
    }
    END;
    out[threadIdx.x] = n;
}

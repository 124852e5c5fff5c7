// memory.cu - one thing of the memory at a time. n: how often.
#include "stamps.cuh"

#define ROUNDS _Pragma("unroll 1") for (int i = 0; i < n; ++i)

// --- shared memory
KERNEL shared_chase(unsigned *out, int n, STAMPS) {
    __shared__ unsigned s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        s[i] = shared_at(&s[(i + 33) & 1023]);
    }
    __syncthreads();
    unsigned p = shared_at(&s[threadIdx.x]);
    BEGIN;
    ROUNDS {
#pragma unroll
        for (int k = 0; k < 32; ++k) {
            asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");
        }
    }
    END;
    out[threadIdx.x] = p;
}

// Loads whose lanes lie `stride` words apart: ways of conflict; none waits.
KERNEL shared_loads(unsigned *out, int stride, int n, STAMPS) {
    __shared__ unsigned s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        s[i] = i;
    }
    __syncthreads();
    unsigned p = shared_at(&s[threadIdx.x % 32 * stride % 1024]), x[8] = {};
    BEGIN;
    ROUNDS {
#pragma unroll
        for (int k = 0; k < 32; ++k) {
            asm volatile("ld.volatile.shared.u32 %0, [%1];"
                         : "=r"(x[k % 8])
                         : "r"(p)
                         : "memory");
        }
    }
    END;
    out[threadIdx.x] = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];
}

KERNEL shared_loads_16(uint4 *out, int n, STAMPS) {
    __shared__ uint4 s[32];
    s[threadIdx.x % 32] = make_uint4(1, 2, 3, 4);
    __syncthreads();
    unsigned p = shared_at(&s[threadIdx.x % 32]);
    uint4 x[4] = {};
    BEGIN;
    ROUNDS {
#pragma unroll
        for (int k = 0; k < 32; ++k) {
            uint4 *v = &x[k % 4];
            asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                         : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)
                         : "r"(p)
                         : "memory");
        }
    }
    END;
    out[threadIdx.x] = make_uint4(x[0].x, x[1].y, x[2].z, x[3].w);
}

KERNEL shared_stores(unsigned *out, int stride, int n, STAMPS) {
    __shared__ unsigned s[1024];
    unsigned p = shared_at(&s[threadIdx.x % 32 * stride % 1024]);
    BEGIN;
    ROUNDS {
#pragma unroll
        for (int k = 0; k < 32; ++k) {
            asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(p), "r"(p)
                         : "memory");
        }
    }
    __syncthreads();
    END;
    out[threadIdx.x] = s[threadIdx.x];
}

KERNEL shared_atomics(unsigned *out, int mask, int n, STAMPS) {
    __shared__ unsigned s[1024];
    unsigned p = shared_at(&s[threadIdx.x & mask]), x = 0;
    s[threadIdx.x] = 0;
    __syncthreads();
    BEGIN;
    ROUNDS {
        asm volatile("atom.shared.add.u32 %0, [%1], 1;"
                     : "=r"(x)
                     : "r"(p + (x >> 31))
                     : "memory");
    }
    END;
    out[threadIdx.x] = x;
}

// --- caches and DRAM: a list of `words` addresses, `stride` apart, made by
// this CTA
__device__ void make_list(ull *list, int words, int stride) {
    for (int i = threadIdx.x; i < words; i += blockDim.x) {
        list[i] = (ull)&list[(i + stride) & (words - 1)];
    }
    __threadfence();
    __syncthreads();
}
KERNEL chase_ca(ull *list, ull *out, int words, int stride, int n, STAMPS) {
    make_list(list, words, stride);
    ull p = (ull)list;
    for (int i = 0; i < words / stride && i < 4096; ++i) {
        asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory");
    }
    BEGIN;
    ROUNDS {
        asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory");
    }
    END;
    out[threadIdx.x] = p;
}
KERNEL chase_cg(ull *list, ull *out, int words, int stride, int n, STAMPS) {
    make_list(list, words, stride);
    ull p = (ull)list;
    BEGIN;
    ROUNDS {
        asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
    }
    END;
    out[threadIdx.x] = p;
}
// One line alone: how far it lies from this SM.
KERNEL l2_line(ull *list, ull *out, int line, int n, STAMPS) {
    ull p = (ull)&list[16 * line];
    list[16 * line] = p;
    __threadfence();
    BEGIN;
    ROUNDS {
        asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
    }
    END;
    out[0] = p;
}

// Reads that many bytes a CTA, 16 a thread at once, `depth` loads under way.
template <int DEPTH>
__device__ void stream(const uint4 *in, uint4 *out, int n, int way) {
    uint4 s = {};
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int all = gridDim.x * blockDim.x;
    ROUNDS {
        uint4 v[DEPTH];
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            const uint4 *p = in + (t + (i * DEPTH + k) * all) % way;
            asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                         : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z),
                           "=r"(v[k].w)
                         : "l"(p)
                         : "memory");
        }
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            s.x += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
        }
    }
    out[t] = s;
}
#define BANDWIDTH(depth)                                                       \
    KERNEL read_##depth(const uint4 *in, uint4 *out, int way, int n, STAMPS) { \
        BEGIN;                                                                 \
        stream<depth>(in, out, n, way);                                        \
        END;                                                                   \
    }
BANDWIDTH(1)
BANDWIDTH(2)
BANDWIDTH(4)
BANDWIDTH(8)

KERNEL write_16(uint4 *out, int way, int n, STAMPS) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int all = gridDim.x * blockDim.x;
    BEGIN;
    ROUNDS {
        out[(t + i * all) % way] = make_uint4(t, i, 0, 0);
    }
    END;
}

KERNEL global_atomics(unsigned *at, int mask, int n, STAMPS) {
    unsigned *p = at + ((blockIdx.x * blockDim.x + threadIdx.x) & mask);
    unsigned x = 0;
    BEGIN;
    ROUNDS {
        asm volatile("atom.global.add.u32 %0, [%1], 1;"
                     : "=r"(x)
                     : "l"(p + (x >> 31))
                     : "memory");
    }
    END;
    at[threadIdx.x & mask] = x;
}
KERNEL global_reds(unsigned *at, int mask, int n, STAMPS) {
    unsigned *p = at + ((blockIdx.x * blockDim.x + threadIdx.x) & mask);
    BEGIN;
    ROUNDS {
        asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p) : "memory");
    }
    __threadfence();
    END;
}

KERNEL fence_gpu(unsigned *out, int n, STAMPS) {
    BEGIN;
    ROUNDS {
        out[threadIdx.x] = i;
        __threadfence();
    }
    END;
}

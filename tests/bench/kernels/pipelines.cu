// Producers and consumers: named barriers between two halves of a block; a ring
// of bulk copies with mbarriers; cp.async in two stages. Argument: elements.
#include "course.h"
#include <cstdint>

enum { TILE = 1024, STAGES = 4, BLOCK = 256 };

__device__ uint32_t at(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

// Warps 0 to 3 fill two buffers in turn, warps 4 to 7 empty them.
__global__ void halves(const float *in, float *out, int tiles) {
    __shared__ float s[2][128];
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
}

__global__ void bulk_ring(const float *in, float *out, int tiles) {
    __shared__ alignas(128) float s[STAGES][TILE];
    __shared__ alignas(8) uint64_t full[STAGES];
    int t = threadIdx.x, base = blockIdx.x * tiles * TILE;
    auto fetch = [&](int i) {
        int b = i % STAGES;
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(
                         at(&full[b])),
                     "r"(TILE * 4)
                     : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
            "[%0], [%1], %2, [%3];" ::"r"(at(s[b])),
            "l"(in + base + i * TILE), "r"(TILE * 4), "r"(at(&full[b]))
            : "memory");
    };
    if (t == 0) {
        for (int b = 0; b < STAGES; ++b) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&full[b])));
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    for (int i = 0; t == 0 && i < STAGES && i < tiles; ++i) {
        fetch(i);
    }
    for (int i = 0; i < tiles; ++i) {
        int b = i % STAGES, parity = i / STAGES % 2;
        asm volatile("{\n.reg .pred p;\nW%=:\n"
                     "mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
                     "@!p bra W%=;\n}" ::"r"(at(&full[b])),
                     "r"(parity)
                     : "memory");
        for (int k = t; k < TILE; k += BLOCK) {
            out[base + i * TILE + k] = s[b][k] * 2 + 1;
        }
        __syncthreads();
        if (t == 0 && i + STAGES < tiles) {
            fetch(i + STAGES);
        }
    }
}

__global__ void two_stages(const float *in, float *out, int tiles) {
    __shared__ alignas(16) float s[2][TILE];
    int t = threadIdx.x, base = blockIdx.x * tiles * TILE;
    auto fetch = [&](int i) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                         at(&s[i % 2][t * 4])),
                     "l"(in + base + i * TILE + t * 4)
                     : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    fetch(0);
    for (int i = 0; i < tiles; ++i) {
        if (i + 1 < tiles) {
            fetch(i + 1);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
        for (int k = t; k < TILE; k += BLOCK) {
            out[base + i * TILE + k] = s[i % 2][k] * 2 + 1;
        }
        __syncthreads();
    }
}

int main(int argc, char **argv) {
    const int n = argument(argc, argv, 1 << 20), tiles = 16;
    std::vector<float> in = numbers(n), out(n), o2(n);
    float *a = device(in), *b = device(out);
    scalar("pipelines", [&] {
        for (int i = 0; i < n; ++i) {
            out[i] = in[i] * 2 + 1;
            o2[i] = in[i / 128 * 128 + 127 - i % 128] * 2 + 1;
        }
    });
    int wrong = 0;
    halves<<<n / 128 / tiles, BLOCK>>>(a, b, tiles);
    wrong |= differs("halves", host(b, n), o2);
    bulk_ring<<<n / TILE / tiles, BLOCK>>>(a, b, tiles);
    wrong |= differs("bulk ring", host(b, n), out);
    two_stages<<<n / TILE / tiles, BLOCK>>>(a, b, tiles);
    return wrong | differs("cp.async", host(b, n), out);
}

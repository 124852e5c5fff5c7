// Kernels of tests/tools/device_host.c and tests/unit/runtime/test_device_gpu.c:
// nvcc -std=c++17 -arch=compute_90a -ptx -o device.ptx device.cu
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__device__ int counter = 7;
__constant__ int factors[4] = {1, 2, 3, 4};
__managed__ int tally = 5;
struct alignas(64) tensor_map {
    char bytes[128];
};

extern "C" __global__ void vadd(const float *a, const float *b, float *c,
                                int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Every block counts, then every block reads what all have counted.
extern "C" __global__ void grid_sum(int *sum, int *seen) {
    if (threadIdx.x == 0) {
        atomicAdd(sum, blockIdx.x + 1);
    }
    cg::this_grid().sync();
    if (threadIdx.x == 0) {
        seen[blockIdx.x] = *(volatile int *)sum;
    }
}

// Each CTA of a cluster writes its rank to the next one's shared memory.
extern "C" __global__ void ring(int *out) {
    __shared__ int slot;
    auto c = cg::this_cluster();
    unsigned next = (c.block_rank() + 1) % c.num_blocks();
    if (threadIdx.x == 0) {
        *c.map_shared_rank(&slot, next) = (int)c.block_rank();
    }
    c.sync();
    if (threadIdx.x == 0) {
        out[blockIdx.x] = slot;
    }
}

extern "C" __global__ void hello(int n) {
    if (threadIdx.x == 0) {
        printf("hello %d from block %d\n", n, blockIdx.x);
    }
}

extern "C" __global__ void count_up(int *p) {
    int i = threadIdx.x;
    p[i] = p[i] * factors[i % 4] + counter;
    __syncthreads();
    if (i == 0) {
        counter++;
    }
}

extern "C" __global__ void bump(int n) {
    if (threadIdx.x == 0) {
        tally += n;
    }
}

extern "C" __global__ void large(int *out, int n) {
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        s[i] = i;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        out[i] = s[n - 1 - i];
    }
}

extern "C" __global__ void fault(int *p) {
    p[(1ll << 36) + threadIdx.x] = 1;
}

// Where it ran: no two machines need agree.
extern "C" __global__ void where(unsigned long long *p) {
    unsigned long long t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    p[threadIdx.x] = t;
}

extern "C" __global__ void sines(const float *in, float *out) {
    out[threadIdx.x] = __sinf(in[threadIdx.x]);
}

// A box of 8 x 8 floats of a tensor of 32 x 32, from (x, y).
extern "C" __global__ void box(const __grid_constant__ tensor_map map,
                               float *out, int x, int y) {
    __shared__ alignas(128) float tile[64];
    __shared__ alignas(8) unsigned long long bar;
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar);
    unsigned t = (unsigned)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("fence.proxy.async;");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(
            b));
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
            "complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(t),
            "l"(&map), "r"(x), "r"(y), "r"(b)
            : "memory");
    }
    asm volatile("{\n.reg .pred p;\nagain:\n"
                 "mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n"
                 "@!p bra again;\n}" ::"r"(b)
                 : "memory");
    out[threadIdx.x] = tile[threadIdx.x];
}

// A product and a sum without a rounding of their own: they may become one fma.
extern "C" __global__ void fused(const float *a, float *b) {
    b[threadIdx.x] = a[threadIdx.x] * 1.5f;
    b[threadIdx.x + 32] = a[threadIdx.x] + 1.5f;
}

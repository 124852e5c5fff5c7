// stamps.cuh - the time stamps of the kernels here. Each kernel's last
// parameter is `stamps`, three words a warp: the SM, and its clock when the warp
// began and when it ended. What is compared is, of each SM, the last end less
// the first begin; of all SMs the longest. The simulator runs the same PTX and
// writes the same words.
#include <cstdint>

typedef unsigned long long ull;

__device__ __forceinline__ ull tick() {
    ull t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}

__device__ __forceinline__ uint32_t shared_at(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void record(ull *stamps, ull begin) {
    ull end = tick();
    unsigned sm, thread = threadIdx.x + blockDim.x *
                                            (threadIdx.y +
                                             blockDim.y * threadIdx.z);
    unsigned warps = (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
    unsigned cta = blockIdx.x +
                   gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (thread % 32 == 0) {
        ull *s = stamps + 3 * (cta * warps + thread / 32);
        s[0] = sm;
        s[1] = begin;
        s[2] = end;
    }
}

#define KERNEL extern "C" __global__ void
#define STAMPS ull *stamps
#define BEGIN const ull begin_ = tick()
#define END record(stamps, begin_)

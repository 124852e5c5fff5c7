// clock.cu - the SM's clock beside the wall's: how fast it runs.
#include "../../../src/calibrate/kernels/stamps.cuh"

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

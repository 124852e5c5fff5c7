// A program that looks at a clock, in its kernels or with events, gets the
// machine's time: a copy has its latency, and lands when it is there.
// @arch sm_90a
// @stdout 0 wrong
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

// 0 where a figure is as expected: memory is then the same on every machine.
__device__ long long odd(long long got, long long least, long long most) {
    return got >= least && got <= most ? 0 : got;
}

static int wrong;

static void between(const char *what, double got, double least, double most) {
    if (!(got >= least && got <= most)) {
        printf("%s: %g, expected %g to %g\n", what, got, least, most);
        wrong++;
    }
}

__device__ uint32_t address_of(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

// Each CTA has a bulk copy of 512 bytes made.
__global__ void bulk(long long *out, const char *in) {
    __shared__ alignas(128) char tile[512];
    __shared__ uint64_t bar;
    uint32_t b = address_of(&bar);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
                     "fence.mbarrier_init.release.cluster;" ::"r"(b));
    }
    __syncthreads();
    long long begin = clock64();
    if (threadIdx.x == 0) {
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;\n"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
            " [%1], [%2], 512, [%0];" ::"r"(b),
            "r"(address_of(tile)), "l"(in + blockIdx.x * 512)
            : "memory");
    }
    asm volatile("{\n.reg .pred p;\nagain:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
                 "@!p bra again;\n}" ::"r"(b)
                 : "memory");
    long long end = clock64();
    if (threadIdx.x == 0) {
        out[blockIdx.x] = odd(end - begin + tile[5], 300, 1500);
    }
}

// A nap has from no time to twice its own.
__global__ void naps(long long *out, int khz) {
    long long t0, t1, c = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0)::"memory");
    for (int i = 0; i < 10; i++) {
        __nanosleep(10000);
    }
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1)::"memory");
    long long cycles = clock64() - c;
    out[0] = odd(t1 - t0, 1000, 210000);
    out[1] = odd(cycles * 1000000 / (t1 - t0), khz * 6L / 10, khz * 21L / 20);
}

int main() {
    enum { CTAS = 64 };
    long long *out, h[CTAS];
    char *in;
    int khz;
    cudaMalloc(&out, sizeof h);
    cudaMalloc(&in, CTAS * 512);
    cudaMemset(in, 0, CTAS * 512);
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    bulk<<<CTAS, 64>>>(out, in);
    bulk<<<CTAS, 64>>>(out, in); // by now it is in L2
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    between("cycles of a bulk copy", (double)h[0], 0, 0);
    naps<<<1, 1>>>(out, khz);
    cudaMemcpy(h, out, 16, cudaMemcpyDeviceToHost);
    between("ns of 10 naps of 10 us", (double)h[0], 0, 0);
    between("cycles a ms", (double)h[1], 0, 0);
#ifdef EVENTS
    cudaEvent_t a, b;
    float ms;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    cudaEventRecord(a);
    bulk<<<CTAS, 64>>>(out, in);
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    cudaEventElapsedTime(&ms, a, b);
    between("us of 64 bulk copies on 64 SMs", ms * 1000, 0.15, 20);
#endif
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

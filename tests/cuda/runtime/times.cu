// Without --timing, events have times all the same: guesses from instructions
// and bytes. A copy has latency and bandwidth, a kernel is no faster than memory,
// and twice the work takes longer.
// @stdout 0 wrong
#include <cstdio>
#include <cuda_runtime.h>

static int wrong;

static void between(const char *what, double got, double least, double most) {
    if (!(got >= least && got <= most)) {
        printf("%s: %g, expected %g to %g\n", what, got, least, most);
        wrong++;
    }
}

__global__ void add(float *x, int n, int times) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0;
    for (int k = 0; k < times; k++) {
        v = v * 0.5f + 1;
    }
    if (i < n) {
        x[i] = v;
    }
}

__global__ void count(long long *out, int n) {
    long long begin = clock64();
    float v = (float)n;
    for (int k = 0; k < n; k++) {
        v = v * 0.5f + 1;
    }
    long long end = clock64();
    out[0] = end - begin;
    out[1] = v > 0;
}

int main() {
    enum { N = 1 << 18 };
    float *d, *h, ms;
    long long *c, cycles[2], more[2];
    cudaEvent_t a, b;
    cudaMalloc(&d, N * sizeof *d);
    cudaMalloc(&c, sizeof cycles);
    cudaMallocHost(&h, N * sizeof *h);
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    for (int i = 0; i < N; i++) {
        h[i] = 1;
    }
    auto timed = [&](auto &&what) {
        cudaEventRecord(a);
        what();
        cudaEventRecord(b);
        cudaEventSynchronize(b);
        cudaEventElapsedTime(&ms, a, b);
        return (double)ms;
    };
    double bytes = N * sizeof *h;
    auto in = [&] { cudaMemcpy(d, h, N * sizeof *h, cudaMemcpyHostToDevice); };
    auto out = [&] { cudaMemcpy(h, d, N * sizeof *h, cudaMemcpyDeviceToHost); };
    auto set = [&] { cudaMemset(d, 0, N * sizeof *h); };
    between("GB/s to the device", bytes / timed(in) / 1e6, 5, 64);
    between("GB/s of a fill", bytes / timed(set) / 1e6, 100, 5000);
    double once = timed([&] { add<<<N / 256, 256>>>(d, N, 1); });
    between("GB/s of a kernel", 2 * bytes / once / 1e6, 100, 5000);
    double long_one = timed([&] { add<<<N / 256, 256>>>(d, N, 2000); });
    double twice = timed([&] { add<<<N / 256, 256>>>(d, N, 4000); });
    between("2000 rounds to one", long_one / once, 5, 1e6);
    between("4000 rounds to 2000", twice / long_one, 1.5, 2.5);
    between("GB/s to the host", bytes / timed(out) / 1e6, 5, 64);
    count<<<1, 1>>>(c, 1000);
    cudaMemcpy(cycles, c, sizeof cycles, cudaMemcpyDeviceToHost);
    count<<<1, 1>>>(c, 2000);
    cudaMemcpy(more, c, sizeof more, cudaMemcpyDeviceToHost);
    between("cycles of 1000 rounds", (double)cycles[0], 2000, 40000);
    between("2000 to 1000", (double)more[0] / (double)cycles[0], 1.8, 2.2);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

/* A scan in one launch: each block publishes its sum and, when it knows it, its
 * prefix, as a flag and a value in one 64-bit word, and looks back over those
 * before it. Blocks number themselves in the order in which they start. */
#include <cstdio>
#include <cuda/atomic>
#include <vector>

constexpr int B = 128;
enum : unsigned { NOTHING, SUM, PREFIX };

__device__ unsigned long long pack(unsigned flag, int value) {
    return (unsigned long long)flag << 32 | (unsigned)value;
}

__global__ void scan(const int *in, int *out, int n, unsigned *next,
                     unsigned long long *state) {
    __shared__ int s[B], before;
    __shared__ unsigned tile;
    if (threadIdx.x == 0) {
        tile = atomicAdd(next, 1);
    }
    __syncthreads();
    int i = tile * B + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < B; d *= 2) {
        int v = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
        __syncthreads();
        s[threadIdx.x] += v;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        using word =
            cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;
        word mine(state[tile]);
        int sum = s[B - 1];
        mine.store(pack(tile == 0 ? PREFIX : SUM, sum),
                   cuda::memory_order_release);
        int b = 0;
        for (int k = (int)tile - 1; k >= 0;) {
            word theirs(state[k]);
            unsigned long long w = theirs.load(cuda::memory_order_acquire);
            unsigned flag = w >> 32;
            if (flag == NOTHING) {
                continue;
            }
            b += (int)(unsigned)w;
            if (flag == PREFIX) {
                break;
            }
            k--;
        }
        if (tile > 0) {
            mine.store(pack(PREFIX, b + sum), cuda::memory_order_release);
        }
        before = b;
    }
    __syncthreads();
    if (i < n) {
        out[i] = before + s[threadIdx.x];
    }
}

int main() {
    const int n = 9999, tiles = (n + B - 1) / B;
    std::vector<int> a(n), r(n);
    for (int i = 0; i < n; i++) {
        a[i] = i * 13 % 29 - 11;
    }
    int *in, *out;
    unsigned *next;
    unsigned long long *state;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&next, sizeof *next);
    cudaMalloc(&state, tiles * sizeof *state);
    cudaMemset(next, 0, sizeof *next);
    cudaMemset(state, 0, tiles * sizeof *state);
    cudaMemcpy(in, a.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    scan<<<tiles, B>>>(in, out, n, next, state);
    cudaMemcpy(r.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0, s = 0; i < n; i++) {
        wrong += r[i] != (s += a[i]);
    }
    cudaFree(in), cudaFree(out), cudaFree(next), cudaFree(state);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

/* Stream compaction: a ballot ranks lanes, one atomic a warp reserves room; and
 * the same by a coalesced group. */
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;

struct positive {
    int least;
    __host__ __device__ bool operator()(int v) const {
        return v >= least;
    }
};

template <class P>
__global__ void by_ballot(const int *in, int n, int *out, int *count, P keep) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool yes = i < n && keep(in[i]);
    unsigned who = __ballot_sync(0xffffffff, yes);
    int lane = threadIdx.x % 32, base = 0;
    if (lane == 0 && who != 0) {
        base = atomicAdd(count, __popc(who));
    }
    base = __shfl_sync(0xffffffff, base, 0);
    if (yes) {
        out[base + __popc(who & ~(~0u << lane))] = in[i];
    }
}

__device__ int next(int *count) {
    cg::coalesced_group g = cg::coalesced_threads();
    int base = 0;
    if (g.thread_rank() == 0) {
        base = atomicAdd(count, g.size());
    }
    return g.shfl(base, 0) + g.thread_rank();
}

template <class P>
__global__ void by_group(const int *in, int n, int *out, int *count, P keep) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += blockDim.x * gridDim.x) {
        if (keep(in[i])) {
            out[next(count)] = in[i];
        }
    }
}

int main() {
    const int n = 10007;
    std::vector<int> a(n), want;
    positive keep{3};
    for (int i = 0; i < n; i++) {
        a[i] = i * 17 % 23 - 11;
        if (keep(a[i])) {
            want.push_back(a[i] = a[i] * 1000 + i % 1000 + 1000);
        }
    }
    std::sort(want.begin(), want.end());
    int *in, *out, *count, wrong = 0;
    cudaMalloc(&in, n * 4);
    cudaMalloc(&out, n * 4);
    cudaMalloc(&count, 4);
    cudaMemcpy(in, a.data(), n * 4, cudaMemcpyHostToDevice);
    for (int way = 0; way < 2; way++) {
        int zero = 0, got = 0;
        cudaMemcpy(count, &zero, 4, cudaMemcpyHostToDevice);
        if (way == 0) {
            by_ballot<<<(n + 255) / 256, 256>>>(in, n, out, count, keep);
        } else {
            by_group<<<8, 256>>>(in, n, out, count, keep);
        }
        cudaMemcpy(&got, count, 4, cudaMemcpyDeviceToHost);
        std::vector<int> r(got);
        cudaMemcpy(r.data(), out, got * 4, cudaMemcpyDeviceToHost);
        std::sort(r.begin(), r.end());
        wrong += r != want;
    }
    cudaFree(in), cudaFree(out), cudaFree(count);
    printf("%zu kept, %d wrong\n", want.size(), wrong);
    return wrong;
}

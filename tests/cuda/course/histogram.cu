/* Histograms: global atomics, private ones in shared memory, one of a warp each
 * with dynamic shared memory over 48 KiB, and warp-aggregated by match_any. */
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int BINS = 256;

__global__ void global_atomics(const unsigned char *in, int n, unsigned *bins) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        atomicAdd(&bins[in[i]], 1u);
    }
}

__global__ void privatised(const unsigned char *in, int n, unsigned *bins) {
    __shared__ unsigned mine[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) {
        mine[i] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        atomicAdd(&mine[in[i]], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) {
        if (mine[i] > 0) {
            atomicAdd(&bins[i], mine[i]);
        }
    }
}

__global__ void per_thread(const unsigned char *in, int n, unsigned *bins) {
    extern __shared__ unsigned char own[]; /* BINS counters a thread */
    int threads = blockDim.x;
    for (int b = 0; b < BINS; b++) {
        own[b * threads + threadIdx.x] = 0;
    }
    for (int i = blockIdx.x * threads + threadIdx.x; i < n;
         i += gridDim.x * threads) {
        own[in[i] * threads + threadIdx.x]++;
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += threads) {
        unsigned sum = 0;
        for (int t = 0; t < threads; t++) {
            sum += own[b * threads + (t + threadIdx.x) % threads];
        }
        atomicAdd(&bins[b], sum);
    }
}

__global__ void aggregated(const unsigned char *in, int n, unsigned *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned active = __activemask();
        unsigned same = __match_any_sync(active, in[i]);
        int leader = __ffs(same) - 1;
        if ((threadIdx.x & 31) == leader) {
            atomicAdd(&bins[in[i]], (unsigned)__popc(same));
        }
    }
}

int main() {
    const int n = 20000, threads = 256;
    std::vector<unsigned char> a(n);
    unsigned want[BINS] = {}, got[BINS];
    for (int i = 0; i < n; i++) {
        a[i] = (unsigned char)((i * 2654435761u >> 24) & (i % 3 ? 0x1f : 0xff));
        want[a[i]]++;
    }
    unsigned char *in;
    unsigned *bins;
    cudaMalloc(&in, n);
    cudaMalloc(&bins, sizeof want);
    cudaMemcpy(in, a.data(), n, cudaMemcpyHostToDevice);
    int wrong = 0;
    for (int way = 0; way < 4; way++) {
        cudaMemset(bins, 0, sizeof want);
        if (way == 0) {
            global_atomics<<<20, threads>>>(in, n, bins);
        } else if (way == 1) {
            privatised<<<20, threads>>>(in, n, bins);
        } else if (way == 2) {
            size_t bytes = (size_t)BINS * threads; /* 64 KiB */
            cudaError_t e = cudaFuncSetAttribute(
                per_thread, cudaFuncAttributeMaxDynamicSharedMemorySize,
                (int)bytes);
            if (e != cudaSuccess) {
                return 2;
            }
            per_thread<<<2, threads, bytes>>>(in, n, bins);
        } else {
            aggregated<<<(n + threads - 1) / threads, threads>>>(in, n, bins);
        }
        if (cudaGetLastError() != cudaSuccess) {
            return 3;
        }
        cudaMemcpy(got, bins, sizeof got, cudaMemcpyDeviceToHost);
        if (memcmp(got, want, sizeof got) != 0) {
            printf("way %d is wrong\n", way);
            wrong++;
        }
    }
    cudaFree(in);
    cudaFree(bins);
    return wrong != 0;
}

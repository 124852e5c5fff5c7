/* Persistent blocks that take tiles from a counter; a block-wide early end; a
 * second kernel in which producers and consumers pass items through a ring in
 * global memory with acquire and release. */
#include <cstdio>
#include <cuda/atomic>
#include <vector>

__global__ void persistent(const int *in, long long *out, int tiles, int size,
                           int *next) {
    __shared__ int tile;
    __shared__ long long sum;
    for (;;) {
        if (threadIdx.x == 0) {
            tile = atomicAdd(next, 1);
            sum = 0;
        }
        __syncthreads();
        if (tile >= tiles) {
            return;
        }
        long long mine = 0;
        for (int i = threadIdx.x; i < size; i += blockDim.x) {
            mine += (long long)in[tile * size + i] * (tile + 1);
        }
        atomicAdd((unsigned long long *)&sum, (unsigned long long)mine);
        __syncthreads();
        if (threadIdx.x == 0) {
            out[tile] = sum;
        }
        __syncthreads();
    }
}

using flag = cuda::atomic<int, cuda::thread_scope_device>;

__global__ void ring(int *slots, flag *full, int room, int items,
                     long long *sum) {
    if (threadIdx.x != 0) {
        return;
    }
    if (blockIdx.x == 0) { /* the producer */
        for (int i = 0; i < items; i++) {
            int s = i % room;
            while (full[s].load(cuda::std::memory_order_acquire) != 0) {
                __nanosleep(20);
            }
            slots[s] = i * i;
            full[s].store(1, cuda::std::memory_order_release);
        }
    } else {
        long long all = 0;
        for (int i = 0; i < items; i++) {
            int s = i % room;
            while (full[s].load(cuda::std::memory_order_acquire) != 1) {
            }
            all += slots[s];
            full[s].store(0, cuda::std::memory_order_release);
        }
        *sum = all;
    }
}

int main() {
    const int tiles = 40, size = 200, room = 4, items = 50;
    std::vector<int> a(tiles * size);
    std::vector<long long> r(tiles);
    for (size_t i = 0; i < a.size(); i++) {
        a[i] = (int)(i % 101) - 30;
    }
    int *in, *next, *slots, wrong = 0;
    long long *out, *sum, got, want = 0;
    flag *full;
    cudaMalloc(&in, a.size() * 4), cudaMalloc(&out, tiles * 8);
    cudaMalloc(&next, 4), cudaMalloc(&slots, room * 4);
    cudaMalloc(&full, room * sizeof(flag)), cudaMalloc(&sum, 8);
    cudaMemset(next, 0, 4);
    cudaMemset(full, 0, room * sizeof(flag));
    cudaMemcpy(in, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
    persistent<<<6, 64>>>(in, out, tiles, size, next);
    cudaMemcpy(r.data(), out, tiles * 8, cudaMemcpyDeviceToHost);
    for (int t = 0; t < tiles; t++) {
        long long w = 0;
        for (int i = 0; i < size; i++) {
            w += (long long)a[t * size + i] * (t + 1);
        }
        wrong += w != r[t];
    }
    ring<<<2, 32>>>(slots, full, room, items, sum);
    cudaMemcpy(&got, sum, 8, cudaMemcpyDeviceToHost);
    for (int i = 0; i < items; i++) {
        want += i * i;
    }
    wrong += got != want;
    cudaFree(in), cudaFree(out), cudaFree(next), cudaFree(slots);
    cudaFree(full), cudaFree(sum);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

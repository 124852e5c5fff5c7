/* Stream-ordered allocation: cudaMallocAsync, its default pool, one of its own,
 * thresholds. */
#include <cstdint>
#include <cstdio>

__global__ void iota(int *x, int n, int from) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = from + i;
    }
}
__global__ void add(const int *x, int n, unsigned long long *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(sum, (unsigned long long)x[i]);
    }
}

int main() {
    cudaStream_t s;
    cudaStreamCreate(&s);
    int supported = 0, wrong = 0;
    cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0);
    if (!supported) {
        return 2;
    }
    cudaMemPool_t pool;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    uint64_t threshold = UINT64_MAX;
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = 0;
    cudaMemPool_t mine;
    if (cudaMemPoolCreate(&mine, &props) != cudaSuccess) {
        return 3;
    }
    unsigned long long *sum, got = 0, want = 0;
    cudaMallocAsync(&sum, sizeof *sum, s);
    cudaMemsetAsync(sum, 0, sizeof *sum, s);
    for (int k = 1; k <= 6; k++) {
        int n = k * 500, *x;
        cudaError_t e =
            k % 2 ? cudaMallocAsync(&x, n * sizeof(int), s)
                  : cudaMallocFromPoolAsync(&x, n * sizeof(int), mine, s);
        wrong += e != cudaSuccess;
        iota<<<(n + 255) / 256, 256, 0, s>>>(x, n, k);
        add<<<(n + 255) / 256, 256, 0, s>>>(x, n, sum);
        cudaFreeAsync(x, s);
        for (int i = 0; i < n; i++) {
            want += k + i;
        }
    }
    cudaMemcpyAsync(&got, sum, sizeof got, cudaMemcpyDeviceToHost, s);
    cudaFreeAsync(sum, s);
    cudaStreamSynchronize(s);
    wrong += got != want;
    uint64_t used = 1;
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
    wrong += used != 0;
    cudaMemPoolTrimTo(pool, 0);
    cudaMemPoolDestroy(mine);
    cudaStreamDestroy(s);
    printf("%llu, %d wrong\n", got, wrong);
    return wrong != 0;
}

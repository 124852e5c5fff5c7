/* The occupancy calls, function attributes, limits, properties, errors that are
 * provoked and looked at. */
#include <cstdio>
#include <cstring>

__global__ void __launch_bounds__(256, 2) square(float *x, int n) {
    extern __shared__ float s[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n) {
        x[i] = s[threadIdx.x] * s[threadIdx.x];
    }
}

static size_t bytes_for(int block) {
    return block * sizeof(float);
}

int main() {
    int wrong = 0, count = 0, grid = 0, block = 0, active = 0;
    cudaGetDeviceCount(&count);
    wrong += count < 1;
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    wrong += p.warpSize != 32 || p.maxThreadsPerBlock != 1024 || p.major < 8;
    cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, square,
                                                   bytes_for);
    wrong += block <= 0 || block > 256 || grid < p.multiProcessorCount;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&active, square, 256,
                                                  256 * sizeof(float));
    wrong += active < 2 || active > p.maxThreadsPerMultiProcessor / 256;
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, square);
    wrong += a.maxThreadsPerBlock != 256 || a.numRegs <= 0 ||
             a.sharedSizeBytes != 0 || a.localSizeBytes != 0;
    size_t limit = 0, heap = 0;
    cudaDeviceGetLimit(&limit, cudaLimitStackSize);
    cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize);
    wrong += limit < 1024 || heap != 8u << 20;
    int value = 0;
    cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    wrong += (size_t)value != p.sharedMemPerBlockOptin;
    size_t free_, total;
    cudaMemGetInfo(&free_, &total);
    wrong += free_ > total || total != p.totalGlobalMem;
    int driver, runtime;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    wrong += driver < runtime || runtime < 12000;

    square<<<1, 512, 2048>>>(nullptr, 0); /* over its launch bounds */
    cudaError_t e = cudaPeekAtLastError();
    wrong += e != cudaErrorInvalidValue && e != cudaErrorLaunchOutOfResources &&
             e != cudaErrorInvalidConfiguration;
    wrong += cudaGetLastError() != e || cudaGetLastError() != cudaSuccess;
    square<<<1, 2048>>>(nullptr, 0);
    e = cudaGetLastError();
    wrong += e != cudaErrorInvalidValue && e != cudaErrorInvalidConfiguration;
    square<<<1, 32, 100000>>>(nullptr, 0);
    wrong += cudaGetLastError() != cudaErrorInvalidValue;
    wrong += cudaMalloc((void **)nullptr, 4) != cudaErrorInvalidValue;
    cudaGetLastError();
    void *much = nullptr;
    wrong += cudaMalloc(&much, (size_t)1 << 46) != cudaErrorMemoryAllocation;
    wrong += cudaGetLastError() != cudaErrorMemoryAllocation;
    wrong += strcmp(cudaGetErrorName(cudaErrorInvalidValue),
                    "cudaErrorInvalidValue") != 0;
    wrong += strcmp(cudaGetErrorString(cudaErrorMemoryAllocation),
                    "out of memory") != 0;

    const int n = 1000;
    float h[n], *x;
    cudaMalloc(&x, sizeof h);
    for (int i = 0; i < n; i++) {
        h[i] = i;
    }
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    square<<<(n + block - 1) / block, block, bytes_for(block)>>>(x, n);
    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        wrong += h[i] != (float)i * i;
    }
    cudaFree(x);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

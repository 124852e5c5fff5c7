/* Pinned memory in chunks over four streams, events to time and to order, a
 * callback and a host function. */
#include <cstdio>
#include <cstdlib>

__global__ void work(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sqrtf(in[i]) + 1.0f;
    }
}

__global__ void add_all(const float *x, int n, double *sum) {
    __shared__ double s[256];
    double v = 0;
    for (int i = threadIdx.x; i < n; i += 256) {
        v += x[i];
    }
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (threadIdx.x < d) {
            s[threadIdx.x] += s[threadIdx.x + d];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        *sum = s[0];
    }
}

static void CUDART_CB done(cudaStream_t, cudaError_t e, void *p) {
    *(int *)p += e == cudaSuccess;
}
static void CUDART_CB host(void *p) {
    ++*(int *)p;
}

int main() {
    const int n = 1 << 14, k = 4, chunk = n / k;
    float *in, *out, *din, *dout;
    double *dsum, sum = 0, want = 0;
    int called = 0;
    cudaMallocHost(&in, n * sizeof(float));
    cudaHostAlloc(&out, n * sizeof(float), cudaHostAllocDefault);
    cudaMalloc(&din, n * sizeof(float));
    cudaMalloc(&dout, n * sizeof(float));
    cudaMalloc(&dsum, sizeof(double));
    for (int i = 0; i < n; i++) {
        in[i] = (float)(i % 64) * (i % 64);
    }
    cudaStream_t s[k], last;
    cudaEvent_t begin, end, ready[k];
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaStreamCreateWithFlags(&last, cudaStreamNonBlocking);
    cudaEventRecord(begin);
    for (int i = 0; i < k; i++) {
        cudaStreamCreate(&s[i]);
        cudaEventCreateWithFlags(&ready[i], cudaEventDisableTiming);
        int at = i * chunk;
        cudaMemcpyAsync(din + at, in + at, chunk * sizeof(float),
                        cudaMemcpyHostToDevice, s[i]);
        work<<<chunk / 256, 256, 0, s[i]>>>(din + at, dout + at, chunk);
        cudaMemcpyAsync(out + at, dout + at, chunk * sizeof(float),
                        cudaMemcpyDeviceToHost, s[i]);
        cudaEventRecord(ready[i], s[i]);
        cudaStreamWaitEvent(last, ready[i], 0);
        cudaLaunchHostFunc(s[i], host, &called);
    }
    add_all<<<1, 256, 0, last>>>(dout, n, dsum);
    cudaMemcpyAsync(&sum, dsum, sizeof sum, cudaMemcpyDeviceToHost, last);
    cudaStreamAddCallback(last, done, &called, 0);
    while (cudaStreamQuery(last) == cudaErrorNotReady) {
    }
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaDeviceSynchronize();
    float ms = -1;
    cudaEventElapsedTime(&ms, begin, end);
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        wrong += out[i] != (float)(i % 64) + 1;
        want += i % 64 + 1;
    }
    for (int i = 0; i < k; i++) {
        cudaStreamDestroy(s[i]);
        cudaEventDestroy(ready[i]);
    }
    cudaStreamDestroy(last);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaFreeHost(in);
    cudaFreeHost(out);
    cudaFree(din), cudaFree(dout), cudaFree(dsum);
    printf("%d wrong, sum %g, %d calls\n", wrong, sum, called);
    return wrong != 0 || sum != want || called != k + 1 || !(ms > 0);
}

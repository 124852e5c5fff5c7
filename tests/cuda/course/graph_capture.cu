/* A graph captured from a stream: copies, a set, kernels in two branches that
 * fork and join by events; launched several times. */
#include <cstdio>
#include <vector>

__global__ void axpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] += a * x[i];
    }
}
__global__ void twice(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= 2;
    }
}
__global__ void join(const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        z[i] += x[i] + y[i];
    }
}

#define CHECK(c)                                                               \
    if (cudaError_t e_ = (c)) {                                                \
        printf("%d: %s\n", __LINE__, cudaGetErrorString(e_));                  \
        return 2;                                                              \
    }

int main() {
    const int n = 1000, blocks = (n + 127) / 128;
    float *h, *x, *y, *z;
    CHECK(cudaMallocHost(&h, n * 4));
    CHECK(cudaMalloc(&x, n * 4));
    CHECK(cudaMalloc(&y, n * 4));
    CHECK(cudaMalloc(&z, n * 4));
    CHECK(cudaMemset(z, 0, n * 4));
    cudaStream_t s, t;
    cudaEvent_t forked, joined;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreate(&t));
    CHECK(cudaEventCreate(&forked));
    CHECK(cudaEventCreate(&joined));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(x, h, n * 4, cudaMemcpyHostToDevice, s));
    CHECK(cudaEventRecord(forked, s));
    CHECK(cudaStreamWaitEvent(t, forked, 0));
    CHECK(cudaMemsetAsync(y, 0, n * 4, t));
    axpy<<<blocks, 128, 0, t>>>(3, x, y, n);
    CHECK(cudaEventRecord(joined, t));
    CHECK(cudaStreamWaitEvent(s, joined, 0));
    twice<<<blocks, 128, 0, s>>>(x, n);
    join<<<blocks, 128, 0, s>>>(x, y, z, n);
    CHECK(cudaStreamEndCapture(s, &graph));
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    std::vector<float> want(n), r(n);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++) {
            h[i] = (float)(i + k * 100);
            want[i] += 5 * h[i];
        }
        CHECK(cudaGraphLaunch(exec, s));
        CHECK(cudaStreamSynchronize(s));
    }
    CHECK(cudaMemcpy(r.data(), z, n * 4, cudaMemcpyDeviceToHost));
    int wrong = nodes != 5;
    for (int i = 0; i < n; i++) {
        wrong += r[i] != want[i];
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaStreamDestroy(s));
    CHECK(cudaStreamDestroy(t));
    CHECK(cudaEventDestroy(forked));
    CHECK(cudaEventDestroy(joined));
    cudaFreeHost(h), cudaFree(x), cudaFree(y), cudaFree(z);
    printf("%zu nodes, %d wrong\n", nodes, wrong);
    return wrong != 0;
}

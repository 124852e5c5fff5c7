/* A graph made by hand: memset with wide elements, a copy, kernels, a host
 * function, an edge that is added later, a child graph; parameters changed in
 * the executable, and an update from a second graph. What capture refuses. */
#include <cstdio>
#include <vector>

__global__ void add(int *x, int by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] += by;
    }
}
__global__ void scale(int *x, int by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= by;
    }
}
static void CUDART_CB count(void *p) {
    ++*(int *)p;
}

#define CHECK(c)                                                               \
    if (cudaError_t e_ = (c)) {                                                \
        printf("%d: %s\n", __LINE__, cudaGetErrorName(e_));                    \
        return 2;                                                              \
    }
#define REFUSES(c, why)                                                        \
    if (cudaError_t e_ = (c); e_ != why) {                                     \
        printf("%d: %s\n", __LINE__, cudaGetErrorName(e_));                    \
        return 3;                                                              \
    }

int main() {
    int n = 300, *x, by = 5, times = 3, called = 0;
    std::vector<int> h(n);
    CHECK(cudaMalloc(&x, n * sizeof(int)));
    cudaGraph_t graph, child;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&child, 0));
    cudaMemsetParams set = {};
    set.dst = x;
    set.value = 1000;
    set.elementSize = 4;
    set.width = n;
    set.height = 1;
    cudaGraphNode_t cleared, added, scaled, copied, hosted, inner;
    CHECK(cudaGraphAddMemsetNode(&cleared, graph, nullptr, 0, &set));
    void *args[] = {&x, &by, &n}, *more[] = {&x, &times, &n};
    cudaKernelNodeParams k = {};
    k.func = (void *)scale;
    k.gridDim = dim3(3);
    k.blockDim = dim3(128);
    k.kernelParams = more;
    /* scale comes before add in the list, and after it in the graph */
    CHECK(cudaGraphAddKernelNode(&scaled, graph, nullptr, 0, &k));
    k.func = (void *)add;
    k.kernelParams = args;
    CHECK(cudaGraphAddKernelNode(&added, graph, &cleared, 1, &k));
    CHECK(cudaGraphAddDependencies(graph, &added, &scaled, nullptr, 1));
    cudaHostNodeParams f = {count, &called};
    CHECK(cudaGraphAddHostNode(&inner, child, nullptr, 0, &f));
    CHECK(cudaGraphAddChildGraphNode(&hosted, graph, &scaled, 1, child));
    CHECK(cudaGraphAddMemcpyNode1D(&copied, graph, &hosted, 1, h.data(), x,
                                   n * sizeof(int), cudaMemcpyDeviceToHost));
    size_t nodes = 0, roots = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(scaled, &type));
    if (nodes != 5 || roots != 1 || type != cudaGraphNodeTypeKernel) {
        return 4;
    }
    cudaStream_t s, t;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreate(&t));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    int wrong = 0;
    for (int v : h) {
        wrong += v != 3015;
    }
    by = 50; /* the parameters were copied: only a change of the node counts */
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    wrong += h[7] != 3015;
    k.kernelParams = args;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, added, &k));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    wrong += h[n - 1] != 3150 || called != 3;
    /* a cycle cannot be executed */
    cudaGraphExec_t none;
    CHECK(cudaGraphAddDependencies(graph, &copied, &cleared, nullptr, 1));
    REFUSES(cudaGraphInstantiate(&none, graph, 0), cudaErrorInvalidValue);
    cudaGetLastError();

    /* the same topology, other parameters */
    cudaGraph_t first, second;
    cudaGraphExec_t updated;
    for (int i = 0; i < 2; i++) {
        CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
        CHECK(cudaMemsetAsync(x, 0, n * sizeof(int), s));
        add<<<3, 128, 0, s>>>(x, i == 0 ? 11 : 22, n);
        CHECK(cudaMemcpyAsync(h.data(), x, n * sizeof(int),
                              cudaMemcpyDeviceToHost, s));
        CHECK(cudaStreamEndCapture(s, i == 0 ? &first : &second));
    }
    CHECK(cudaGraphInstantiate(&updated, first, 0));
    CHECK(cudaGraphLaunch(updated, s));
    CHECK(cudaStreamSynchronize(s));
    wrong += h[3] != 11;
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphExecUpdate(updated, second, &info));
    CHECK(cudaGraphLaunch(updated, s));
    CHECK(cudaStreamSynchronize(s));
    wrong += h[3] != 22 || info.result != cudaGraphExecUpdateSuccess;

    /* what capture refuses */
    cudaGraph_t bad = nullptr;
    cudaEvent_t e;
    CHECK(cudaEventCreate(&e));
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaStreamIsCapturing(s, &status));
    wrong += status != cudaStreamCaptureStatusActive;
    REFUSES(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
    REFUSES(cudaStreamEndCapture(s, &bad), cudaErrorStreamCaptureInvalidated);
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 32, 0, s>>>(x, 1, 32);
    CHECK(cudaEventRecord(e, s));
    CHECK(cudaStreamWaitEvent(t, e, 0));
    add<<<1, 32, 0, t>>>(x, 1, 32);
    REFUSES(cudaStreamEndCapture(s, &bad), cudaErrorStreamCaptureUnjoined);
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 32>>>(x, 1, 32); /* the default stream's */
    REFUSES(cudaGetLastError(), cudaErrorStreamCaptureImplicit);
    REFUSES(cudaStreamEndCapture(s, &bad), cudaErrorStreamCaptureInvalidated);
    cudaGetLastError();
    CHECK(cudaStreamIsCapturing(s, &status));
    wrong += status != cudaStreamCaptureStatusNone || bad != nullptr;

    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphExecDestroy(updated));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(child));
    CHECK(cudaGraphDestroy(first));
    CHECK(cudaGraphDestroy(second));
    CHECK(cudaEventDestroy(e));
    CHECK(cudaStreamDestroy(s));
    CHECK(cudaStreamDestroy(t));
    cudaFree(x);
    printf("%d wrong, %d calls\n", wrong, called);
    return wrong != 0;
}

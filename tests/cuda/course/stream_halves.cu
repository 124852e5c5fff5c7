/* Streams that share memory and are right: halves of one buffer, one counter that
 * both add to, one input that all read, a fork and a join by events, a graph, a
 * host function, a destroyed stream, and an odd number of bytes each. */
#include <cstdio>

__global__ void scale(unsigned char *p, int n, const int *by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = (unsigned char)(p[i] * *by);
}

__global__ void count(const unsigned char *p, int n, unsigned *sum) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(sum, p[i]);
}

static void look(void *p) { *(int *)p = 1 + ((unsigned char *)p)[4]; }

int main() {
    const int n = 10001, k = 3;
    unsigned char *in, *d;
    int *by, *note, three = 3;
    unsigned *sum, total = 0;
    cudaStream_t s[k];
    cudaEvent_t begin, end[k];
    cudaMallocHost(&in, n);
    cudaMallocHost(&note, 64);
    cudaMalloc(&d, n);
    cudaMalloc(&by, sizeof *by);
    cudaMalloc(&sum, sizeof *sum);
    for (int i = 0; i < n; i++)
        in[i] = 1;
    cudaEventCreate(&begin);
    for (int i = 0; i < k; i++) {
        cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
        cudaEventCreate(&end[i]);
    }
    cudaMemcpyAsync(by, &three, sizeof three, cudaMemcpyHostToDevice, s[0]);
    cudaMemsetAsync(sum, 0, sizeof *sum, s[0]);
    cudaEventRecord(begin, s[0]);
    for (int i = 0; i < k; i++) {
        int from = n * i / k, bytes = n * (i + 1) / k - from;
        if (i > 0)
            cudaStreamWaitEvent(s[i], begin, 0);
        cudaMemcpyAsync(d + from, in + from, bytes, cudaMemcpyHostToDevice, s[i]);
        scale<<<(bytes + 255) / 256, 256, 0, s[i]>>>(d + from, bytes, by);
        count<<<1, 128, 0, s[i]>>>(d + from, bytes, sum);
        cudaMemcpyAsync(in + from, d + from, bytes, cudaMemcpyDeviceToHost, s[i]);
        cudaEventRecord(end[i], s[i]);
    }
    for (int i = 0; i < k; i++)
        cudaStreamWaitEvent(s[0], end[i], 0);
    cudaStreamDestroy(s[2]);
    cudaMemcpyAsync(note, in, 64, cudaMemcpyHostToHost, s[0]);
    cudaLaunchHostFunc(s[0], look, note);
    cudaMemcpyAsync(&total, sum, sizeof total, cudaMemcpyDeviceToHost, s[0]);
    cudaStreamSynchronize(s[0]);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal);
    cudaEventRecord(begin, s[0]);
    cudaStreamWaitEvent(s[1], begin, 0);
    scale<<<20, 256, 0, s[0]>>>(d, n / 2, by);
    scale<<<20, 256, 0, s[1]>>>(d + n / 2, n - n / 2, by);
    cudaEventRecord(end[1], s[1]);
    cudaStreamWaitEvent(s[0], end[1], 0);
    cudaStreamEndCapture(s[0], &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, s[0]);
    cudaMemcpyAsync(in, d, n, cudaMemcpyDeviceToHost, s[0]);
    while (cudaStreamQuery(s[0]) == cudaErrorNotReady)
        ;
    bool right = total == 3u * n && *note == 4;
    for (int i = 0; i < n; i++)
        right &= in[i] == 9;
    printf("%s\n", right ? "right" : "wrong");
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    for (int i = 0; i < k; i++) {
        if (i < 2)
            cudaStreamDestroy(s[i]);
        cudaEventDestroy(end[i]);
    }
    cudaEventDestroy(begin);
    cudaFreeHost(in);
    cudaFreeHost(note);
    cudaFree(d);
    cudaFree(by);
    cudaFree(sum);
    return right ? 0 : 1;
}

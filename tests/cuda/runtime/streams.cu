// Streams and events: order, waiting, times, host functions; managed memory is
// the host's again after each way to wait.
// @stdout 0 wrong
#include <cstdio>
#include <cuda_runtime.h>

static int wrong;

static void check(bool right, const char *what, int line) {
    if (!right) {
        printf("line %d: %s\n", line, what);
        wrong++;
    }
}
#define CHECK(x) check(x, #x, __LINE__)
#define OK(call) check((call) == cudaSuccess, #call, __LINE__)

__global__ void add(int *p, int n, int v) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        p[i] += v;
    }
}

static void chunks() {
    enum { N = 1 << 14, CHUNKS = 4 };
    cudaStream_t s[CHUNKS];
    int *h, *d;
    OK(cudaMallocHost(&h, N * sizeof *h));
    OK(cudaMalloc(&d, N * sizeof *d));
    for (int i = 0; i < N; i++) {
        h[i] = i;
    }
    for (int c = 0; c < CHUNKS; c++) {
        const int n = N / CHUNKS;
        OK(cudaStreamCreateWithFlags(&s[c], cudaStreamNonBlocking));
        OK(cudaMemcpyAsync(d + c * n, h + c * n, n * sizeof *h,
                           cudaMemcpyHostToDevice, s[c]));
        add<<<1, 128, 0, s[c]>>>(d + c * n, n, c + 1);
        OK(cudaMemcpyAsync(h + c * n, d + c * n, n * sizeof *h,
                           cudaMemcpyDeviceToHost, s[c]));
    }
    for (int c = 0; c < CHUNKS; c++) {
        OK(cudaStreamSynchronize(s[c]));
        OK(cudaStreamDestroy(s[c]));
    }
    for (int i = 0; i < N; i++) {
        CHECK(h[i] == i + i / (N / CHUNKS) + 1);
    }
    OK(cudaFree(d));
    OK(cudaFreeHost(h));
}

static void CUDART_CB called(void *user) {
    ++*(int *)user;
}

static void CUDART_CB called_back(cudaStream_t, cudaError_t e, void *user) {
    *(int *)user += e == cudaSuccess ? 10 : 1000;
}

static void times() {
    cudaEvent_t from, to, untimed;
    cudaStream_t s;
    int *d, n = 0;
    float ms = -1;
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc(&d, 4096));
    OK(cudaMemset(d, 0, 4096));
    OK(cudaEventCreate(&from));
    OK(cudaEventCreate(&to, cudaEventBlockingSync));
    OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CHECK(cudaEventElapsedTime(&ms, from, to) ==
          cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(from, s));
    add<<<1, 128, 0, s>>>(d, 1024, 1);
    OK(cudaEventRecord(to, s));
    OK(cudaEventRecord(untimed, s));
    OK(cudaEventSynchronize(to));
    OK(cudaEventElapsedTime(&ms, from, to));
    CHECK(ms > 0 && ms < 1000);
    CHECK(cudaEventElapsedTime(&ms, from, untimed) ==
          cudaErrorInvalidResourceHandle);
    OK(cudaLaunchHostFunc(s, called, &n));
    OK(cudaStreamAddCallback(s, called_back, &n, 0));
    OK(cudaStreamSynchronize(s));
    CHECK(n == 11);
    OK(cudaEventDestroy(from));
    OK(cudaEventDestroy(to));
    OK(cudaEventDestroy(untimed));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(d));
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
}

static void waits() {
    cudaStream_t s, t;
    cudaEvent_t e;
    int *m, *idle, h = 0;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreateWithPriority(&t, cudaStreamNonBlocking, -1));
    OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    OK(cudaMallocManaged(&m, 4000));
    OK(cudaMallocManaged(&idle, 4000));
    m[0] = 0;
    add<<<1, 32, 0, s>>>(m, 1000, 1);
    idle[0] = 5; // no kernel has to do with it
    OK(cudaStreamSynchronize(s));
    CHECK(m[0] == 1);
    add<<<1, 32, 0, s>>>(m, 1000, 1);
    while (cudaStreamQuery(s) == cudaErrorNotReady) {
    }
    CHECK(m[0] == 2);
    add<<<1, 32, 0, s>>>(m, 1000, 1);
    OK(cudaEventRecord(e, s));
    OK(cudaEventSynchronize(e));
    CHECK(m[0] == 3);
    add<<<1, 32, 0, s>>>(m, 1000, 1);
    OK(cudaEventRecord(e, s));
    OK(cudaStreamWaitEvent(t, e));
    add<<<1, 32, 0, t>>>(m, 1000, 1);
    OK(cudaStreamSynchronize(t));
    CHECK(m[0] == 5);
    add<<<1, 32>>>(m, 1000, 1);
    OK(cudaMemcpy(&h, m, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h == 6 && m[0] == 6);
    add<<<1, 32>>>(m, 1000, 1);
    OK(cudaDeviceSynchronize());
    CHECK(m[0] == 7 && idle[0] == 5);
    OK(cudaMemPrefetchAsync(m, 4000, {cudaMemLocationTypeDevice, 0}, 0, s));
    OK(cudaMemAdvise(m, 4000, cudaMemAdviseSetReadMostly,
                     {cudaMemLocationTypeDevice, 0}));
    OK(cudaStreamSynchronize(s));
    OK(cudaFree(m));
    OK(cudaFree(idle));
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    OK(cudaEventDestroy(e));
}

int main() {
    chunks();
    times();
    waits();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

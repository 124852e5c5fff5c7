// Two page-locked buffers in turn: each is filled anew when its copy is over.
#include <cstdio>

int main() {
    const int n = 4096, turns = 4;
    int *p, *in[2], out;
    cudaStream_t s;
    cudaEvent_t copied[2];
    cudaStreamCreate(&s);
    cudaMalloc(&p, turns * n * sizeof *p);
    for (int i = 0; i < 2; i++) {
        cudaMallocHost(&in[i], n * sizeof *in[i]);
        cudaEventCreate(&copied[i]);
    }
    for (int turn = 0; turn < turns; turn++) {
        int *now = in[turn % 2];
        while (cudaEventQuery(copied[turn % 2]) == cudaErrorNotReady)
            ;
        for (int i = 0; i < n; i++)
            now[i] = turn;
        cudaMemcpyAsync(p + turn * n, now, n * sizeof *p, cudaMemcpyHostToDevice, s);
        cudaEventRecord(copied[turn % 2], s);
    }
    cudaMemcpy(&out, p + n, sizeof out, cudaMemcpyDeviceToHost);
    bool right = out == 1;
    printf("%s\n", right ? "right" : "wrong");
    cudaStreamDestroy(s);
    cudaFree(p);
    for (int i = 0; i < 2; i++) {
        cudaFreeHost(in[i]);
        cudaEventDestroy(copied[i]);
    }
    return right ? 0 : 1;
}

// A copy's page-locked source is filled anew while the copy may still read it.
#include <cstdio>

int main() {
    const int n = 4096, turns = 3;
    int *p, *in, out;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMalloc(&p, turns * n * sizeof *p);
    cudaMallocHost(&in, n * sizeof *in);
    for (int turn = 0; turn < turns; turn++) {
        for (int i = 0; i < n; i++)
            in[i] = turn; // @finding host-missing-sync
        cudaMemcpyAsync(p + turn * n, in, n * sizeof *p, cudaMemcpyHostToDevice, s); // @cause
    }
    cudaStreamSynchronize(s);
    cudaMemcpy(&out, p + n, sizeof out, cudaMemcpyDeviceToHost);
    printf("%s\n", out == 1 ? "right" : "wrong");
    cudaStreamDestroy(s);
    cudaFree(p);
    cudaFreeHost(in);
    return 0;
}

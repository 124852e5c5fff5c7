// finding: host-failed
int main() {
    int *d, h[4];
    cudaMalloc(&d, 4);
    cudaMemset(d, 0, 4);
    cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost);
    cudaFree(d);
}

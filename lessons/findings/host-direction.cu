// finding: host-direction
int main() {
    int *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMemset(a, 0, 4);
    cudaMemcpy(b, a, 4, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
}

// finding: host-double-free
int main() {
    int *p;
    cudaMalloc(&p, 4);
    cudaFree(p);
    cudaFree(p);
}

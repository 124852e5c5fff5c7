// finding: host-unchecked
__global__ void none() {}
int main() {
    none<<<1, 4096>>>();
    cudaDeviceSynchronize();
}

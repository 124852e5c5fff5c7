__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x; }

int main() {
    int *d, *h;
    cudaStream_t work, copies;
    cudaStreamCreate(&work);
    cudaStreamCreate(&copies);
    cudaMalloc(&d, 256 * sizeof(int));
    cudaMallocHost(&h, 256 * sizeof(int));
    fill<<<1, 256, 0, work>>>(d);
    cudaMemcpyAsync(h, d, 256 * sizeof(int), cudaMemcpyDeviceToHost, copies);
    cudaDeviceSynchronize();
    cudaFree(d);
    cudaFreeHost(h);
}

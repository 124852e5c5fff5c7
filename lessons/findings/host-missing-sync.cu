// finding: host-missing-sync
__global__ void one(int *p) { *p = 1; }
int main() {
    int *p;
    cudaMallocManaged(&p, 4);
    one<<<1, 1>>>(p);
    return *p - 1;
}

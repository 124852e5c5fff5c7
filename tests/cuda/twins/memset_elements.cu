// The memory is written before it is read, each part in another way: by the host,
// by a kernel, by the threads themselves; and a vector is read of which the last
// word is nobody's.
#include <cstdio>

struct point {
    float x, y, z; // and nothing in the fourth
};

__global__ void fill(float *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2 && i < n)
        sums[i] = 0;
}

__global__ void add(float *sums, const float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 4 && i < n / 2)
        sums[i] = 0;
    if (i < n)
        sums[i] += x[i];
}

__global__ void put(float4 *points, int n) {
    int i = threadIdx.x;
    if (i < n)
        *(point *)&points[i] = {1.0f * i, 2.0f * i, 3.0f * i};
}

__global__ void norm(const float4 *points, float *sums, int n) {
    int i = threadIdx.x;
    if (i < n) {
        float4 p = points[i];
        sums[i] += p.x + p.y + p.z;
    }
}

int main() {
    const int n = 256;
    static float x[n], sums[n];
    for (int i = 0; i < n; i++)
        x[i] = i;
    float *d_x, *d_sums;
    float4 *d_points;
    cudaMalloc(&d_x, sizeof x);
    cudaMalloc(&d_sums, 2 * sizeof sums);
    cudaMalloc(&d_points, n * sizeof(float4));
    cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemset(d_sums, 0, n / 4 * sizeof(float));
    fill<<<2, 128>>>(d_sums, n);
    add<<<2, 128>>>(d_sums, d_x, n);
    put<<<1, n>>>(d_points, n);
    norm<<<1, n>>>(d_points, d_sums, n);
    cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad += sums[i] != 7 * x[i];
    printf("memset_elements: %d wrong\n", bad);
    cudaFree(d_x);
    cudaFree(d_sums);
    cudaFree(d_points);
    return bad != 0;
}

// A surface's x counts bytes.
#include <cstdio>

__global__ void fill(cudaSurfaceObject_t s, int w) {
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    if (x < w)
        surf2Dwrite((float)x, s, x * sizeof(float), 0);
}

int main() {
    const int w = 40;
    float out[w];
    cudaArray_t a;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    cudaMallocArray(&a, &c, w, 1, cudaArraySurfaceLoadStore);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaSurfaceObject_t s;
    cudaCreateSurfaceObject(&s, &r);
    fill<<<2, 32>>>(s, w);
    cudaMemcpy2DFromArray(out, sizeof out, a, 0, 0, sizeof out, 1, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < w; i++)
        bad += out[i] != (float)i;
    printf("%d wrong\n", bad);
    cudaDestroySurfaceObject(s);
    cudaFreeArray(a);
    return bad;
}

// The texture object is destroyed when the kernel that reads it has ended.
#include <cstdio>

__global__ void copy(cudaTextureObject_t t, float *o, int w) {
    int x = threadIdx.x, y = blockIdx.x;
    o[y * w + x] = tex2D<float>(t, x + 0.5f, y + 0.5f);
}

int main() {
    const int w = 32, h = 8;
    float in[w * h], out[w * h], *o;
    for (int i = 0; i < w * h; i++)
        in[i] = (float)i;
    cudaArray_t a;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    cudaMallocArray(&a, &c, w, h);
    cudaMemcpy2DToArray(a, 0, 0, in, sizeof(float) * w, sizeof(float) * w, h, cudaMemcpyHostToDevice);
    cudaMalloc(&o, sizeof out);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t t;
    cudaCreateTextureObject(&t, &r, &d, nullptr);
    copy<<<h, w>>>(t, o, w);
    cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost);
    cudaDestroyTextureObject(t);
    int bad = 0;
    for (int i = 0; i < w * h; i++)
        bad += out[i] != in[i];
    printf("%d wrong\n", bad);
    cudaFreeArray(a);
    cudaFree(o);
    return bad;
}

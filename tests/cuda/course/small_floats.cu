/* fp16, bf16, fp8 arithmetic and conversions: the device's must be the host's,
 * bit by bit. */
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <vector>

struct row {
    unsigned short sum, product, fma, bsum, bproduct, rz, inverse;
    unsigned char e4m3, e5m2;
    unsigned short back4, back5;
    int trunc;
    unsigned short max2[2], cmp;
};

__host__ __device__ unsigned short bits(__half h) {
    unsigned short u;
    memcpy(&u, &h, 2);
    return u;
}
__host__ __device__ unsigned short bits(__nv_bfloat16 h) {
    unsigned short u;
    memcpy(&u, &h, 2);
    return u;
}

__host__ __device__ void one(float x, float y, row *r) {
    __half a = __float2half(x), b = __float2half_rn(y);
    r->sum = bits(__hadd(a, b));
    r->product = bits(__hmul(a, b));
    r->fma = bits(__hsub(a, b));
    __nv_bfloat16 c = __float2bfloat16(x), d = __float2bfloat16_rn(y);
    r->bsum = bits(c + d);
    r->bproduct = bits(c * d);
    r->rz = bits(__float2half_rz(x * y));
    r->inverse = bits(__float2half_ru(x + y));
    __nv_fp8_e4m3 e(x);
    __nv_fp8_e5m2 f(y);
    r->e4m3 = e.__x;
    r->e5m2 = f.__x;
    r->back4 = bits(__half(e));
    r->back5 = bits(__half(f));
    r->trunc = __half2int_rz(a);
    __half2 m = __hmax2(__halves2half2(a, b), __halves2half2(b, b));
    r->max2[0] = bits(__low2half(m));
    r->max2[1] = bits(__high2half(m));
    r->cmp =
        (unsigned short)(__hlt(a, b) | __heq(a, b) << 1 | __hisnan(a) << 2);
}

__global__ void all(const float *x, const float *y, row *r, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        row w;
        memset(&w, 0, sizeof w);
        one(x[i], y[i], &w);
        r[i] = w;
    }
}

int main() {
    const int n = 2000;
    std::vector<float> x(n), y(n);
    std::vector<row> want(n), got(n);
    memset((void *)want.data(), 0, n * sizeof(row));
    unsigned s = 7;
    for (int i = 0; i < n; i++) {
        s = s * 1664525 + 1013904223;
        x[i] = (float)((int)(s >> 8) - (1 << 23)) / (1 << (s & 15));
        s = s * 1664525 + 1013904223;
        y[i] =
            (float)((int)(s >> 8) - (1 << 23)) / (float)(1 << (8 + (s & 15)));
        one(x[i], y[i], &want[i]);
    }
    float *dx, *dy;
    row *dr;
    cudaMalloc(&dx, n * 4), cudaMalloc(&dy, n * 4);
    cudaMalloc(&dr, n * sizeof(row));
    cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * 4, cudaMemcpyHostToDevice);
    all<<<(n + 63) / 64, 64>>>(dx, dy, dr, n);
    cudaMemcpy((void *)got.data(), dr, n * sizeof(row), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        if (memcmp(&want[i], &got[i], sizeof(row)) != 0 && wrong++ < 3) {
            row &w = want[i], &g = got[i];
            printf("%g %g: %x %x %x %x %x %x %x %x %x %x %x %d, not %x %x %x "
                   "%x %x %x %x %x %x %x %x %d\n",
                   x[i], y[i], g.sum, g.product, g.fma, g.bsum, g.bproduct,
                   g.rz, g.inverse, g.e4m3, g.e5m2, g.back4, g.back5, g.trunc,
                   w.sum, w.product, w.fma, w.bsum, w.bproduct, w.rz, w.inverse,
                   w.e4m3, w.e5m2, w.back4, w.back5, w.trunc);
        }
    }
    cudaFree(dx), cudaFree(dy), cudaFree(dr);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

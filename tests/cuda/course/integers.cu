/* 64- and 128-bit integers, division by everything, shifts past the end, small
 * types, bit fields, modular powers. */
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

struct packed {
    unsigned a : 5, b : 11, c : 1;
    int d : 7;
};

struct row {
    long long q, r;
    unsigned long long uq, ur, lo, hi, power;
    int32_t s16, sh, rot;
    uint8_t u8;
    int8_t i8;
    packed p;
    unsigned crc;
};

__host__ __device__ unsigned long long
power(unsigned long long b, unsigned long long e, unsigned long long m) {
    unsigned __int128 x = b % m, r = 1;
    for (; e > 0; e >>= 1) {
        if (e & 1) {
            r = r * x % m;
        }
        x = x * x % m;
    }
    return (unsigned long long)r;
}

__host__ __device__ void one(long long a, long long b, row *r) {
    if (b != 0 && b != -1) {
        r->q = a / b;
        r->r = a % b;
        r->uq = (unsigned long long)a / (unsigned long long)b;
        r->ur = (unsigned long long)a % (unsigned long long)b;
    }
    unsigned __int128 p =
        (unsigned __int128)(unsigned long long)a * (unsigned long long)b;
    r->lo = (unsigned long long)p;
    r->hi = (unsigned long long)(p >> 64);
    r->power = power((unsigned long long)a, (unsigned long long)b & 0xff,
                     0xffffffffffffffc5ull);
    r->s16 = (int16_t)a * (int16_t)b;
    r->sh = (int)a >> (b & 31);
    unsigned k = (unsigned)b & 31;
    r->rot = (int)((unsigned)a << k | (unsigned)a >> (-k & 31));
    r->u8 = (uint8_t)(a + b);
    r->i8 = (int8_t)((int8_t)a / ((int8_t)b | 1));
    r->p.a = (unsigned)a;
    r->p.b = (unsigned)b;
    r->p.c = a > b;
    r->p.d = (int)(a ^ b);
    unsigned crc = ~0u;
    for (int i = 0; i < 8; i++) {
        crc ^= (unsigned)(a >> 8 * i) & 255;
        for (int j = 0; j < 8; j++) {
            crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
        }
    }
    r->crc = ~crc;
}

__global__ void all(const long long *v, int n, row *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * n) {
        row r;
        memset(&r, 0, sizeof r);
        one(v[i / n], v[i % n], &r);
        memcpy(&out[i], &r, sizeof r);
    }
}

int main() {
    std::vector<long long> v = {0,          1,
                                -1,         2,
                                7,          -13,
                                100,        65535,
                                1ll << 31,  -(1ll << 31),
                                1ll << 62,  INT64_MAX,
                                INT64_MIN,  0x123456789abcdefll,
                                1000000007, -999999};
    int n = (int)v.size();
    long long *d;
    row *out;
    std::vector<row> got(n * n);
    cudaMalloc(&d, n * sizeof *d), cudaMalloc(&out, n * n * sizeof *out);
    cudaMemset(out, 0, n * n * sizeof *out);
    cudaMemcpy(d, v.data(), n * sizeof *d, cudaMemcpyHostToDevice);
    all<<<(n * n + 63) / 64, 64>>>(d, n, out);
    cudaMemcpy((void *)got.data(), out, n * n * sizeof *out,
               cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n * n; i++) {
        row w;
        memset((void *)&w, 0, sizeof w);
        one(v[i / n], v[i % n], &w);
        row &g = got[i];
        bool same = w.q == g.q && w.r == g.r && w.uq == g.uq && w.ur == g.ur &&
                    w.lo == g.lo && w.hi == g.hi && w.power == g.power &&
                    w.s16 == g.s16 && w.sh == g.sh && w.rot == g.rot &&
                    w.u8 == g.u8 && w.i8 == g.i8 && w.crc == g.crc &&
                    w.p.a == g.p.a && w.p.b == g.p.b && w.p.c == g.p.c &&
                    w.p.d == g.p.d;
        if (!same && wrong++ < 3) {
            printf("%lld and %lld differ\n", v[i / n], v[i % n]);
        }
    }
    cudaFree(d), cudaFree(out);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

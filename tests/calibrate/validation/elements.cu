// elements.cu - a thread an element, or a few: copies, sums, gathers, formulas.
#include "../../../src/calibrate/kernels/stamps.cuh"

KERNEL saxpy(int n, float a, const float *x, float *y, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
    END;
}

KERNEL saxpy_stride(int n, float a, const float *x, float *y, STAMPS) {
    BEGIN;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        y[i] = a * x[i] + y[i];
    }
    END;
}

KERNEL saxpy4(int n, float a, const float4 *x, float4 *y, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 u = x[i], v = y[i];
        y[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z,
                           a * u.w + v.w);
    }
    END;
}

KERNEL vector_add(int n, const float *__restrict__ a,
                  const float *__restrict__ b, float *__restrict__ c,
                  STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
    END;
}

KERNEL copy_strided(int n, int stride, const float *x, float *y, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[(i * stride) & (n - 1)];
    END;
}

KERNEL copy_shifted(int shift, const float *x, float *y, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i + shift];
    END;
}

KERNEL gather(int n, const float *x, const int *index, float *y, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[index[i] & (n - 1)];
    END;
}

KERNEL scatter(int n, const float *x, const int *index, float *y, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicExch(&y[index[i] & (n - 1)], x[i]);
    END;
}

// A polynomial of degree 15, Horner's way.
KERNEL polynomial(const float *x, float *y, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], s = 1.0f;
#pragma unroll
    for (int k = 0; k < 15; ++k) {
        s = s * v + (float)(k + 2);
    }
    y[i] = s;
    END;
}

// Black and Scholes, a European call.
KERNEL black_scholes(const float *price, const float *strike, float *call,
                     STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 20.0f + fabsf(price[i]), k = 18.0f + fabsf(strike[i]);
    float t = 1.5f, r = 0.02f, v = 0.3f, root = v * sqrtf(t);
    float d1 = (logf(s / k) + (r + 0.5f * v * v) * t) / root, d2 = d1 - root;
    call[i] = s * normcdff(d1) - k * expf(-r * t) * normcdff(d2);
    END;
}

// Thirty-two rounds of a 32-bit mixing function.
KERNEL hash(const unsigned *x, unsigned *y, int rounds, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = x[i];
    for (int k = 0; k < rounds; ++k) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h ^= h >> 16;
        h += (unsigned)k;
    }
    y[i] = h;
    END;
}

// Newton's square root in double precision.
KERNEL newton(const double *x, double *y, int steps, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = 2.0 + x[i] * x[i], r = a;
    for (int k = 0; k < steps; ++k) {
        r = 0.5 * (r + a / r);
    }
    y[i] = r;
    END;
}

KERNEL fma_chain(float *x, int n, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < n; ++k) {
        v = v * 0.5f + 1.0f;
    }
    x[i] = v;
    END;
}

KERNEL int8_scale(const signed char *x, signed char *y, int n, STAMPS) {
    BEGIN;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        int v = x[i] * 3 / 2;
        y[i] = (signed char)(v > 127 ? 127 : v < -128 ? -128 : v);
    }
    END;
}

KERNEL complex_multiply(const float2 *a, const float2 *b, float2 *c, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 u = a[i], v = b[i];
    c[i] = make_float2(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x);
    END;
}

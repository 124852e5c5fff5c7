// others.cu - atomics, chases, conflicts, divergence, and what courses set as
// exercises besides.
#include "../../../src/calibrate/kernels/stamps.cuh"

KERNEL histogram_global(int n, const unsigned *x, unsigned *bins, STAMPS) {
    BEGIN;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        atomicAdd(&bins[x[i] % 256], 1u);
    }
    END;
}

KERNEL histogram_shared(int n, const unsigned *x, unsigned *bins, STAMPS) {
    __shared__ unsigned s[256];
    BEGIN;
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        atomicAdd(&s[x[i] % 256], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
    END;
}

// words: 1 (all add to one), or as many as threads may differ by.
KERNEL atomic_words(unsigned *out, int words, int times, STAMPS) {
    BEGIN;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < times; ++k) {
        atomicAdd(&out[(i + 37 * k) & (words - 1)], i);
    }
    END;
}

KERNEL count_ballot(int n, const int *x, int *count, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned votes = __ballot_sync(~0u, i < n && (x[i] & 3) == 1);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(count, __popc(votes));
    }
    END;
}

// A list through `words` of memory; its links are made first, by this CTA.
KERNEL chase_global(unsigned *list, unsigned *out, int words, int stride,
                    int steps, STAMPS) {
    list += blockIdx.x * words;
    for (int i = threadIdx.x; i < words; i += blockDim.x) {
        list[i] = (i + stride) & (words - 1);
    }
    __threadfence();
    __syncthreads();
    BEGIN;
    unsigned p = 0;
    if (threadIdx.x == 0) {
        for (int k = 0; k < steps; ++k) {
            p = list[p];
        }
        out[blockIdx.x] = p;
    }
    END;
}

KERNEL chase_l2(unsigned *list, unsigned *out, int words, int stride,
                int steps, STAMPS) {
    list += blockIdx.x * words;
    for (int i = threadIdx.x; i < words; i += blockDim.x) {
        list[i] = (i + stride) & (words - 1);
    }
    __threadfence();
    __syncthreads();
    BEGIN;
    unsigned p = 0;
    if (threadIdx.x == 0) {
        for (int k = 0; k < steps; ++k) {
            p = __ldcg(&list[p]);
        }
        out[blockIdx.x] = p;
    }
    END;
}

KERNEL chase_shared(unsigned *out, int steps, STAMPS) {
    __shared__ unsigned s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        s[i] = (i * 5 + 1) & 1023;
    }
    __syncthreads();
    BEGIN;
    unsigned p = threadIdx.x;
    for (int k = 0; k < steps; ++k) {
        p = s[p];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = p;
    END;
}

KERNEL conflicts(float *out, int stride, int steps, STAMPS) {
    __shared__ float s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        s[i] = 1.0f;
    }
    __syncthreads();
    BEGIN;
    int at = threadIdx.x * stride;
    float v = 0;
    for (int k = 0; k < steps; ++k) {
        v += s[(at + k) & 1023];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
    END;
}

// Each of `ways` groups of lanes takes another arm.
KERNEL divergent_switch(const float *x, float *y, int ways, int times,
                        STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 1.0f + fabsf(x[i]);
    for (int k = 0; k < times; ++k) {
        switch (threadIdx.x & (ways - 1)) {
        case 0: v = sqrtf(v + 1.0f); break;
        case 1: v = v / (v + 0.5f); break;
        case 2: v = v * v - 0.25f * v; break;
        case 3: v = 1.0f / (1.0f + v); break;
        case 4: v = fabsf(__sinf(v)) + 0.1f; break;
        case 5: v = v * 0.5f + 2.0f; break;
        case 6: v = log2f(1.0f + v); break;
        default: v = exp2f(-v) + 1.0f; break;
        }
    }
    y[i] = v;
    END;
}

KERNEL collatz(const unsigned *x, unsigned *y, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned n = (x[i] & 1023) + 1, steps = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        ++steps;
    }
    y[i] = steps;
    END;
}

KERNEL mandelbrot(int *out, int width, int most, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float cr = -2.0f + 3.0f * (i % width) / width;
    float ci = -1.0f + 2.0f * (i / width % width) / width;
    float zr = 0, zi = 0;
    int k = 0;
    while (k < most && zr * zr + zi * zi < 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        ++k;
    }
    out[i] = k;
    END;
}

KERNEL nbody(int n, const float4 *p, float4 *f, STAMPS) {
    __shared__ float4 s[256];
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = p[i];
    float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += 256) {
        s[threadIdx.x] = p[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; ++k) {
            float dx = s[k].x - me.x, dy = s[k].y - me.y, dz = s[k].z - me.z;
            float d = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float w = s[k].w * d * d * d;
            ax += dx * w;
            ay += dy * w;
            az += dz * w;
        }
        __syncthreads();
    }
    f[i] = make_float4(ax, ay, az, 0);
    END;
}

KERNEL bitonic_sort(int *x, STAMPS) {
    __shared__ int s[512];
    BEGIN;
    int t = threadIdx.x, base = blockIdx.x * 512;
    s[t] = x[base + t];
    __syncthreads();
    for (int k = 2; k <= 512; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            int o = t ^ j;
            if (o > t) {
                int a = s[t], b = s[o];
                if ((a > b) == ((t & k) == 0)) {
                    s[t] = b;
                    s[o] = a;
                }
            }
            __syncthreads();
        }
    }
    x[base + t] = s[t];
    END;
}

KERNEL monte_carlo(unsigned *hits, int tries, STAMPS) {
    BEGIN;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned r = i * 2654435761u + 1, in = 0;
    for (int k = 0; k < tries; ++k) {
        r = r * 1664525u + 1013904223u;
        float x = (float)(r >> 8) * (1.0f / 16777216.0f);
        r = r * 1664525u + 1013904223u;
        float y = (float)(r >> 8) * (1.0f / 16777216.0f);
        in += x * x + y * y < 1.0f;
    }
    hits[i] = in;
    END;
}

// In a sorted table of 1024 words, made first.
KERNEL binary_search(const unsigned *keys, int *where, int times, STAMPS) {
    __shared__ unsigned table[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
        table[k] = 3 * k + 1;
    }
    __syncthreads();
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x, found = 0;
    for (int n = 0; n < times; ++n) {
        unsigned key = (keys[i] + 977 * n) % 3072;
        int lo = 0, hi = 1024;
        while (lo < hi) {
            int mid = (lo + hi) / 2;
            if (table[mid] < key) {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        found += lo;
    }
    where[i] = found;
    END;
}

// Rows of `row` values each, their columns anywhere.
KERNEL spmv(int row, int n, const float *value, const int *column,
            const float *x, float *y, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < row; ++k) {
        s += value[i * row + k] * x[column[i * row + k] & (n - 1)];
    }
    y[i] = s;
    END;
}

KERNEL life(int n, const unsigned char *in, unsigned char *out, STAMPS) {
    BEGIN;
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y, alive = 0;
    for (int j = -1; j <= 1; ++j) {
        for (int i = -1; i <= 1; ++i) {
            int at = ((r + j + n) % n) * n + (c + i + n) % n;
            alive += (i | j) != 0 ? in[at] & 1 : 0;
        }
    }
    out[r * n + c] = alive == 3 || (alive == 2 && (in[r * n + c] & 1));
    END;
}

// 256 points of a Fourier transform in shared memory, a block each.
KERNEL fft_256(const float2 *x, float2 *y, STAMPS) {
    __shared__ float2 s[256];
    BEGIN;
    int t = threadIdx.x, base = blockIdx.x * 256;
    for (int k = t; k < 256; k += 128) {
        s[__brev(k) >> 24] = x[base + k];
    }
    for (int half = 1; half < 256; half *= 2) {
        __syncthreads();
        int j = t & (half - 1), a = 2 * (t - j) + j, b = a + half;
        float c, d;
        __sincosf(-3.14159265f * j / half, &d, &c);
        float2 u = s[a], v = s[b];
        float2 w = make_float2(v.x * c - v.y * d, v.x * d + v.y * c);
        s[a] = make_float2(u.x + w.x, u.y + w.y);
        s[b] = make_float2(u.x - w.x, u.y - w.y);
    }
    __syncthreads();
    y[base + t] = s[t];
    y[base + t + 128] = s[t + 128];
    END;
}

KERNEL barriers(int *out, int times, STAMPS) {
    BEGIN;
    for (int k = 0; k < times; ++k) {
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = times;
    END;
}

KERNEL mbarriers(int *out, int times, STAMPS) {
    __shared__ alignas(8) uint64_t bar;
    BEGIN;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(
                         shared_at(&bar)),
                     "r"(blockDim.x)
                     : "memory");
    }
    __syncthreads();
    for (int k = 0; k < times; ++k) {
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(
                         shared_at(&bar))
                     : "memory");
        asm volatile("{\n.reg .pred p;\nW%=:\n"
                     "mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
                     "@!p bra W%=;\n}" ::"r"(shared_at(&bar)),
                     "r"(k & 1)
                     : "memory");
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = times;
    END;
}

KERNEL shuffles(float *x, int times, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < times; ++k) {
        v += 0.5f * __shfl_xor_sync(~0u, v, 1 << (k & 3));
    }
    x[i] = v;
    END;
}

KERNEL matrix_power(const float *x, float *y, int times, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float m[9], r[9];
    for (int k = 0; k < 9; ++k) {
        r[k] = m[k] = x[i * 9 + k] * 0.125f;
    }
    for (int n = 0; n < times; ++n) {
        float p[9];
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                p[a * 3 + b] = r[a * 3] * m[b] + r[a * 3 + 1] * m[3 + b] +
                               r[a * 3 + 2] * m[6 + b];
            }
        }
        for (int k = 0; k < 9; ++k) {
            r[k] = p[k];
        }
    }
    for (int k = 0; k < 9; ++k) {
        y[i * 9 + k] = r[k];
    }
    END;
}

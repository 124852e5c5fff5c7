// reduce.cu - sums, maxima, scans.
#include "../../../src/calibrate/kernels/stamps.cuh"

// The reductions of Harris's slides, from the slowest on.
KERNEL reduce_interleaved(const float *x, float *out, STAMPS) {
    __shared__ float s[256];
    BEGIN;
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int k = 1; k < blockDim.x; k *= 2) {
        if (t % (2 * k) == 0) {
            s[t] += s[t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
    END;
}

KERNEL reduce_strided(const float *x, float *out, STAMPS) {
    __shared__ float s[256];
    BEGIN;
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int k = 1; k < blockDim.x; k *= 2) {
        int at = 2 * k * t;
        if (at < blockDim.x) {
            s[at] += s[at + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
    END;
}

KERNEL reduce_sequential(const float *x, float *out, STAMPS) {
    __shared__ float s[256];
    BEGIN;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
    s[t] = x[i] + x[i + blockDim.x];
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k) {
            s[t] += s[t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
    END;
}

__device__ __forceinline__ float warp_sum(float v) {
    for (int k = 16; k > 0; k /= 2) {
        v += __shfl_down_sync(~0u, v, k);
    }
    return v;
}

KERNEL reduce_shuffle(int n, const float *x, float *out, STAMPS) {
    __shared__ float s[32];
    BEGIN;
    int t = threadIdx.x;
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n;
         i += gridDim.x * blockDim.x) {
        v += x[i];
    }
    v = warp_sum(v);
    if (t % 32 == 0) {
        s[t / 32] = v;
    }
    __syncthreads();
    if (t < 32) {
        v = warp_sum(t < blockDim.x / 32 ? s[t] : 0.0f);
        if (t == 0) {
            atomicAdd(out, v);
        }
    }
    END;
}

KERNEL dot(int n, const float4 *x, const float4 *y, float *out, STAMPS) {
    __shared__ float s[32];
    BEGIN;
    int t = threadIdx.x;
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n;
         i += gridDim.x * blockDim.x) {
        float4 a = x[i], b = y[i];
        v += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    v = warp_sum(v);
    if (t % 32 == 0) {
        s[t / 32] = v;
    }
    __syncthreads();
    if (t < 32) {
        v = warp_sum(t < blockDim.x / 32 ? s[t] : 0.0f);
        if (t == 0) {
            out[blockIdx.x] = v;
        }
    }
    END;
}

// Each thread adds eight values that lie apart.
KERNEL sum_of_8(int n, const float *x, float *y, STAMPS) {
    BEGIN;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        s += x[i + k * n];
    }
    y[i] = s;
    END;
}

KERNEL argmax(int n, const float *x, int *out, STAMPS) {
    __shared__ float best[256];
    __shared__ int where[256];
    BEGIN;
    int t = threadIdx.x, w = -1;
    float b = -1e30f;
    for (int i = blockIdx.x * blockDim.x + t; i < n;
         i += gridDim.x * blockDim.x) {
        float v = x[i];
        if (v > b) {
            b = v;
            w = i;
        }
    }
    best[t] = b;
    where[t] = w;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k && best[t + k] > best[t]) {
            best[t] = best[t + k];
            where[t] = where[t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = where[0];
    }
    END;
}

KERNEL sum_rows(int columns, const float *x, float *y, STAMPS) {
    BEGIN;
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    float s = 0;
    for (int c = threadIdx.x % 32; c < columns; c += 32) {
        s += x[row * columns + c];
    }
    s = warp_sum(s);
    if (threadIdx.x % 32 == 0) {
        y[row] = s;
    }
    END;
}

KERNEL sum_columns(int rows, int columns, const float *x, float *y, STAMPS) {
    BEGIN;
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int r = 0; r < rows; ++r) {
        s += x[r * columns + c];
    }
    y[c] = s;
    END;
}

KERNEL scan_hillis_steele(const float *x, float *y, STAMPS) {
    __shared__ float s[2][256];
    BEGIN;
    int t = threadIdx.x, in = 0;
    s[0][t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 1; k < 256; k *= 2) {
        s[1 - in][t] = t >= k ? s[in][t] + s[in][t - k] : s[in][t];
        in = 1 - in;
        __syncthreads();
    }
    y[blockIdx.x * 256 + t] = s[in][t];
    END;
}

KERNEL scan_blelloch(const float *x, float *y, STAMPS) {
    __shared__ float s[512];
    BEGIN;
    int t = threadIdx.x, base = blockIdx.x * 512;
    s[2 * t] = x[base + 2 * t];
    s[2 * t + 1] = x[base + 2 * t + 1];
    int apart = 1;
    for (int d = 256; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            s[apart * (2 * t + 2) - 1] += s[apart * (2 * t + 1) - 1];
        }
        apart *= 2;
    }
    if (t == 0) {
        s[511] = 0;
    }
    for (int d = 1; d < 512; d *= 2) {
        apart >>= 1;
        __syncthreads();
        if (t < d) {
            int a = apart * (2 * t + 1) - 1, b = apart * (2 * t + 2) - 1;
            float v = s[a];
            s[a] = s[b];
            s[b] += v;
        }
    }
    __syncthreads();
    y[base + 2 * t] = s[2 * t];
    y[base + 2 * t + 1] = s[2 * t + 1];
    END;
}

KERNEL scan_shuffle(const float *x, float *y, STAMPS) {
    __shared__ float s[32];
    BEGIN;
    int t = threadIdx.x, lane = t % 32, i = blockIdx.x * blockDim.x + t;
    float v = x[i];
    for (int k = 1; k < 32; k *= 2) {
        float u = __shfl_up_sync(~0u, v, k);
        v += lane >= k ? u : 0.0f;
    }
    if (lane == 31) {
        s[t / 32] = v;
    }
    __syncthreads();
    if (t < 32) {
        float w = t < blockDim.x / 32 ? s[t] : 0.0f;
        for (int k = 1; k < 32; k *= 2) {
            float u = __shfl_up_sync(~0u, w, k);
            w += lane >= k ? u : 0.0f;
        }
        s[t] = w;
    }
    __syncthreads();
    y[i] = v + (t >= 32 ? s[t / 32 - 1] : 0.0f);
    END;
}

// A row of 1024 a block: softmax with the maximum taken off.
KERNEL softmax(const float *x, float *y, STAMPS) {
    __shared__ float s[32];
    BEGIN;
    int t = threadIdx.x;
    const float *row = x + blockIdx.x * 1024;
    float v[4], most = -1e30f, sum = 0;
    for (int k = 0; k < 4; ++k) {
        v[k] = row[t + 256 * k];
        most = fmaxf(most, v[k]);
    }
    for (int k = 16; k > 0; k /= 2) {
        most = fmaxf(most, __shfl_xor_sync(~0u, most, k));
    }
    if (t % 32 == 0) {
        s[t / 32] = most;
    }
    __syncthreads();
    for (int k = 0; k < 8; ++k) {
        most = fmaxf(most, s[k]);
    }
    __syncthreads();
    for (int k = 0; k < 4; ++k) {
        v[k] = __expf(v[k] - most);
        sum += v[k];
    }
    sum = warp_sum(sum);
    if (t % 32 == 0) {
        s[t / 32] = sum;
    }
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; ++k) {
        sum += s[k];
    }
    for (int k = 0; k < 4; ++k) {
        y[blockIdx.x * 1024 + t + 256 * k] = v[k] / sum;
    }
    END;
}

// A warp a row of 512: mean, variance, scaled.
KERNEL layer_norm(const float *x, const float *g, const float *b, float *y,
                  STAMPS) {
    BEGIN;
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    float v[16], sum = 0, square = 0;
    for (int k = 0; k < 16; ++k) {
        v[k] = x[row * 512 + lane + 32 * k];
        sum += v[k];
    }
    for (int k = 16; k > 0; k /= 2) {
        sum += __shfl_xor_sync(~0u, sum, k);
    }
    float mean = sum / 512;
    for (int k = 0; k < 16; ++k) {
        square += (v[k] - mean) * (v[k] - mean);
    }
    for (int k = 16; k > 0; k /= 2) {
        square += __shfl_xor_sync(~0u, square, k);
    }
    float scale = rsqrtf(square / 512 + 1e-5f);
    for (int k = 0; k < 16; ++k) {
        int c = lane + 32 * k;
        y[row * 512 + c] = (v[k] - mean) * scale * g[c] + b[c];
    }
    END;
}

// The kernels of `make bench`. nvcc's PTX of them is beside this file:
//     nvcc -ptx -arch=sm_90 -o nvcc.ptx kernels.cu
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

extern "C" __global__ void max_pool(int n, const float *x, float *y) {
    const int radius = 15;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float best = -INFINITY;
    for (int k = -radius; k <= radius; k++) {
        int j = i + k;
        if (j >= 0 && j < n) {
            best = fmaxf(best, x[j]);
        }
    }
    y[i] = best;
}

// Divergent: each thread has a loop of its own length, and two ways in it.
extern "C" __global__ void collatz(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned v = i + 1, steps = 0;
        while (v != 1) {
            if (v & 1) {
                v = 3 * v + 1;
                steps += 2;
            } else {
                v = v / 2;
                steps ^= v;
            }
        }
        y[i] = steps;
    }
}

// Divergent: eight ways, by lane.
extern "C" __global__ void eight_ways(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float v = x[i];
#pragma unroll 1
    for (int k = 0; k < 16; k++) {
        switch ((i + k) & 7) {
        case 0: v = v * 1.5f; y[i] = v; break;
        case 1: v = v + 0.5f; y[i] = v * v; break;
        case 2: v = v - 0.25f; y[i] = v + v; break;
        case 3: v = fmaf(v, v, 1.0f); y[i] = -v; break;
        case 4: v = fminf(v, 2.0f); y[i] = v + 3; break;
        case 5: v = fmaxf(v, 0.5f); y[i] = v * 3; break;
        case 6: v = fabsf(v); y[i] = v - 3; break;
        default: v = -v; y[i] = 3 - v; break;
        }
    }
}

// Max pooling over a tile in shared memory, as courses write it.
extern "C" __global__ void max_pool_tile(int n, const float *x, float *y) {
    const int radius = 15, block = 256;
    __shared__ float tile[block + 2 * radius];
    int first = blockIdx.x * block - radius;
    for (int t = threadIdx.x; t < block + 2 * radius; t += block) {
        int j = first + t;
        tile[t] = j >= 0 && j < n ? x[j] : -INFINITY;
    }
    __syncthreads();
    int i = blockIdx.x * block + threadIdx.x;
    if (i < n) {
        float best = tile[threadIdx.x];
        for (int k = 1; k <= 2 * radius; k++) {
            best = fmaxf(best, tile[threadIdx.x + k]);
        }
        y[i] = best;
    }
}

// Shared memory in the other ways that programs use it.
extern "C" __global__ void histogram(int n, const float *x, float *y) {
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, stride = n / 8;
    for (int k = 0; k < 8; k++) {
        int j = (i + k * stride) % n;
        atomicAdd(&bins[(__float_as_uint(x[j]) * 2654435761u) >> 24], 1u);
    }
    __syncthreads();
    if (i < n) {
        y[i] = bins[threadIdx.x];
    }
}

extern "C" __global__ void reduce(int n, const float *x, float *y) {
    __shared__ float sums[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sums[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int w = 128; w > 0; w /= 2) {
        if (threadIdx.x < w) {
            sums[threadIdx.x] += sums[threadIdx.x + w];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        y[blockIdx.x] = sums[0];
    }
}

// A 256 x 256 matrix times itself, in tiles of 16 x 16, over and over.
extern "C" __global__ void matmul_tile(int n, const float *x, float *y) {
    const int tile = 16, size = 256;
    __shared__ float a[tile][tile], b[tile][tile];
    int tx = threadIdx.x % tile, ty = threadIdx.x / tile;
    int row = blockIdx.x / (size / tile) % (size / tile) * tile + ty;
    int col = blockIdx.x % (size / tile) * tile + tx;
    float sum = 0;
    for (int k = 0; k < size; k += tile) {
        a[ty][tx] = x[row * size + k + tx];
        b[ty][tx] = x[(k + ty) * size + col];
        __syncthreads();
        for (int i = 0; i < tile; i++) {
            sum += a[ty][i] * b[i][tx];
        }
        __syncthreads();
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Tiles that are copied while the tile before is worked on.
extern "C" __global__ void copy_tiles(int n, const float *x, float *y) {
    const int block = 256, tiles = 8;
    __shared__ float tile[2][block];
    int base = blockIdx.x * block * tiles + threadIdx.x;
    if (base >= n) {
        return;
    }
    for (int k = 0; k <= tiles; k++) {
        if (k < tiles) {
            unsigned to = __cvta_generic_to_shared(&tile[k & 1][threadIdx.x]);
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to),
                         "l"(x + base + k * block)
                         : "memory");
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        if (k > 0) {
            float best = tile[(k - 1) & 1][threadIdx.x];
            for (int i = 1; i < 8; i++) {
                best = fmaxf(best, tile[(k - 1) & 1][threadIdx.x ^ i]);
            }
            y[base + (k - 1) * block] = best;
        }
        __syncthreads();
    }
}

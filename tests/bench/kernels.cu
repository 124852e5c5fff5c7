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

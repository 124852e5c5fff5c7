/* Structures by value: nested arrays, 4 KiB and more of parameters, templates
 * with packs, extended shapes passed on to device functions. */
#include <cstdio>
#include <vector>

template <class T, int R, int C> struct matrix {
    T v[R][C];
    __host__ __device__ T trace() const {
        T s = 0;
        for (int i = 0; i < (R < C ? R : C); i++) {
            s += v[i][i];
        }
        return s;
    }
    __host__ __device__ const T &operator()(int r, int c) const {
        return v[r][c];
    }
};

struct job {
    char tag;
    double scale;
    short steps[3];
    matrix<float, 16, 60> m; /* 3840 bytes */
    float *out;
};

__global__ void use(job j, unsigned char last) {
    int i = threadIdx.x;
    j.out[i] = (float)(j.scale * j.m(i % 16, i % 60) + j.steps[i % 3] +
                       j.m.trace() + j.tag + last);
}

template <class... A> __global__ void sum_of(int *out, A... a) {
    *out = (0 + ... + (int)a);
}

template <int N> __global__ void fill(matrix<int, N, N> a, int *out) {
    if constexpr (N > 4) {
        out[threadIdx.x] = a.v[threadIdx.x / N][threadIdx.x % N] + 1;
    } else {
        out[threadIdx.x] = -a.v[threadIdx.x / N][threadIdx.x % N];
    }
}

int main() {
    job j;
    j.tag = 'c';
    j.scale = 0.5;
    for (int i = 0; i < 3; i++) {
        j.steps[i] = (short)(100 * i - 50);
    }
    for (int r = 0; r < 16; r++) {
        for (int c = 0; c < 60; c++) {
            j.m.v[r][c] = (float)(r * 60 + c);
        }
    }
    const int n = 96;
    cudaMalloc(&j.out, n * sizeof(float));
    use<<<1, n>>>(j, 7);
    std::vector<float> r(n);
    cudaMemcpy(r.data(), j.out, n * 4, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        wrong += r[i] != (float)(j.scale * j.m(i % 16, i % 60) +
                                 j.steps[i % 3] + j.m.trace() + j.tag + 7);
    }
    int *out, got[36];
    cudaMalloc(&out, sizeof got);
    sum_of<<<1, 1>>>(out, (char)1, 2.5, 3LL, (short)-4, 5.5f, true);
    cudaMemcpy(got, out, 4, cudaMemcpyDeviceToHost);
    wrong += got[0] != 1 + 2 + 3 - 4 + 5 + 1;
    matrix<int, 6, 6> a;
    matrix<int, 3, 3> b;
    for (int i = 0; i < 36; i++) {
        a.v[i / 6][i % 6] = i * i;
    }
    for (int i = 0; i < 9; i++) {
        b.v[i / 3][i % 3] = i + 40;
    }
    fill<<<1, 36>>>(a, out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 36; i++) {
        wrong += got[i] != i * i + 1;
    }
    fill<<<1, 9>>>(b, out);
    cudaMemcpy(got, out, 36, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 9; i++) {
        wrong += got[i] != -(i + 40);
    }
    cudaFree(out);
    cudaFree(j.out);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

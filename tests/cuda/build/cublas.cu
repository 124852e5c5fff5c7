// cuBLAS: what courses call, computed once more by the host.
#include <cmath>
#include <cstdio>
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <vector>

static int wrong;

static void check(bool right, const char *what, int line) {
    if (!right) {
        printf("line %d: %s\n", line, what);
        wrong++;
    }
}
#define CHECK(x) check(x, #x, __LINE__)
#define OK(call) check((int)(call) == 0, #call, __LINE__)

enum { M = 7, N = 5, K = 9, LD = 11 };

template <class T> static T *device(const std::vector<T> &v) {
    T *d = nullptr;
    OK(cudaMalloc(&d, v.size() * sizeof(T)));
    OK(cublasSetVector((int)v.size(), sizeof(T), v.data(), 1, d, 1));
    return d;
}

template <class T> static std::vector<T> host(const T *d, size_t n) {
    std::vector<T> v(n);
    OK(cublasGetVector((int)n, sizeof(T), d, 1, v.data(), 1));
    return v;
}

template <class T> static std::vector<T> numbers(int n, int seed) {
    std::vector<T> v(n);
    for (int i = 0; i < n; i++)
        v[i] = (T)(float)((i * 7 + seed) % 13 - 6);
    return v;
}

template <class T> static double at(const std::vector<T> &v, bool turned, int i, int j) {
    return (double)(float)(turned ? v[i * LD + j] : v[j * LD + i]);
}

// C of all four cases against three loops; numbers are small, all is exact.
template <class T, class G> static void products(G gemm) {
    for (int k = 0; k < 4; k++) {
        bool ta = k & 1, tb = k & 2;
        std::vector<T> a = numbers<T>(LD * LD, 1), b = numbers<T>(LD * LD, 2), c = numbers<T>(LD * LD, 3);
        T *da = device(a), *db = device(b), *dc = device(c);
        OK(gemm(ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, da, db, dc));
        std::vector<T> r = host(dc, LD * LD);
        for (int j = 0; j < LD; j++)
            for (int i = 0; i < LD; i++) {
                double sum = 0;
                for (int l = 0; l < K; l++)
                    sum += at(a, ta, i < M ? i : 0, l) * at(b, tb, l, j < N ? j : 0);
                double want = i < M && j < N ? 2 * sum + 3 * at(c, false, i, j) : at(c, false, i, j);
                CHECK((double)(float)r[j * LD + i] == want);
            }
        OK(cudaFree(da));
        OK(cudaFree(db));
        OK(cudaFree(dc));
    }
}

static void vectors(cublasHandle_t h) {
    std::vector<float> x = numbers<float>(40, 1), y = numbers<float>(40, 5);
    float *dx = device(x), *dy = device(y), r = 0, alpha = 2, *dr;
    int index = 0;
    double dot = 0, norm = 0, sum = 0;
    for (int i = 0; i < 20; i++) {
        dot += x[2 * i] * y[i];
        norm += x[2 * i] * x[2 * i];
        sum += fabsf(x[2 * i]);
    }
    OK(cublasSdot(h, 20, dx, 2, dy, 1, &r));
    CHECK(r == dot);
    OK(cublasSnrm2(h, 20, dx, 2, &r));
    CHECK(fabs(r - sqrt(norm)) < 1e-5);
    OK(cublasSasum(h, 20, dx, 2, &r));
    CHECK(r == sum);
    OK(cublasIsamax(h, 20, dx, 2, &index));
    CHECK(index >= 1 && fabsf(x[2 * (index - 1)]) == 6);
    OK(cublasSaxpy(h, 40, &alpha, dx, 1, dy, 1));
    OK(cublasSscal(h, 10, &alpha, dx, 1));
    std::vector<float> rx = host(dx, 40), ry = host(dy, 40);
    for (int i = 0; i < 40; i++)
        CHECK(ry[i] == y[i] + 2 * x[i] && rx[i] == x[i] * (i < 10 ? 2 : 1));
    OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    OK(cudaMalloc(&dr, sizeof r));
    OK(cublasSdot(h, 1, dx, 1, dx, 1, dr));
    OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    OK(cudaMemcpy(&r, dr, sizeof r, cudaMemcpyDeviceToHost));
    CHECK(r == rx[0] * rx[0]);
    OK(cudaFree(dr));
    OK(cudaFree(dx));
    OK(cudaFree(dy));
}

static void matrix_vector(cublasHandle_t h) {
    std::vector<double> a = numbers<double>(LD * LD, 4), x = numbers<double>(LD, 1), y = numbers<double>(LD, 2);
    double *da = device(a), *dx = device(x), *dy = device(y), alpha = 2, beta = -1;
    OK(cublasDgemv(h, CUBLAS_OP_N, M, N, &alpha, da, LD, dx, 1, &beta, dy, 1));
    std::vector<double> r = host(dy, LD);
    for (int i = 0; i < M; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++)
            sum += a[j * LD + i] * x[j];
        CHECK(r[i] == 2 * sum - y[i]);
    }
    OK(cublasDgemv(h, CUBLAS_OP_T, M, N, &alpha, da, LD, dx, 1, &beta, dy, 1));
    OK(cublasDger(h, M, N, &alpha, dx, 1, dx, 1, da, LD));
    r = host(da, LD * LD);
    for (int i = 0; i < M * N; i++)
        CHECK(r[i / M * LD + i % M] == a[i / M * LD + i % M] + 2 * x[i % M] * x[i / M]);
    OK(cudaFree(da));
    OK(cudaFree(dx));
    OK(cudaFree(dy));
}

static void refused(cublasHandle_t h) {
    float alpha = 1, *d;
    OK(cudaMalloc(&d, 64));
    CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &alpha, d, 3, d, 4, &alpha, d, 4) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &alpha, d, 8, d, 8, &alpha, d, 8) != CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSscal(h, 17, &alpha, d, 1) != CUBLAS_STATUS_SUCCESS);
    OK(cudaFree(d));
}

int main() {
    cublasHandle_t h;
    OK(cublasCreate(&h));
    float one = 1;
    float *probe = device(std::vector<float>(1, 3));
    if (cublasSscal(h, 1, &one, probe, 1) == CUBLAS_STATUS_NOT_SUPPORTED) {
        printf("no BLAS\n");
        return 0;
    }
    OK(cudaFree(probe));
    products<float>([&](cublasOperation_t ta, cublasOperation_t tb, float *a, float *b, float *c) {
        float alpha = 2, beta = 3;
        return cublasSgemm(h, ta, tb, M, N, K, &alpha, a, LD, b, LD, &beta, c, LD);
    });
    products<double>([&](cublasOperation_t ta, cublasOperation_t tb, double *a, double *b, double *c) {
        double alpha = 2, beta = 3;
        return cublasDgemm(h, ta, tb, M, N, K, &alpha, a, LD, b, LD, &beta, c, LD);
    });
    products<__half>([&](cublasOperation_t ta, cublasOperation_t tb, __half *a, __half *b, __half *c) {
        __half alpha = 2, beta = 3;
        return cublasHgemm(h, ta, tb, M, N, K, &alpha, a, LD, b, LD, &beta, c, LD);
    });
    products<__half>([&](cublasOperation_t ta, cublasOperation_t tb, __half *a, __half *b, __half *c) {
        float alpha = 2, beta = 3;
        return cublasGemmEx(h, ta, tb, M, N, K, &alpha, a, CUDA_R_16F, LD, b, CUDA_R_16F, LD, &beta, c, CUDA_R_16F, LD,
                            CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    });
    vectors(h);
    matrix_vector(h);
    refused(h);
    OK(cublasDestroy(h));
    printf("%d wrong\n", wrong);
    return wrong;
}

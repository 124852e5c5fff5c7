/* products.c - cuBLAS's operations on vectors and matrices of floats and
 * doubles, and products of matrices of other elements too. */
#include "runtime/stub/blas/blas.h"
#include <string.h>

static uint64_t address(const void *p) {
    return (uint64_t)(uintptr_t)p;
}

static tc_rt_blas_operand operand(const void *p, uint32_t type, int step) {
    return (tc_rt_blas_operand){
        .address = address(p), .type = type, .step = step};
}

/* --- scalars ------------------------------------------------------------- */

static double half_value(uint16_t h) {
    uint32_t e = h >> 10 & 31, f = h & 1023u;
    double v = e == 0 ? (double)f / (1 << 24) : (double)(f + 1024) / (1 << 10);
    for (uint32_t i = 15; e > 15 && i < e; i++) {
        v *= 2;
    }
    for (uint32_t i = e; e > 0 && i < 15; i++) {
        v /= 2;
    }
    return h >> 15 ? -v : v;
}

/* alpha or beta, of a type that scalars have. */
static tc_cublas_status scalar(const tc_cublas *h, uint32_t type, const void *p,
                               double *out) {
    union {
        float f;
        double d;
        uint16_t h;
        int32_t i;
    } u;
    size_t size = type == TC_RT_BLAS_F64 ? 8 : type == TC_RT_BLAS_F16 ? 2 : 4;
    tc_cublas_status s = tc_cublas_scalar(h, p, &u, size);
    if (s == CUBLAS_OK) {
        *out = type == TC_RT_BLAS_F64   ? u.d
               : type == TC_RT_BLAS_F16 ? half_value(u.h)
               : type == TC_RT_BLAS_S32 ? u.i
                                        : (double)u.f;
    }
    return s;
}

/* --- vectors ------------------------------------------------------------- */

typedef struct vector {
    const void *p;
    int step;
} vector;

/* An operation on one or two vectors; alpha: NULL where there is none. */
static tc_cublas_status vectors(tc_cublas *handle, const char *name,
                                uint32_t what, uint32_t type, int n,
                                const void *alpha, vector x, vector y,
                                tc_rt_blas *q) {
    const tc_cublas *h = tc_cublas_of(handle);
    *q = (tc_rt_blas){.what = what, .n = n > 0 ? n : 0};
    q->x[0] = operand(x.p, type, x.step);
    q->x[1] = operand(y.p, type, y.step);
    if (h == NULL) {
        return CUBLAS_NOT_INITIALIZED;
    }
    tc_cublas_status s =
        alpha != NULL ? scalar(h, type, alpha, &q->alpha) : CUBLAS_OK;
    return s != CUBLAS_OK ? s : tc_cublas_run(h, name, q);
}

#define DECLARED(name, parameters)                                             \
    TC_API int name parameters;                                                \
    TC_API int name parameters

#define TWO(name, what, T, type)                                               \
    DECLARED(name, (tc_cublas * handle, int n, const T *x, int incx, T *y,     \
                    int incy)) {                                               \
        TC_ENTER();                                                            \
        tc_rt_blas q;                                                          \
        return tc_cublas_leave(vectors(handle, #name, what, type, n, NULL,     \
                                       (vector){x, incx}, (vector){y, incy},   \
                                       &q));                                   \
    }
TWO(cublasScopy_v2, TC_RT_COPY, float, TC_RT_BLAS_F32)
TWO(cublasDcopy_v2, TC_RT_COPY, double, TC_RT_BLAS_F64)
TWO(cublasSswap_v2, TC_RT_SWAP, float, TC_RT_BLAS_F32)
TWO(cublasDswap_v2, TC_RT_SWAP, double, TC_RT_BLAS_F64)

#define AXPY(name, T, type)                                                    \
    DECLARED(name, (tc_cublas * handle, int n, const T *alpha, const T *x,     \
                    int incx, T *y, int incy)) {                               \
        TC_ENTER();                                                            \
        tc_rt_blas q;                                                          \
        return tc_cublas_leave(vectors(handle, #name, TC_RT_AXPY, type, n,     \
                                       alpha, (vector){x, incx},               \
                                       (vector){y, incy}, &q));                \
    }
AXPY(cublasSaxpy_v2, float, TC_RT_BLAS_F32)
AXPY(cublasDaxpy_v2, double, TC_RT_BLAS_F64)

#define SCAL(name, T, type)                                                    \
    DECLARED(name,                                                             \
             (tc_cublas * handle, int n, const T *alpha, T *x, int incx)) {    \
        TC_ENTER();                                                            \
        tc_rt_blas q;                                                          \
        return tc_cublas_leave(vectors(handle, #name, TC_RT_SCAL, type, n,     \
                                       alpha, (vector){x, incx},               \
                                       (vector){NULL, 1}, &q));                \
    }
SCAL(cublasSscal_v2, float, TC_RT_BLAS_F32)
SCAL(cublasDscal_v2, double, TC_RT_BLAS_F64)

/* A number of one or two vectors, stored as T. */
#define NUMBER(name, parameters, what, T, R, type, y, value)                   \
    DECLARED(name, parameters) {                                               \
        TC_ENTER();                                                            \
        tc_rt_blas q;                                                          \
        tc_cublas_status s = vectors(handle, #name, what, type, n, NULL,       \
                                     (vector){x, incx}, y, &q);                \
        if (s == CUBLAS_OK) {                                                  \
            R v = (R)(value);                                                  \
            s = tc_cublas_result(tc_cublas_of(handle), &v, result, sizeof v);  \
        }                                                                      \
        return tc_cublas_leave(s);                                             \
    }
#define ONE_VECTOR(T, R)                                                       \
    (tc_cublas * handle, int n, const T *x, int incx, R *result)
#define TWO_VECTORS(T)                                                         \
    (tc_cublas * handle, int n, const T *x, int incx, const T *y, int incy,    \
     T *result)
#define NUMBERS(S, T, type, i)                                                 \
    NUMBER(cublas##S##dot_v2, TWO_VECTORS(T), TC_RT_DOT, T, T, type,           \
           ((vector){y, incy}), q.result)                                      \
    NUMBER(cublas##S##nrm2_v2, ONE_VECTOR(T, T), TC_RT_NRM2, T, T, type,       \
           ((vector){NULL, 1}), q.result)                                      \
    NUMBER(cublas##S##asum_v2, ONE_VECTOR(T, T), TC_RT_ASUM, T, T, type,       \
           ((vector){NULL, 1}), q.result)                                      \
    NUMBER(cublas##i##amax_v2, ONE_VECTOR(T, int), TC_RT_IAMAX, T, int, type,  \
           ((vector){NULL, 1}), q.index)
NUMBERS(S, float, TC_RT_BLAS_F32, Is)
NUMBERS(D, double, TC_RT_BLAS_F64, Id)

/* --- a matrix and vectors ------------------------------------------------ */

static tc_cublas_status with_scalars(tc_cublas *handle, const char *name,
                                     uint32_t type, const void *alpha,
                                     const void *beta, tc_rt_blas *q) {
    const tc_cublas *h = tc_cublas_of(handle);
    if (h == NULL) {
        return CUBLAS_NOT_INITIALIZED;
    }
    tc_cublas_status s = scalar(h, type, alpha, &q->alpha);
    s = s == CUBLAS_OK && beta != NULL ? scalar(h, type, beta, &q->beta) : s;
    return s != CUBLAS_OK ? s : tc_cublas_run(h, name, q);
}

#define GEMV(name, T, type)                                                    \
    DECLARED(name, (tc_cublas * handle, int trans, int m, int n,               \
                    const T *alpha, const T *a, int lda, const T *x, int incx, \
                    const T *beta, T *y, int incy)) {                          \
        TC_ENTER();                                                            \
        tc_rt_blas q = {.what = TC_RT_GEMV, .m = m, .n = n};                   \
        q.x[0] = operand(a, type, lda);                                        \
        q.x[0].transposed = trans != 0;                                        \
        q.x[1] = operand(x, type, incx);                                       \
        q.x[2] = operand(y, type, incy);                                       \
        return tc_cublas_leave(                                                \
            with_scalars(handle, #name, type, alpha, beta, &q));               \
    }
GEMV(cublasSgemv_v2, float, TC_RT_BLAS_F32)
GEMV(cublasDgemv_v2, double, TC_RT_BLAS_F64)

#define GER(name, T, type)                                                     \
    DECLARED(name,                                                             \
             (tc_cublas * handle, int m, int n, const T *alpha, const T *x,    \
              int incx, const T *y, int incy, T *a, int lda)) {                \
        TC_ENTER();                                                            \
        tc_rt_blas q = {.what = TC_RT_GER, .m = m, .n = n};                    \
        q.x[0] = operand(x, type, incx);                                       \
        q.x[1] = operand(y, type, incy);                                       \
        q.x[2] = operand(a, type, lda);                                        \
        return tc_cublas_leave(                                                \
            with_scalars(handle, #name, type, alpha, NULL, &q));               \
    }
GER(cublasSger_v2, float, TC_RT_BLAS_F32)
GER(cublasDger_v2, double, TC_RT_BLAS_F64)

/* --- products of matrices ------------------------------------------------ */

typedef struct matrix {
    const void *p;
    uint32_t type;
    int ld;
    long long stride;
} matrix;

static int gemm(tc_cublas *handle, const char *name, const int trans[2],
                const int size[3], uint32_t type, const void *alpha,
                const void *beta, const matrix x[3], int batch) {
    tc_rt_blas q = {.what = TC_RT_GEMM,
                    .m = size[0],
                    .n = size[1],
                    .k = size[2],
                    .batch = (uint32_t)batch};
    if (batch <= 0) {
        return tc_cublas_leave(batch == 0 ? CUBLAS_OK : CUBLAS_INVALID_VALUE);
    }
    for (int i = 0; i < 3; i++) {
        q.x[i] = operand(x[i].p, x[i].type, x[i].ld);
        q.x[i].stride = x[i].stride;
        q.x[i].transposed = i < 2 && trans[i] != 0;
    }
    return tc_cublas_leave(with_scalars(handle, name, type, alpha, beta, &q));
}

#define GEMM(name, T, type)                                                    \
    DECLARED(name, (tc_cublas * handle, int transa, int transb, int m, int n,  \
                    int k, const T *alpha, const T *a, int lda, const T *b,    \
                    int ldb, const T *beta, T *c, int ldc)) {                  \
        TC_ENTER();                                                            \
        return gemm(handle, #name, (int[]){transa, transb}, (int[]){m, n, k},  \
                    type, alpha, beta,                                         \
                    (matrix[]){{a, type, lda, 0},                              \
                               {b, type, ldb, 0},                              \
                               {c, type, ldc, 0}},                             \
                    1);                                                        \
    }
GEMM(cublasSgemm_v2, float, TC_RT_BLAS_F32)
GEMM(cublasDgemm_v2, double, TC_RT_BLAS_F64)
GEMM(cublasHgemm, uint16_t, TC_RT_BLAS_F16)

#define STRIDED(name, T, type)                                                 \
    DECLARED(name,                                                             \
             (tc_cublas * handle, int transa, int transb, int m, int n, int k, \
              const T *alpha, const T *a, int lda, long long stridea,          \
              const T *b, int ldb, long long strideb, const T *beta, T *c,     \
              int ldc, long long stridec, int batch)) {                        \
        TC_ENTER();                                                            \
        return gemm(handle, #name, (int[]){transa, transb}, (int[]){m, n, k},  \
                    type, alpha, beta,                                         \
                    (matrix[]){{a, type, lda, stridea},                        \
                               {b, type, ldb, strideb},                        \
                               {c, type, ldc, stridec}},                       \
                    batch);                                                    \
    }
STRIDED(cublasSgemmStridedBatched, float, TC_RT_BLAS_F32)
STRIDED(cublasDgemmStridedBatched, double, TC_RT_BLAS_F64)
STRIDED(cublasHgemmStridedBatched, uint16_t, TC_RT_BLAS_F16)

/* cudaDataType's numbers; TC_RT_BLAS_TYPES: none that is built. */
static uint32_t type_of(int t) {
    switch (t) {
    case 0:
        return TC_RT_BLAS_F32;
    case 1:
        return TC_RT_BLAS_F64;
    case 2:
        return TC_RT_BLAS_F16;
    case 3:
        return TC_RT_BLAS_S8;
    case 10:
        return TC_RT_BLAS_S32;
    case 14:
        return TC_RT_BLAS_BF16;
    default:
        return TC_RT_BLAS_TYPES;
    }
}

/* What alpha and beta are, by cublasComputeType_t. */
static uint32_t scale_of(int compute) {
    return compute == 64 || compute == 65   ? TC_RT_BLAS_F16
           : compute == 70 || compute == 71 ? TC_RT_BLAS_F64
           : compute == 72 || compute == 73 ? TC_RT_BLAS_S32
                                            : TC_RT_BLAS_F32;
}

static int gemm_ex(tc_cublas *handle, const char *name, const int trans[2],
                   const int size[3], int compute, const void *alpha,
                   const void *beta, matrix x[3], int batch) {
    for (int i = 0; i < 3; i++) {
        x[i].type = type_of((int)x[i].type);
        if (x[i].type == TC_RT_BLAS_TYPES) {
            return tc_cublas_leave(tc_cublas_status_of(tc_stub_unbuilt(
                "cublasGemmEx() of elements but f16, bf16, f32, f64, s8 and "
                "s32")));
        }
    }
    uint32_t type = scale_of(compute);
    if (type == TC_RT_BLAS_S32 && x[2].type == TC_RT_BLAS_F32) {
        type = TC_RT_BLAS_F32;
    }
    return gemm(handle, name, trans, size, type, alpha, beta, x, batch);
}

DECLARED(cublasGemmEx,
         (tc_cublas * handle, int transa, int transb, int m, int n, int k,
          const void *alpha, const void *a, int atype, int lda, const void *b,
          int btype, int ldb, const void *beta, void *c, int ctype, int ldc,
          int compute, int algo)) {
    TC_ENTER();
    (void)algo;
    return gemm_ex(handle, "cublasGemmEx", (int[]){transa, transb},
                   (int[]){m, n, k}, compute, alpha, beta,
                   (matrix[]){{a, (uint32_t)atype, lda, 0},
                              {b, (uint32_t)btype, ldb, 0},
                              {c, (uint32_t)ctype, ldc, 0}},
                   1);
}

DECLARED(cublasGemmStridedBatchedEx,
         (tc_cublas * handle, int transa, int transb, int m, int n, int k,
          const void *alpha, const void *a, int atype, int lda,
          long long stridea, const void *b, int btype, int ldb,
          long long strideb, const void *beta, void *c, int ctype, int ldc,
          long long stridec, int batch, int compute, int algo)) {
    TC_ENTER();
    (void)algo;
    return gemm_ex(handle, "cublasGemmStridedBatchedEx",
                   (int[]){transa, transb}, (int[]){m, n, k}, compute, alpha,
                   beta,
                   (matrix[]){{a, (uint32_t)atype, lda, stridea},
                              {b, (uint32_t)btype, ldb, strideb},
                              {c, (uint32_t)ctype, ldc, stridec}},
                   batch);
}

DECLARED(cublasSgemmEx,
         (tc_cublas * handle, int transa, int transb, int m, int n, int k,
          const float *alpha, const void *a, int atype, int lda, const void *b,
          int btype, int ldb, const float *beta, void *c, int ctype, int ldc)) {
    TC_ENTER();
    return gemm_ex(handle, "cublasSgemmEx", (int[]){transa, transb},
                   (int[]){m, n, k}, 68, alpha, beta,
                   (matrix[]){{a, (uint32_t)atype, lda, 0},
                              {b, (uint32_t)btype, ldb, 0},
                              {c, (uint32_t)ctype, ldc, 0}},
                   1);
}

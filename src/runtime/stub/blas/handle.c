/* handle.c - cuBLAS's handles and their settings, copies of vectors and
 * matrices, and what an operation has in common with others. */
#include "runtime/stub/blas/blas.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tc_cublas *handles;

tc_cublas *tc_cublas_of(const tc_cublas *handle) {
    tc_cublas *h = handles;
    while (h != NULL && h != handle) {
        h = h->next;
    }
    return h;
}

tc_cublas_status tc_cublas_status_of(cudaError_t e) {
    return e == cudaSuccess                  ? CUBLAS_OK
           : e == cudaErrorNotSupported      ? CUBLAS_NOT_SUPPORTED
           : e == cudaErrorMemoryAllocation  ? CUBLAS_ALLOC_FAILED
           : e == cudaErrorInvalidValue      ? CUBLAS_INVALID_VALUE
           : e == cudaErrorInvalidPitchValue ? CUBLAS_INVALID_VALUE
           : e == cudaErrorNoDevice          ? CUBLAS_NOT_INITIALIZED
                                             : CUBLAS_EXECUTION_FAILED;
}

/* A mistake of the call that nobody looks at is told at the end, as of the
 * runtime's calls. */
tc_cublas_status tc_cublas_leave(tc_cublas_status s) {
    if (s == CUBLAS_INVALID_VALUE) {
        tc_stub_failed(cudaErrorInvalidValue);
    } else if (s == CUBLAS_NOT_INITIALIZED) {
        tc_stub_because("the handle is none that cublasCreate() made, or it "
                        "has been destroyed");
        tc_stub_failed(cudaErrorInvalidResourceHandle);
    }
    tc_stub_leave_quietly(cudaSuccess);
    return s;
}

/* --- scalars ------------------------------------------------------------- */

tc_cublas_status tc_cublas_scalar(const tc_cublas *h, const void *from,
                                  void *to, size_t size) {
    if (from == NULL) {
        tc_stub_because("a scalar is a null pointer");
        return CUBLAS_INVALID_VALUE;
    }
    if (!h->pointers && !tc_stub_is_device(from)) {
        memcpy(to, from, size);
        return CUBLAS_OK;
    }
    return tc_cublas_status_of(
        tc_stub_copy_line(to, from, size, cudaMemcpyDefault, true, h->stream));
}

tc_cublas_status tc_cublas_result(const tc_cublas *h, const void *from,
                                  void *to, size_t size) {
    if (to == NULL) {
        tc_stub_because("the result is a null pointer");
        return CUBLAS_INVALID_VALUE;
    }
    if (!h->pointers && !tc_stub_is_device(to)) {
        memcpy(to, from, size);
        return CUBLAS_OK;
    }
    return tc_cublas_status_of(
        tc_stub_copy_line(to, from, size, cudaMemcpyDefault, true, h->stream));
}

/* --- operations ---------------------------------------------------------- */

static tc_cublas_status wrong_operand(const char *name, const tc_rt_blas *q) {
    static const char *const gemm[] = {"A", "B", "C"};
    static const char *const gemv[] = {"A", "x", "y"};
    static const char *const rest[] = {"x", "y", "A"};
    const char *const *names = q->what == TC_RT_GEMM   ? gemm
                               : q->what == TC_RT_GEMV ? gemv
                                                       : rest;
    int i = q->wrong & 1 ? 0 : q->wrong & 2 ? 1 : 2;
    const tc_rt_blas_operand *o = &q->x[i];
    const tc_stub_block *b = tc_stub_block_at(o->address);
    char memory[100] = "there is no device memory at its address";
    if (b != NULL) {
        snprintf(memory, sizeof memory,
                 "it begins at byte %llu of an allocation of %llu bytes",
                 (unsigned long long)(o->address - b->address),
                 (unsigned long long)b->bytes);
    }
    tc_stub_because("%s: %s, with m, n, k of %lld, %lld, %lld and a leading "
                    "dimension or increment of %d, does not fit: %s",
                    name, names[i], (long long)q->m, (long long)q->n,
                    (long long)q->k, o->step, memory);
    return CUBLAS_INVALID_VALUE;
}

tc_cublas_status tc_cublas_run(const tc_cublas *h, const char *name,
                               tc_rt_blas *q) {
    uint32_t stream = 0;
    cudaError_t e = tc_stub_stream_id(h->stream, &stream);
    q->batch = q->batch > 0 ? q->batch : 1;
    struct iovec out = {q, sizeof *q}, in = {q, sizeof *q};
    tc_stub_talk t = {.name = TC_RT_BLAS,
                      .stream = stream,
                      .out = &out,
                      .nout = 1,
                      .in = &in,
                      .nin = 1};
    if (e == cudaSuccess && tc_stub_capturing(stream) != NULL) {
        e = tc_stub_unbuilt("cuBLAS in a captured stream");
    }
    e = e == cudaSuccess ? tc_stub_call(&t) : e;
    if (e == cudaErrorNotSupported && t.got == 0) {
        e = tc_stub_unbuilt("cuBLAS without a BLAS of this machine "
                            "(libopenblas0, libblis4 or libblas3), in graded "
                            "programs and on a GPU");
    }
    return e == cudaSuccess && q->wrong ? wrong_operand(name, q)
                                        : tc_cublas_status_of(e);
}

/* --- handles ------------------------------------------------------------- */

TC_API int cublasCreate_v2(tc_cublas **handle);
TC_API int cublasCreate_v2(tc_cublas **handle) {
    TC_ENTER();
    cudaError_t e = tc_stub_ready();
    tc_cublas *h =
        e == cudaSuccess && handle != NULL ? calloc(1, sizeof *h) : NULL;
    if (h == NULL) {
        return tc_cublas_leave(handle == NULL     ? CUBLAS_INVALID_VALUE
                               : e == cudaSuccess ? CUBLAS_ALLOC_FAILED
                                                  : tc_cublas_status_of(e));
    }
    h->next = handles;
    handles = h;
    *handle = h;
    return tc_cublas_leave(CUBLAS_OK);
}

TC_API int cublasDestroy_v2(tc_cublas *handle);
TC_API int cublasDestroy_v2(tc_cublas *handle) {
    TC_ENTER();
    tc_cublas *h = tc_cublas_of(handle), **at = &handles;
    if (h == NULL) {
        return tc_cublas_leave(CUBLAS_NOT_INITIALIZED);
    }
    while (*at != h) {
        at = &(*at)->next;
    }
    *at = h->next;
    free(h);
    return tc_cublas_leave(tc_cublas_status_of(tc_stub_wait_all()));
}

/* SETTING(what, type, member): cublasSetWhat_v2 and cublasGetWhat_v2. */
#define SETTING(set, get, type, member)                                        \
    TC_API int set(tc_cublas *handle, type value);                             \
    TC_API int set(tc_cublas *handle, type value) {                            \
        TC_ENTER();                                                            \
        tc_cublas *h = tc_cublas_of(handle);                                   \
        if (h != NULL) {                                                       \
            h->member = value;                                                 \
        }                                                                      \
        return tc_cublas_leave(h ? CUBLAS_OK : CUBLAS_NOT_INITIALIZED);        \
    }                                                                          \
    TC_API int get(tc_cublas *handle, type *value);                            \
    TC_API int get(tc_cublas *handle, type *value) {                           \
        TC_ENTER();                                                            \
        const tc_cublas *h = tc_cublas_of(handle);                             \
        if (h != NULL && value != NULL) {                                      \
            *value = h->member;                                                \
        }                                                                      \
        return tc_cublas_leave(h == NULL       ? CUBLAS_NOT_INITIALIZED        \
                               : value == NULL ? CUBLAS_INVALID_VALUE          \
                                               : CUBLAS_OK);                   \
    }
SETTING(cublasSetStream_v2, cublasGetStream_v2, cudaStream_t, stream)
SETTING(cublasSetPointerMode_v2, cublasGetPointerMode_v2, int, pointers)
SETTING(cublasSetMathMode, cublasGetMathMode, int, math)
SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, int, atomics)

/* cuBLAS 13.0 of the toolkit whose headers programs include. */
TC_API int cublasGetVersion_v2(tc_cublas *handle, int *version);
TC_API int cublasGetVersion_v2(tc_cublas *handle, int *version) {
    TC_ENTER();
    (void)handle;
    if (version != NULL) {
        *version = 130000;
    }
    return tc_cublas_leave(version ? CUBLAS_OK : CUBLAS_INVALID_VALUE);
}

TC_API int cublasSetWorkspace_v2(tc_cublas *handle, void *workspace,
                                 size_t bytes);
TC_API int cublasSetWorkspace_v2(tc_cublas *handle, void *workspace,
                                 size_t bytes) {
    TC_ENTER();
    (void)workspace, (void)bytes;
    return tc_cublas_leave(tc_cublas_of(handle) ? CUBLAS_OK
                                                : CUBLAS_NOT_INITIALIZED);
}

/* --- statuses ------------------------------------------------------------ */

static const char *const status_names[16] = {
    [0] = "CUBLAS_STATUS_SUCCESS",
    [1] = "CUBLAS_STATUS_NOT_INITIALIZED",
    [3] = "CUBLAS_STATUS_ALLOC_FAILED",
    [7] = "CUBLAS_STATUS_INVALID_VALUE",
    [8] = "CUBLAS_STATUS_ARCH_MISMATCH",
    [11] = "CUBLAS_STATUS_MAPPING_ERROR",
    [13] = "CUBLAS_STATUS_EXECUTION_FAILED",
    [14] = "CUBLAS_STATUS_INTERNAL_ERROR",
    [15] = "CUBLAS_STATUS_NOT_SUPPORTED"};

TC_API const char *cublasGetStatusName(int status);
TC_API const char *cublasGetStatusName(int status) {
    const char *name = status >= 0 && status < 16 ? status_names[status] : NULL;
    return name ? name : "CUBLAS_STATUS_UNKNOWN";
}

TC_API const char *cublasGetStatusString(int status);
TC_API const char *cublasGetStatusString(int status) {
    return cublasGetStatusName(status);
}

/* --- vectors and matrices ------------------------------------------------ */

/* Rows of `width` bytes, each `to_pitch` or `from_pitch` bytes on. */
static int move(void *to, uint64_t to_pitch, const void *from,
                uint64_t from_pitch, uint64_t width, int n,
                enum cudaMemcpyKind kind, cudaStream_t s, bool blocks) {
    uint32_t stream = 0;
    tc_rt_copy c = {.dst = (uint64_t)(uintptr_t)to,
                    .dst_pitch = to_pitch,
                    .src = (uint64_t)(uintptr_t)from,
                    .src_pitch = from_pitch,
                    .width = width,
                    .height = n > 0 ? (uint64_t)n : 0,
                    .depth = 1};
    if (n < 0 || to_pitch < width || from_pitch < width) {
        tc_stub_because("a size, an increment or a leading dimension is too "
                        "small");
        return tc_cublas_leave(CUBLAS_INVALID_VALUE);
    }
    cudaError_t e = tc_stub_stream_id(s, &stream);
    e = e == cudaSuccess ? tc_stub_copy(&c, kind, blocks, stream) : e;
    return tc_cublas_leave(tc_cublas_status_of(e));
}

static uint64_t bytes(int n, int size) {
    return n > 0 && size > 0 ? (uint64_t)n * (uint64_t)size : 0;
}

#define VECTORS(name, kind)                                                    \
    TC_API int name(int n, int size, const void *x, int incx, void *y,         \
                    int incy);                                                 \
    TC_API int name(int n, int size, const void *x, int incx, void *y,         \
                    int incy) {                                                \
        TC_ENTER();                                                            \
        return move(y, bytes(incy, size), x, bytes(incx, size),                \
                    bytes(1, size), n, kind, NULL, true);                      \
    }                                                                          \
    TC_API int name##Async(int n, int size, const void *x, int incx, void *y,  \
                           int incy, cudaStream_t stream);                     \
    TC_API int name##Async(int n, int size, const void *x, int incx, void *y,  \
                           int incy, cudaStream_t stream) {                    \
        TC_ENTER();                                                            \
        return move(y, bytes(incy, size), x, bytes(incx, size),                \
                    bytes(1, size), n, kind, stream, false);                   \
    }
VECTORS(cublasSetVector, cudaMemcpyHostToDevice)
VECTORS(cublasGetVector, cudaMemcpyDeviceToHost)

#define MATRICES(name, kind)                                                   \
    TC_API int name(int rows, int cols, int size, const void *a, int lda,      \
                    void *b, int ldb);                                         \
    TC_API int name(int rows, int cols, int size, const void *a, int lda,      \
                    void *b, int ldb) {                                        \
        TC_ENTER();                                                            \
        return move(b, bytes(ldb, size), a, bytes(lda, size),                  \
                    bytes(rows, size), cols, kind, NULL, true);                \
    }                                                                          \
    TC_API int name##Async(int rows, int cols, int size, const void *a,        \
                           int lda, void *b, int ldb, cudaStream_t stream);    \
    TC_API int name##Async(int rows, int cols, int size, const void *a,        \
                           int lda, void *b, int ldb, cudaStream_t stream) {   \
        TC_ENTER();                                                            \
        return move(b, bytes(ldb, size), a, bytes(lda, size),                  \
                    bytes(rows, size), cols, kind, stream, false);             \
    }
MATRICES(cublasSetMatrix, cudaMemcpyHostToDevice)
MATRICES(cublasGetMatrix, cudaMemcpyDeviceToHost)

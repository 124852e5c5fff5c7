/* blas.h - cuBLAS's handles and calls, as the CUDA toolkit's cublas_api.h has
 * them, in declarations of our own: enumerations are ints, halves 16 bits. */
#ifndef TC_STUB_BLAS_BLAS_H
#define TC_STUB_BLAS_BLAS_H

#include "runtime/stub/stub.h"

typedef enum tc_cublas_status { /* cublasStatus_t */
                                CUBLAS_OK = 0,
                                CUBLAS_NOT_INITIALIZED = 1,
                                CUBLAS_ALLOC_FAILED = 3,
                                CUBLAS_INVALID_VALUE = 7,
                                CUBLAS_EXECUTION_FAILED = 13,
                                CUBLAS_NOT_SUPPORTED = 15
} tc_cublas_status;

typedef struct tc_cublas {
    cudaStream_t stream;
    int pointers; /* 1: scalars are on the device */
    int math, atomics;
    struct tc_cublas *next;
} tc_cublas;

#pragma GCC visibility push(hidden)

/* The handle, or NULL. */
tc_cublas *tc_cublas_of(const tc_cublas *handle);
/* A scalar of size bytes, wherever the handle's mode has it. */
tc_cublas_status tc_cublas_scalar(const tc_cublas *h, const void *from,
                                  void *to, size_t size);
/* Asks for the operation; name for messages. */
tc_cublas_status tc_cublas_run(const tc_cublas *h, const char *name,
                               tc_rt_blas *q);
/* Writes a result to where the mode has it. */
tc_cublas_status tc_cublas_result(const tc_cublas *h, const void *from,
                                  void *to, size_t size);
tc_cublas_status tc_cublas_leave(tc_cublas_status s);
tc_cublas_status tc_cublas_status_of(cudaError_t e);

#pragma GCC visibility pop

#endif

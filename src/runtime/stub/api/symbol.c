/* symbol.c - __device__ and __constant__ variables by their names. */
#include "runtime/stub/stub.h"

/* The byte at offset, of which count are there. */
static cudaError_t place(const void *symbol, size_t count, size_t offset,
                         void **out) {
    cudaError_t e;
    const tc_stub_variable *v = tc_stub_variable_of(symbol, &e);
    if (v == NULL) {
        return e;
    }
    if (offset > v->bytes || count > v->bytes - offset) {
        return cudaErrorInvalidValue;
    }
    *out = (void *)(uintptr_t)(v->address + offset);
    return cudaSuccess;
}

static cudaError_t to(const void *symbol, const void *src, size_t count,
                      size_t offset, enum cudaMemcpyKind kind, bool blocks,
                      cudaStream_t s) {
    void *dst = NULL;
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault) {
        return cudaErrorInvalidMemcpyDirection;
    }
    cudaError_t e = place(symbol, count, offset, &dst);
    return e != cudaSuccess
               ? e
               : tc_stub_copy_line(dst, src, count, kind, blocks, s);
}

static cudaError_t from(void *dst, const void *symbol, size_t count,
                        size_t offset, enum cudaMemcpyKind kind, bool blocks,
                        cudaStream_t s) {
    void *src = NULL;
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault) {
        return cudaErrorInvalidMemcpyDirection;
    }
    cudaError_t e = place(symbol, count, offset, &src);
    return e != cudaSuccess
               ? e
               : tc_stub_copy_line(dst, src, count, kind, blocks, s);
}

TC_API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src,
                                      size_t count, size_t offset,
                                      enum cudaMemcpyKind kind) {
    TC_ENTER();
    return tc_stub_leave(to(symbol, src, count, offset, kind, true, NULL));
}
TC_PTDS(cudaMemcpyToSymbol);

TC_API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src,
                                           size_t count, size_t offset,
                                           enum cudaMemcpyKind kind,
                                           cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(to(symbol, src, count, offset, kind, false, stream));
}
TC_PTSZ(cudaMemcpyToSymbolAsync);

TC_API cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol,
                                        size_t count, size_t offset,
                                        enum cudaMemcpyKind kind) {
    TC_ENTER();
    return tc_stub_leave(from(dst, symbol, count, offset, kind, true, NULL));
}
TC_PTDS(cudaMemcpyFromSymbol);

TC_API cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol,
                                             size_t count, size_t offset,
                                             enum cudaMemcpyKind kind,
                                             cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(from(dst, symbol, count, offset, kind, false, stream));
}
TC_PTSZ(cudaMemcpyFromSymbolAsync);

TC_API cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol) {
    TC_ENTER();
    return tc_stub_leave(devPtr == NULL ? cudaErrorInvalidValue
                                        : place(symbol, 0, 0, devPtr));
}

TC_API cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
    TC_ENTER();
    cudaError_t e = cudaErrorInvalidValue;
    const tc_stub_variable *v =
        size != NULL ? tc_stub_variable_of(symbol, &e) : NULL;
    if (v != NULL) {
        *size = v->bytes;
    }
    return tc_stub_leave(e);
}

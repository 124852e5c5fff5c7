/* unified.c - managed memory: cudaMallocManaged, and advice on it, which
 * changes nothing here. */
#include "runtime/stub/stub.h"

TC_API cudaError_t cudaMallocManaged(void **devPtr, size_t size,
                                     unsigned int flags) {
    TC_ENTER();
    bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost;
    return tc_stub_leave(known
                             ? tc_stub_alloc(devPtr, size, TC_RT_MANAGED, flags)
                             : cudaErrorInvalidValue);
}

/* Is it all managed memory? */
static cudaError_t check(const void *p, size_t count) {
    cudaError_t e = tc_stub_ready();
    const tc_stub_block *b = tc_stub_block_at((uint64_t)(uintptr_t)p);
    if (e != cudaSuccess) {
        return e;
    }
    return count == 0 || b == NULL || b->kind != TC_RT_MANAGED ||
                   count > b->bytes - ((uint64_t)(uintptr_t)p - b->address)
               ? cudaErrorInvalidValue
               : cudaSuccess;
}

/* CUDA 12's functions of these names have a device's number in the place of
 * the location, which nobody looks at here. */
TC_API cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count,
                                        struct cudaMemLocation location,
                                        unsigned int flags,
                                        cudaStream_t stream) {
    TC_ENTER();
    (void)location, (void)flags, (void)stream;
    return tc_stub_leave(check(devPtr, count));
}
TC_PTSZ(cudaMemPrefetchAsync);
TC_ALSO(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync);
TC_ALSO(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync);

TC_API cudaError_t cudaMemAdvise(const void *devPtr, size_t count,
                                 enum cudaMemoryAdvise advice,
                                 struct cudaMemLocation location) {
    TC_ENTER();
    (void)location;
    bool known = advice >= cudaMemAdviseSetReadMostly &&
                 advice <= cudaMemAdviseUnsetAccessedBy;
    return tc_stub_leave(known ? check(devPtr, count) : cudaErrorInvalidValue);
}
TC_ALSO(cudaMemAdvise_v2, cudaMemAdvise);

/* Memory that is attached to the host is the host's while kernels run. */
static cudaError_t attach(cudaStream_t s, void *p, size_t length,
                          unsigned int flags) {
    uint32_t stream;
    cudaError_t e = tc_stub_ready();
    e = e == cudaSuccess ? tc_stub_stream_id(s, &stream) : e;
    if (e != cudaSuccess) {
        return e;
    }
    tc_stub_block *b = tc_stub_block_at((uint64_t)(uintptr_t)p);
    bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost ||
                 flags == cudaMemAttachSingle;
    if (b == NULL || b->kind != TC_RT_MANAGED || !known ||
        b->address != (uint64_t)(uintptr_t)p ||
        (length != 0 && length != b->bytes)) {
        return cudaErrorInvalidValue;
    }
    b->flags = flags;
    return cudaSuccess;
}

TC_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr,
                                            size_t length, unsigned int flags) {
    TC_ENTER();
    return tc_stub_leave(attach(stream, devPtr, length, flags));
}
TC_PTSZ(cudaStreamAttachMemAsync);

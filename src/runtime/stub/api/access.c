/* access.c - who may reach a pool's memory, and what a stream's launches are told
 * of caches: of one device, and of streams that are in order, nothing but that
 * the arguments are right. */
#include "runtime/stub/stub.h"
#include <string.h>

/* "Attempting to make the memory pool accessible from its own device is a no-op"
 * where it is; that access cannot be taken away (cudaMemPoolSetAccess). */
static cudaError_t set_access(cudaMemPool_t pool,
                              const struct cudaMemAccessDesc *list, size_t n) {
    cudaError_t e = tc_stub_ready();
    if (e == cudaSuccess && (pool == NULL || (list == NULL && n > 0))) {
        e = cudaErrorInvalidValue;
    }
    for (size_t i = 0; i < n && e == cudaSuccess; i++) {
        if (list[i].location.type != cudaMemLocationTypeDevice ||
            list[i].flags != cudaMemAccessFlagsProtReadWrite) {
            e = cudaErrorInvalidValue;
        } else if (list[i].location.id != 0) {
            e = cudaErrorInvalidDevice;
        }
    }
    return e;
}

TC_API cudaError_t
cudaMemPoolSetAccess(cudaMemPool_t memPool,
                     const struct cudaMemAccessDesc *descList, size_t count) {
    TC_ENTER();
    return tc_stub_leave(set_access(memPool, descList, count));
}

TC_API cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags,
                                        cudaMemPool_t memPool,
                                        struct cudaMemLocation *location) {
    TC_ENTER();
    cudaError_t e = tc_stub_ready();
    if (e == cudaSuccess &&
        (flags == NULL || memPool == NULL || location == NULL ||
         location->type != cudaMemLocationTypeDevice)) {
        e = cudaErrorInvalidValue;
    } else if (e == cudaSuccess && location->id != 0) {
        e = cudaErrorInvalidDevice;
    } else if (e == cudaSuccess) {
        *flags = cudaMemAccessFlagsProtReadWrite;
    }
    return tc_stub_leave(e);
}

/* Those that a stream has: a window of L2, how the host waits, a priority. */
static cudaError_t check(cudaStream_t stream, cudaLaunchAttributeID id,
                         const void *value, tc_stub_stream **s) {
    cudaError_t e = tc_stub_ready();
    if (e == cudaSuccess && !tc_stub_stream_of(stream, s)) {
        e = cudaErrorInvalidResourceHandle;
    }
    bool known = id == cudaLaunchAttributeAccessPolicyWindow ||
                 id == cudaLaunchAttributeSynchronizationPolicy ||
                 id == cudaLaunchAttributePriority;
    return e == cudaSuccess && (!known || value == NULL) ? cudaErrorInvalidValue
                                                         : e;
}

TC_API cudaError_t
cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                       const cudaLaunchAttributeValue *value) {
    TC_ENTER();
    tc_stub_stream *s = NULL;
    cudaError_t e = check(hStream, attr, value, &s);
    if (e == cudaSuccess && attr == cudaLaunchAttributePriority && s != NULL) {
        s->priority = value->priority;
    }
    return tc_stub_leave(e);
}
TC_PTSZ(cudaStreamSetAttribute);

TC_API cudaError_t cudaStreamGetAttribute(cudaStream_t hStream,
                                          cudaLaunchAttributeID attr,
                                          cudaLaunchAttributeValue *value) {
    TC_ENTER();
    tc_stub_stream *s = NULL;
    cudaError_t e = check(hStream, attr, value, &s);
    if (e == cudaSuccess) {
        memset(value, 0, sizeof *value);
        value->priority =
            attr == cudaLaunchAttributePriority && s != NULL ? s->priority : 0;
    }
    return tc_stub_leave(e);
}
TC_PTSZ(cudaStreamGetAttribute);
